/**
 * The steps that run the strategy of the kind and the server's own rules: metadata, allocation, prepare hooks and
 * validation. Objects are validated in the stages of their kind (registry/stages.ts); every error of the first group of
 * stages with errors is reported at once.
 */
import { withBoundedErrors, invalidValue, type FieldError } from '../../../../shared/api/errors/field-error';
import { invalid, StatusError } from '../../../../shared/api/errors/status';
import { whenResolved, type MaybePromise } from '../../../../shared/runtime/maybe-promise';
import { canonicalizeGroups } from '../../../../shared/api/types/group-fields';
import { ensureMetadata, parseResourceVersion, readMetadata } from '../../../../shared/api/metadata/object-meta';
import {
  unqualifiedFinalizersErrors,
  validateMutableMetadata,
  validateMetadata,
  validateMetadataChange,
  validateGenerateName,
  type MetadataRules,
} from '../../../../shared/api/metadata/object-meta-rules';
import { spellingErrors } from '../../../../shared/api/types/metadata-fields';
import { stringAt, type JsonObject } from '../../../../shared/values/json';
import { checkPathSegment, checkPathSegmentPrefix, type NameCheck } from '../../../../shared/values/name-formats';
import type { ResourceInfo } from '../../object/resource-info';
import { CREATE, UPDATE, type Stage, type Stages } from '../../stages';
import type { StrategyContext, UpdateRules } from '../../strategy';
import { restrictToEndpoint } from '../restrict-to-endpoint';
import * as meta from '../object-metadata';
import type { WriteRequest } from '../request';
import { toStoredVersion } from '../version-conversion';
import type { CanonicalAttempt, DecodedChange, DecodedAttempt, PreparedAttempt, StampedAttempt } from './attempt';
import { whenDone, addFacts, type StepExecution } from './step';

const NONE: readonly FieldError[] = [];

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
    const errors = info.strategy.prepareForAllocation?.(object, old, execution.deps.strategyContext(request)) ?? NONE;
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
    const rules = updateRulesOf(request);
    runStages(rules?.stages ?? UPDATE.change, { info, rules, object, old, context: strategyContext });
    refuseSpellingConflicts(info, object, old);
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

/** Validates a new object without admission and warnings. Throws 422. */
export function validateCreation(info: ResourceInfo, object: JsonObject, context: StrategyContext): void {
  runStages(info.strategy.createStages ?? CREATE.usual, { info, rules: undefined, object, old: undefined, context });
  // Like rest.BeforeCreate, which checks after the rules of the kind that the name fits into a path.
  const name = stringAt(readMetadata(object), 'name') ?? '';
  const errors = checkPathSegment(name).map((text) => invalidValue('metadata.name', name, text));
  if (errors.length > 0) throw invalidObject(info, object, errors);
  refuseSpellingConflicts(info, object, undefined);
}

/** What the stages validate. */
interface ValidatedObject {
  readonly info: ResourceInfo;
  /** The rules of the endpoint; `undefined` on create, and when the kind has none. */
  readonly rules: UpdateRules | undefined;
  readonly object: JsonObject;
  /** `undefined` on create. */
  readonly old: JsonObject | undefined;
  readonly context: StrategyContext;
}

/**
 * Validates each stage once, but reports its errors as often as it occurs. Throws after the first group with errors.
 */
function runStages(stages: Stages, validated: ValidatedObject): void {
  const validateStage = stageValidator(validated);
  for (const group of stages) {
    let errorsByStage: Map<Stage, readonly FieldError[]> | undefined;
    for (let index = 0; index < group.length; index += 1) {
      const stage = group[index];
      if (stage === undefined || group.indexOf(stage) !== index) continue;
      const errors = withBoundedErrors(() => validateStage(stage));
      if (errors.length > 0) errorsByStage = (errorsByStage ?? new Map<Stage, readonly FieldError[]>()).set(stage, errors);
    }
    if (errorsByStage === undefined) continue;
    const reported = group.map((stage) => errorsByStage.get(stage) ?? NONE).filter(({ length }) => length > 0);
    const [first = NONE] = reported;
    throw invalidObject(validated.info, validated.object, reported.length === 1 ? first : reported.flat());
  }
}

type StageValidator = (stage: Stage) => readonly FieldError[];

function stageValidator({ info, rules, object, old, context }: ValidatedObject): StageValidator {
  const metadata = readMetadata(object);
  const { strategy } = info;
  // The stage `changed-metadata` finds no errors if `metadata` finds none.
  let isMetadataValid = false;
  return (stage) => {
    switch (stage) {
      case 'metadata': {
        const errors = old === undefined ? validateMetadata(metadata, nameRules(info, object)) : validateMutableMetadata(metadata);
        isMetadataValid = errors.length === 0;
        return errors;
      }
      case 'changed-metadata':
        return isMetadataValid ? NONE : validateMutableMetadata(metadata, { finalizers: 'unchecked' });
      case 'path-prefix':
        return validateGenerateName(metadata, checkPathSegmentPrefix);
      case 'name-prefix':
        return old === undefined ? NONE : validateGenerateName(metadata, nameRules(info, object).generateName);
      case 'metadata-change':
        return old === undefined ? NONE : validateMetadataChange(metadata, readMetadata(old));
      case 'finalizers':
        return info.requiresQualifiedFinalizers ? unqualifiedFinalizersErrors(metadata) : NONE;
      case 'early':
        return strategy.validateEarly?.(object, old, context) ?? NONE;
      case 'object':
        return strategy.validate?.(object, old, context) ?? NONE;
      case 'change':
        return old === undefined ? NONE : (rules?.validate?.(object, old, context) ?? NONE);
    }
  };
}

/** Throws 422 when labels or annotations have both spellings of a name with different values. */
function refuseSpellingConflicts(info: ResourceInfo, object: JsonObject, old: JsonObject | undefined): void {
  const errors = spellingErrors(object, old, info.hubCodec.metadataFields);
  if (errors.length > 0) throw invalidObject(info, object, errors);
}

/** The name format of the kind, and its rules for the name of this object. */
function nameRules({ metadataRules, strategy }: ResourceInfo, object: JsonObject): MetadataRules {
  if (strategy.validateName === undefined) return metadataRules;
  const withKindRules =
    (format: NameCheck): NameCheck =>
    (name) => [...format(name), ...(strategy.validateName?.(object, name) ?? [])];
  return { ...metadataRules, name: withKindRules(metadataRules.name), generateName: withKindRules(metadataRules.generateName) };
}

function invalidObject(info: ResourceInfo, object: JsonObject, errors: readonly FieldError[]): Error {
  return invalid({ group: info.hub.group, kind: info.row.kind }, stringAt(readMetadata(object), 'name') ?? '', errors);
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
