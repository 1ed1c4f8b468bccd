/** The steps in which the server and the kind have their say: metadata, allocation, what a client may not choose, validation. */
import { StatusError } from '../../../../shared/api/errors/status';
import { whenResolved, type MaybePromise } from '../../../../shared/runtime/maybe-promise';
import { canonicalizeGroups } from '../../../../shared/api/types/group-fields';
import { ensureMetadata, parseResourceVersion, readMetadata } from '../../../../shared/api/metadata/object-meta';
import { stringAt } from '../../../../shared/values/json';
import { needsWebhook } from '../../object/resource-info';
import type { UpdateRules } from '../../strategy';
import { scoped } from '../restrict-to-endpoint';
import * as meta from '../object-metadata';
import type { WriteRequest } from '../request';
import { prepareForAllocation, validateCreation, validateUpdate } from '../validation';
import type { Canonical, DecodedChange, DecodedAttempt, Prepared, Stamped } from './attempt';
import { after, learn, type StepExecution } from './step';

/** stampMetadata, of a new object: uid, times, name, generation, and what nobody can bring along. Overwrites what the client sent. */
export function stampNew<A extends DecodedAttempt>(attempt: A, { deps }: StepExecution): A & Stamped {
  const { request, object, name } = attempt;
  const { info, context, namespace } = request;
  const metadata = ensureMetadata(object);
  meta.agreeOnNamespace(info, metadata, namespace);
  const sent = parseResourceVersion(stringAt(metadata, 'resourceVersion'));
  meta.stampNew(info, metadata, deps.random.uuid(), deps.clock.now());
  if (name !== '') metadata['name'] = name;
  if (info.hasStatus && info.strategy.keepsStatusAtCreation !== true) delete object['status'];
  meta.dedupeOwners(metadata, 'update', (text) => context.warn(text));
  info.hubCodec.dropDisabledFields(object);
  return learn(attempt, { sentVersion: sent.type === 'number' ? sent.value : undefined });
}

/** stampMetadata, of a change: carries over what no client writes, and takes back what this endpoint does not write. Throws 400 when admission renamed the object. */
export function stampChanged<A extends DecodedChange>(attempt: A): A & Pick<DecodedAttempt, 'object'> {
  const { request, source, old } = attempt;
  const { info, context, namespace, name, subresource } = request;
  if (source.verb === 'create') throw new Error('a creation changes nothing');
  const metadata = ensureMetadata(attempt.object);
  meta.agreeOnName(metadata, name);
  meta.agreeOnNamespace(info, metadata, namespace);
  meta.carryOver(metadata, readMetadata(old));
  meta.dedupeOwners(metadata, source.verb, (text) => context.warn(text));
  const object = scoped(info, subresource, attempt.object, old);
  info.hubCodec.dropDisabledFields(object);
  return object === attempt.object ? attempt : learn(attempt, { object });
}

/**
 * allocate: fills in the addresses and ports that the object needs, and checks those that it names. May be repeated: what was chosen is chosen again where it
 * is still free. Nothing is taken before the transaction. Only where an endpoint writes the spec; throws 422.
 */
export function allocate<A extends DecodedAttempt>(attempt: A, execution: StepExecution): MaybePromise<A> {
  const { request, object, old } = attempt;
  const { info } = request;
  if (info.strategy.prepareForAllocation === undefined && info.strategy.allocation === undefined) return attempt;
  return explained(attempt, () => {
    prepareForAllocation(info, object, old, execution.deps.strategyContext(request));
    return info.strategy.allocation === undefined ? attempt : after(execution.allocate(info, object, old), attempt);
  });
}

/** prepare, of a new object: sets and resets what a client may not choose. Warnings about the object as it was sent precede it. */
export function prepareForCreate<A extends DecodedAttempt>(attempt: A, { deps }: StepExecution): A & Prepared {
  const { request, object } = attempt;
  const { info, context } = request;
  const { strategy } = info;
  for (const warning of strategy.earlyWarnings?.(object) ?? []) context.warn(warning);
  const strategyContext = deps.strategyContext(request);
  strategy.prepareForCreate?.(object, strategyContext);
  strategy.setRequiredLabels?.(object, strategyContext);
  return learn(attempt, { strategyContext });
}

/** prepare, of a change: takes back what the endpoint may not change, and counts the generation. */
export function prepareForUpdate<A extends DecodedChange>(attempt: A, { deps }: StepExecution): A & Prepared {
  const { request, object, old } = attempt;
  const { info, subresource } = request;
  const strategyContext = deps.strategyContext(request);
  rulesOf(request)?.prepareForUpdate?.(object, old, strategyContext);
  info.strategy.setRequiredLabels?.(object, strategyContext);
  meta.countGeneration(info, subresource, object, old);
  return learn(attempt, { strategyContext });
}

/** The rules of the endpoint; the scale's are the main one's. */
const rulesOf = ({ info: { strategy }, subresource }: WriteRequest): UpdateRules | undefined =>
  subresource === undefined || subresource === 'scale' ? strategy.update : strategy[subresource];

/** validate, of a new object. Changes nothing; throws 422 with all that is wrong. */
export function validateNew<A extends DecodedAttempt & Prepared>(attempt: A): A {
  const { request, object, strategyContext } = attempt;
  const { info, context } = request;
  validateCreation(info, object, strategyContext);
  for (const warning of info.strategy.warningsOnCreate?.(object) ?? []) context.warn(warning);
  return attempt;
}

/** validate, of a change. Changes nothing; throws 422 with all that is wrong. */
export function validateChange<A extends DecodedChange & Prepared>(attempt: A): MaybePromise<A> {
  const { request, object, old, strategyContext } = attempt;
  const { info, context, subresource } = request;
  return explained(attempt, () => {
    validateUpdate(info, rulesOf(request), object, old, strategyContext);
    if (subresource === undefined) for (const warning of info.strategy.warningsOnUpdate?.(object, old) ?? []) context.warn(warning);
    return attempt;
  });
}

/** A refusal of a changed object may have a cause that only its source knows. */
function explained<A extends DecodedAttempt>({ source, old }: A, judge: () => MaybePromise<A>): MaybePromise<A> {
  const fail = (error: unknown): never => {
    const isExplained = old !== undefined && error instanceof StatusError && error.reason === 'Invalid';
    throw isExplained ? (source.explain?.(error) ?? error) : error;
  };
  try {
    const judged = judge();
    return judged instanceof Promise ? judged.catch(fail) : judged;
  } catch (error) {
    return fail(error);
  }
}

/**
 * canonicalize: the spelling in which the names of API groups are stored. After it the object is what is stored, but for kinds that a webhook converts.
 */
export function canonicalize<A extends DecodedAttempt>(attempt: A, { deps }: StepExecution): A & Canonical {
  const { request, object } = attempt;
  return learn(attempt, { isDialectSensitive: canonicalizeGroups(object, request.info.hubCodec.groupFields, deps.names), stored: object });
}

/** convertToStorage, of kinds that only a webhook converts: the last version of the object becomes the one that is stored. Throws what the webhook is answered with. */
export function convertByWebhook<A extends DecodedAttempt & Canonical>(attempt: A, { deps }: StepExecution): MaybePromise<A> {
  const { info, context } = attempt.request;
  if (!needsWebhook(info)) return attempt;
  const converting = deps.conversions.object(info.row, info.row.version, info.hub.version, attempt.object, context);
  return whenResolved(converting, (stored) => learn(attempt, { stored }));
}
