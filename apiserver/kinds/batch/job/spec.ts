/** What the spec of a Job may look like, in a Job and in the template of one. Never judges its selector. */
import {
  createFieldError,
  invalidShownValue,
  invalidValue,
  longerThanLimit,
  requiredValue,
} from '../../../../shared/api/errors/field-error';
import { checkChoice, type Errors } from '../../rules/checks';
import { checkDomainPath } from '../../rules/domain-path';
import { checkNotNegative } from '../../rules/numbers';
import { checkPodTemplate } from '../../core/pod-template/pod-template';
import { checkFailurePolicy } from './failure-policy';
import { checkSuccessPolicy } from './success-policy';
import type { BatchV1JobSpec } from '../../../../shared/api/types/generated/members';

const MOST_INDEXES = 100_000;
const MOST_WITH_MANY_INDEXES = 10_000;
const NON_INDEXED = 'NonIndexed';
const MODES = [NON_INDEXED, 'Indexed'];
const NUMBERS = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
] as const;

/** `place` = the path of the spec. */
export function checkJobSpec(spec: BatchV1JobSpec, place: string, errors: Errors): void {
  const { podFailurePolicy, successPolicy, template = {} } = spec;
  const countsFailures = podFailurePolicy !== undefined;
  for (const member of NUMBERS) checkNotNegative(spec, member, place, errors);
  checkPerIndex(spec, place, errors);
  checkManager(spec.managedBy, `${place}.managedBy`, errors);
  checkChoice(spec, 'completionMode', place, MODES, errors);
  if (isIndexed(spec)) checkIndexed(spec, place, errors);
  if (podFailurePolicy !== undefined) checkFailurePolicy(spec, podFailurePolicy, `${place}.podFailurePolicy`, errors);
  if (successPolicy !== undefined) checkSuccessPolicy(spec, successPolicy, `${place}.successPolicy`, errors);
  // Whoever counts failures has to see them before a Pod is replaced.
  checkChoice(spec, 'podReplacementPolicy', place, countsFailures ? ['Failed'] : REPLACEMENTS, errors);
  checkPodTemplate(template, `${place}.template`, errors);
  checkRestarts(template.spec?.restartPolicy ?? '', countsFailures, `${place}.template.spec.restartPolicy`, errors);
}

const REPLACEMENTS = ['Failed', 'TerminatingOrFailed'];

export const isIndexed = (spec: BatchV1JobSpec): boolean => spec.completionMode === 'Indexed';

const ONLY_INDEXED = 'requires indexed completion mode';

function checkPerIndex(spec: BatchV1JobSpec, place: string, errors: Errors): void {
  const { backoffLimitPerIndex: limit, maxFailedIndexes: failed } = spec;
  // Nothing is said where the mode is none of the known ones.
  const isPlain = (spec.completionMode ?? NON_INDEXED) === NON_INDEXED;
  if (limit !== undefined && isPlain) errors.push(invalidShownValue(`${place}.backoffLimitPerIndex`, String(limit), ONLY_INDEXED));
  if (failed === undefined) return;
  if (limit === undefined) errors.push(requiredValue(`${place}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified'));
  if (isPlain) errors.push(invalidShownValue(`${place}.maxFailedIndexes`, String(failed), ONLY_INDEXED));
}

const LONGEST_MANAGER = 63;

function checkManager(name: string | undefined, field: string, errors: Errors): void {
  if (name === undefined) return;
  checkDomainPath(name, field, errors);
  if (Buffer.byteLength(name) > LONGEST_MANAGER) errors.push(longerThanLimit(field, LONGEST_MANAGER));
}

function checkIndexed(spec: BatchV1JobSpec, place: string, errors: Errors): void {
  const { completions, maxFailedIndexes: failed } = spec;
  const checkMost = (member: 'parallelism' | 'maxFailedIndexes', most: number, when: string): void => {
    const value = spec[member];
    if (value === undefined || value <= most) return;
    errors.push(invalidShownValue(`${place}.${member}`, String(value), `must be less than or equal to ${most}${when}`));
  };
  if (completions === undefined) errors.push(requiredValue(`${place}.completions`, 'when completion mode is Indexed'));
  checkMost('parallelism', MOST_INDEXES, ' when completion mode is Indexed');
  if (failed !== undefined && completions !== undefined && failed > completions) {
    errors.push(invalidShownValue(`${place}.maxFailedIndexes`, String(failed), 'must be less than or equal to completions'));
  }
  checkMost('maxFailedIndexes', MOST_INDEXES, '');
  if (completions === undefined || completions <= MOST_INDEXES || spec.backoffLimitPerIndex === undefined) return;
  const many = ` when completions are above ${MOST_INDEXES} and used with backoff limit per index`;
  if (failed === undefined) {
    errors.push(requiredValue(`${place}.maxFailedIndexes`, `must be specified when completions is above ${MOST_INDEXES}`));
  }
  checkMost('parallelism', MOST_WITH_MANY_INDEXES, many);
  checkMost('maxFailedIndexes', MOST_WITH_MANY_INDEXES, many);
}

function checkRestarts(policy: string, countsFailures: boolean, field: string, errors: Errors): void {
  switch (policy) {
    case 'Never':
      return;
    case 'OnFailure':
      if (countsFailures) errors.push(invalidValue(field, policy, 'only "Never" is supported when podFailurePolicy is specified'));
      return;
    case '':
    case 'Always':
      errors.push(requiredValue(field, 'valid values: "OnFailure", "Never"'));
      return;
    default:
      errors.push(createFieldError('FieldValueNotSupported', field, JSON.stringify(policy), 'supported values: "OnFailure", "Never"'));
  }
}

export function manyIndexesWarnings(spec: BatchV1JobSpec, place: string): readonly string[] {
  const { completions = 0, parallelism = 0 } = spec;
  if (!isIndexed(spec) || completions <= MOST_INDEXES || parallelism <= MOST_WITH_MANY_INDEXES) return [];
  const many = 'a number of completions higher than 10^5 and a parallelism higher than 10^4';
  return [
    `${place}: In Indexed Jobs with ${many}, Kubernetes might not be able to track completedIndexes when a big number of indexes fail`,
  ];
}
