/** What the spec of a Job may look like, in a Job and in the template of one. Never judges its selector. */
import { append } from '../../../../shared/values/append';
import { fieldErrorAs, invalidAs, invalidValue, notSupported, required, type FieldError } from '../../../../shared/api/errors/field-error';
import { objectAt, own, stringAt, type JsonObject } from '../../../../shared/values/json';
import { negativeErrors } from '../../rules/field-rules';
import { checkPodTemplate } from '../../core/pod-template/pod-template';
import { failurePolicyErrors } from './failure-policy';
import { successPolicyErrors } from './success-policy';

const MOST_INDEXES = 100_000;
const MOST_WITH_MANY_INDEXES = 10_000;
const MODES = ['NonIndexed', 'Indexed'];
const NUMBERS = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
];

/** `place` = the path of the spec. */
export function jobSpecErrors(spec: JsonObject, place: string): readonly FieldError[] {
  const failurePolicy = objectAt(spec, 'podFailurePolicy');
  const successPolicy = objectAt(spec, 'successPolicy');
  const errors = [
    ...negativeErrors(spec, place, NUMBERS.slice(0, -1)),
    ...perIndexErrors(spec, place),
    ...modeErrors(spec, place),
    ...(failurePolicy === undefined ? [] : failurePolicyErrors(spec, failurePolicy, `${place}.podFailurePolicy`)),
    ...(successPolicy === undefined ? [] : successPolicyErrors(spec, successPolicy, `${place}.successPolicy`)),
    ...replacementErrors(spec, failurePolicy !== undefined, `${place}.podReplacementPolicy`),
  ];
  checkPodTemplate(objectAt(spec, 'template') ?? {}, `${place}.template`, errors);
  append(errors, restartErrors(spec, failurePolicy !== undefined, `${place}.template.spec.restartPolicy`));
  return errors;
}

export const isIndexed = (spec: JsonObject): boolean => own(spec, 'completionMode') === 'Indexed';

/** A number member; undefined when it is absent. */
export function setNumber(object: JsonObject, member: string): number | undefined {
  const value = own(object, member);
  return typeof value === 'number' ? value : undefined;
}

const ONLY_INDEXED = 'requires indexed completion mode';

function perIndexErrors(spec: JsonObject, place: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const [limit, failed] = [setNumber(spec, 'backoffLimitPerIndex'), setNumber(spec, 'maxFailedIndexes')];
  if (limit !== undefined && !isIndexed(spec)) errors.push(invalidAs(`${place}.backoffLimitPerIndex`, String(limit), ONLY_INDEXED));
  if (failed === undefined) return errors;
  append(errors, negativeErrors(spec, place, ['maxFailedIndexes']));
  if (limit === undefined) errors.push(required(`${place}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified'));
  if (!isIndexed(spec)) errors.push(invalidAs(`${place}.maxFailedIndexes`, String(failed), ONLY_INDEXED));
  return errors;
}

function modeErrors(spec: JsonObject, place: string): readonly FieldError[] {
  const mode = stringAt(spec, 'completionMode');
  if (mode !== undefined && !MODES.includes(mode)) return [notSupported(`${place}.completionMode`, mode, MODES)];
  return isIndexed(spec) ? indexedErrors(spec, place) : [];
}

function indexedErrors(spec: JsonObject, place: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const [parallelism, completions] = [setNumber(spec, 'parallelism'), setNumber(spec, 'completions')];
  const failed = setNumber(spec, 'maxFailedIndexes');
  const exceeds = (member: string, value: number | undefined, most: number, when: string): void => {
    if (value !== undefined && value > most) {
      errors.push(invalidAs(`${place}.${member}`, String(value), `must be less than or equal to ${most}${when}`));
    }
  };
  if (completions === undefined) errors.push(required(`${place}.completions`, 'when completion mode is Indexed'));
  exceeds('parallelism', parallelism, MOST_INDEXES, ' when completion mode is Indexed');
  if (failed !== undefined && completions !== undefined && failed > completions) {
    errors.push(invalidAs(`${place}.maxFailedIndexes`, String(failed), 'must be less than or equal to completions'));
  }
  exceeds('maxFailedIndexes', failed, MOST_INDEXES, '');
  if (completions !== undefined && completions > MOST_INDEXES && setNumber(spec, 'backoffLimitPerIndex') !== undefined) {
    const many = ` when completions are above ${MOST_INDEXES} and used with backoff limit per index`;
    if (failed === undefined) {
      errors.push(required(`${place}.maxFailedIndexes`, `must be specified when completions is above ${MOST_INDEXES}`));
    }
    exceeds('parallelism', parallelism, MOST_WITH_MANY_INDEXES, many);
    exceeds('maxFailedIndexes', failed, MOST_WITH_MANY_INDEXES, many);
  }
  return errors;
}

const REPLACEMENTS = ['Failed', 'TerminatingOrFailed'];

/** Whoever counts failures has to see them before a Pod is replaced. */
function replacementErrors(spec: JsonObject, countsFailures: boolean, field: string): readonly FieldError[] {
  const policy = stringAt(spec, 'podReplacementPolicy');
  const supported = countsFailures ? ['Failed'] : REPLACEMENTS;
  return policy === undefined || supported.includes(policy) ? [] : [notSupported(field, policy, supported)];
}

function restartErrors(spec: JsonObject, countsFailures: boolean, field: string): readonly FieldError[] {
  const policy = stringAt(objectAt(objectAt(spec, 'template'), 'spec'), 'restartPolicy') ?? '';
  switch (policy) {
    case 'Never':
      return [];
    case 'OnFailure':
      return countsFailures ? [invalidValue(field, policy, 'only "Never" is supported when podFailurePolicy is specified')] : [];
    case '':
    case 'Always':
      return [required(field, 'valid values: "OnFailure", "Never"')];
    default:
      return [fieldErrorAs('FieldValueNotSupported', field, JSON.stringify(policy), 'supported values: "OnFailure", "Never"')];
  }
}

export function manyIndexesWarnings(spec: JsonObject, place: string): readonly string[] {
  const isMany = (setNumber(spec, 'completions') ?? 0) > MOST_INDEXES && (setNumber(spec, 'parallelism') ?? 0) > MOST_WITH_MANY_INDEXES;
  if (!isIndexed(spec) || !isMany) return [];
  const many = 'a number of completions higher than 10^5 and a parallelism higher than 10^4';
  return [
    `${place}: In Indexed Jobs with ${many}, Kubernetes might not be able to track completedIndexes when a big number of indexes fail`,
  ];
}
