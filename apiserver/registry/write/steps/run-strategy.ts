/**
 * The steps that run the strategy of the kind and the server's own rules: metadata, allocation, prepare hooks and
 * validation, which is in run-stages.ts.
 */
import { StatusError } from '../../../../shared/api/errors/status';
import { whenResolved, type MaybePromise } from '../../../../shared/runtime/maybe-promise';
import { canonicalizeGroups } from '../../../../shared/api/types/group-fields';
import { ensureMetadata, parseResourceVersion, readMetadata } from '../../../../shared/api/metadata/object-meta';
import { stringAt } from '../../../../shared/values/json';
import type { UpdateRules } from '../../strategy';
import { restrictToEndpoint } from '../restrict-to-endpoint';
import * as meta from '../object-metadata';
import type { WriteRequest } from '../request';
import { toStoredVersion } from '../version-conversion';
import type { CanonicalAttempt, DecodedChange, DecodedAttempt, PreparedAttempt, StampedAttempt } from './attempt';
import { invalidObject, validateCreation, validateUpdate } from './run-stages';
import { whenDone, addFacts, type StepExecution } from './step';

/** stampMetadata, of a create: sets uid, times, name and generation, and removes what clients cannot set. */
export function stampNewMetadata<A extends DecodedAttempt>(attempt: A, { deps }: StepExecution): A & StampedAttempt {
  const { request, object, name } = attempt;
  const { info, context, namespace } = request;
  const metadata = ensureMetadata(object);
  meta.ensureNamespaceMatchesRequest(info.row, metadata, namespace);
  const requested = parseResourceVersion(stringAt(metadata, 'resourceVersion'));
  meta.fillSystemFields(info, metadata, deps.random.uuid(), deps.clock.now());
  if (name !== '') metadata['name'] = name;
  if (info.hasStatus && info.strategy.acceptsStatusOnCreate !== true) delete object['status'];
  meta.removeDuplicateOwnersWithWarning(metadata, 'update', (text) => context.warn(text));
  info.hubCodec.dropDisabledFields(object);
  return addFacts(attempt, { requestVersion: requested.type === 'number' ? requested.value : undefined });
}

/**
 * stampMetadata, of a change: copies metadata that clients cannot change from the stored object, and resets fields
 * that the endpoint does not write. Throws 400 when admission has renamed the object.
 */
export function stampChangedMetadata<A extends DecodedChange>(attempt: A): A & Pick<DecodedAttempt, 'object'> {
  const { request, source, old } = attempt;
  const { info, context, namespace, name, subresource } = request;
  if (source.verb === 'create') throw new Error('a creation is reported as unchanged');
  const metadata = ensureMetadata(attempt.object);
  meta.ensureNameMatchesRequest(metadata, name);
  meta.ensureNamespaceMatchesRequest(info.row, metadata, namespace);
  meta.carryOverMetadata(metadata, readMetadata(old));
  meta.removeDuplicateOwnersWithWarning(metadata, source.verb, (text) => context.warn(text));
  const object = restrictToEndpoint(info, subresource, attempt.object, old);
  info.hubCodec.dropDisabledFields(object);
  return object === attempt.object ? attempt : addFacts(attempt, { object });
}

/**
 * allocate: sets addresses and ports that the object needs, and checks those it requests. May run repeatedly; it
 * chooses the same ones if they are still free. Nothing is allocated before the transaction. Only for endpoints that
 * write the spec. Throws 422.
 */
export function allocate<A extends DecodedAttempt>(attempt: A, execution: StepExecution): MaybePromise<A> {
  const { request, object, old } = attempt;
  const { info } = request;
  if (info.strategy.prepareForAllocation === undefined && info.strategy.allocation === undefined) return attempt;
  return withExplanation(attempt, () => {
    const errors = info.strategy.prepareForAllocation?.(object, old, execution.deps.strategyContext(request)) ?? [];
    if (errors.length > 0) throw invalidObject(info, object, errors);
    return info.strategy.allocation === undefined ? attempt : whenDone(execution.allocate(info, object, old), attempt);
  });
}

/**
 * prepare, of a create: sets and resets fields that clients cannot set. Adds warnings about the object as it was sent
 * first.
 */
export function prepareForCreate<A extends DecodedAttempt>(attempt: A, { deps }: StepExecution): A & PreparedAttempt {
  const { request, object } = attempt;
  const { info, context } = request;
  const { strategy } = info;
  for (const warning of strategy.earlyWarnings?.(object) ?? []) context.warn(warning);
  const strategyContext = deps.strategyContext(request);
  strategy.prepareForCreate?.(object, strategyContext);
  strategy.setRequiredLabels?.(object, strategyContext);
  return addFacts(attempt, { strategyContext });
}

/** prepare, of a change: resets fields that the endpoint must not change, and increments the generation. */
export function prepareForUpdate<A extends DecodedChange>(attempt: A, { deps }: StepExecution): A & PreparedAttempt {
  const { request, object, old } = attempt;
  const { info, subresource } = request;
  const strategyContext = deps.strategyContext(request);
  updateRulesOf(request)?.prepareForUpdate?.(object, old, strategyContext);
  info.strategy.setRequiredLabels?.(object, strategyContext);
  meta.incrementGeneration(info, subresource, object, old);
  return addFacts(attempt, { strategyContext });
}

/** The rules of the endpoint; `scale` uses those of the main endpoint. */
const updateRulesOf = ({ info: { strategy }, subresource }: WriteRequest): UpdateRules | undefined =>
  subresource === undefined || subresource === 'scale' ? strategy.update : strategy[subresource];

/** validate, of a create. Changes nothing. Throws 422 with all errors of the first group of stages with errors. */
export function validateNew<A extends DecodedAttempt & PreparedAttempt>(attempt: A): A {
  const { request, object, strategyContext } = attempt;
  const { info, context } = request;
  validateCreation(info, object, strategyContext);
  for (const warning of info.strategy.warningsOnCreate?.(object) ?? []) context.warn(warning);
  return attempt;
}

/** validate, of a change. Changes nothing. Throws 422 with all errors of the first group of stages with errors. */
export function validateChange<A extends DecodedChange & PreparedAttempt>(attempt: A): MaybePromise<A> {
  const { request, object, old, strategyContext } = attempt;
  const { info, context, subresource } = request;
  return withExplanation(attempt, () => {
    validateUpdate({ info, rules: updateRulesOf(request), object, old, context: strategyContext });
    if (subresource === undefined) for (const warning of info.strategy.warningsOnUpdate?.(object, old) ?? []) context.warn(warning);
    return attempt;
  });
}

/** Runs `run` and lets the source add information to its rejection of a changed object. */
function withExplanation<A extends DecodedAttempt>({ source, old }: A, run: () => MaybePromise<A>): MaybePromise<A> {
  const fail = (error: unknown): never => {
    const isExplained = old !== undefined && error instanceof StatusError && error.reason === 'Invalid';
    throw isExplained ? (source.explain?.(error) ?? error) : error;
  };
  try {
    const result = run();
    return result instanceof Promise ? result.catch(fail) : result;
  } catch (error) {
    return fail(error);
  }
}

/**
 * canonicalize: converts group names to the spelling in which they are stored. The object is then ready to be stored,
 * except for kinds with a conversion webhook.
 */
export function canonicalize<A extends DecodedAttempt>(attempt: A, { deps }: StepExecution): A & CanonicalAttempt {
  const { request, object } = attempt;
  return addFacts(attempt, {
    isDialectSensitive: canonicalizeGroups(object, request.info.hubCodec.groupFields, deps.names),
    stored: object,
  });
}

/**
 * convertToStorage, for kinds with a conversion webhook: converts the object to the storage version. Throws the error
 * of the webhook.
 */
export function convertByWebhook<A extends DecodedAttempt & CanonicalAttempt>(attempt: A, { deps }: StepExecution): MaybePromise<A> {
  return whenResolved(toStoredVersion(deps, attempt.request, attempt.object), (stored) => addFacts(attempt, { stored }));
}
