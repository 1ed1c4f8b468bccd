/**
 * Validates the specs of Jobs and of the templates of CronJobs, except the selector: selector.ts validates that of a Job,
 * and cron-job.ts that of a template. The files beside this one validate the policies.
 */
import {
  createFieldError,
  invalidShownValue,
  invalidValue,
  longerThanLimit,
  requiredValue,
} from '../../../../shared/api/errors/field-error';
import { checkEnum, type Errors } from '../../rules/checks';
import { checkDomainPrefixedPath } from '../../rules/domain-prefixed-path';
import { checkNonNegative } from '../../rules/numbers';
import { checkPodTemplate } from '../../core/pod-template/pod-template';
import { checkPodFailurePolicy } from './failure-policy';
import { checkSuccessPolicy } from './success-policy';
import type { BatchV1JobSpec } from '../../../../shared/api/types/generated/members';

/** Limit for the parallelism and the failed indexes of an indexed Job. */
const MAX_INDEXES = 100_000;
/**
 * Limit for the parallelism and the failed indexes of a Job with more than {@link MAX_INDEXES} completions and a
 * back-off limit per index.
 */
const MAX_WITH_MANY_INDEXES = 10_000;
const NON_INDEXED = 'NonIndexed';
const COMPLETION_MODES = [NON_INDEXED, 'Indexed'];
const NON_NEGATIVE_MEMBERS = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
] as const;

const REPLACEMENT_POLICIES = ['Failed', 'TerminatingOrFailed'];

/**
 * Checks the ranges of single members before rules about several members, in the order of upstream's errors. `fieldPath`
 * is the path of the spec.
 */
export function checkJobSpec(spec: BatchV1JobSpec, fieldPath: string, errors: Errors): void {
  const { podFailurePolicy, successPolicy, template = {} } = spec;
  for (const member of NON_NEGATIVE_MEMBERS) checkNonNegative(spec, member, fieldPath, errors);
  checkBackoffLimitPerIndex(spec, fieldPath, errors);
  checkManagedBy(spec.managedBy, `${fieldPath}.managedBy`, errors);
  checkEnum(spec, 'completionMode', fieldPath, COMPLETION_MODES, errors);
  if (isIndexed(spec)) checkIndexed(spec, fieldPath, errors);
  if (podFailurePolicy !== undefined) checkPodFailurePolicy(spec, podFailurePolicy, `${fieldPath}.podFailurePolicy`, errors);
  if (successPolicy !== undefined) checkSuccessPolicy(spec, successPolicy, `${fieldPath}.successPolicy`, errors);
  // With a failure policy, a Pod must have failed before it is replaced.
  checkEnum(spec, 'podReplacementPolicy', fieldPath, podFailurePolicy === undefined ? REPLACEMENT_POLICIES : ['Failed'], errors);
  checkPodTemplate(template, `${fieldPath}.template`, errors);
  checkRestartPolicy(spec, `${fieldPath}.template.spec.restartPolicy`, errors);
}

export const isIndexed = (spec: BatchV1JobSpec): boolean => spec.completionMode === 'Indexed';

const ONLY_INDEXED = 'requires indexed completion mode';

function checkBackoffLimitPerIndex(spec: BatchV1JobSpec, fieldPath: string, errors: Errors): void {
  const { backoffLimitPerIndex: limit, maxFailedIndexes: failed } = spec;
  // False for an unknown mode, which has an error of its own.
  const isNonIndexed = (spec.completionMode ?? NON_INDEXED) === NON_INDEXED;
  if (limit !== undefined && isNonIndexed) errors.push(invalidShownValue(`${fieldPath}.backoffLimitPerIndex`, String(limit), ONLY_INDEXED));
  if (failed === undefined) return;
  if (limit === undefined) errors.push(requiredValue(`${fieldPath}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified'));
  if (isNonIndexed) errors.push(invalidShownValue(`${fieldPath}.maxFailedIndexes`, String(failed), ONLY_INDEXED));
}

const MAX_MANAGED_BY_LENGTH = 63;

function checkManagedBy(name: string | undefined, field: string, errors: Errors): void {
  if (name === undefined) return;
  checkDomainPrefixedPath(name, field, errors);
  if (Buffer.byteLength(name) > MAX_MANAGED_BY_LENGTH) errors.push(longerThanLimit(field, MAX_MANAGED_BY_LENGTH));
}

function checkIndexed(spec: BatchV1JobSpec, fieldPath: string, errors: Errors): void {
  const { completions, maxFailedIndexes: failed } = spec;
  const checkMax = (member: 'parallelism' | 'maxFailedIndexes', max: number, condition: string): void => {
    const value = spec[member];
    if (value === undefined || value <= max) return;
    errors.push(invalidShownValue(`${fieldPath}.${member}`, String(value), `must be less than or equal to ${max}${condition}`));
  };
  if (completions === undefined) errors.push(requiredValue(`${fieldPath}.completions`, 'when completion mode is Indexed'));
  checkMax('parallelism', MAX_INDEXES, ' when completion mode is Indexed');
  if (failed !== undefined && completions !== undefined && failed > completions) {
    errors.push(invalidShownValue(`${fieldPath}.maxFailedIndexes`, String(failed), 'must be less than or equal to completions'));
  }
  checkMax('maxFailedIndexes', MAX_INDEXES, '');
  if (completions === undefined || completions <= MAX_INDEXES || spec.backoffLimitPerIndex === undefined) return;
  const condition = ` when completions are above ${MAX_INDEXES} and used with backoff limit per index`;
  if (failed === undefined) {
    errors.push(requiredValue(`${fieldPath}.maxFailedIndexes`, `must be specified when completions is above ${MAX_INDEXES}`));
  }
  checkMax('parallelism', MAX_WITH_MANY_INDEXES, condition);
  checkMax('maxFailedIndexes', MAX_WITH_MANY_INDEXES, condition);
}

function checkRestartPolicy({ template, podFailurePolicy }: BatchV1JobSpec, field: string, errors: Errors): void {
  const policy = template?.spec?.restartPolicy ?? '';
  switch (policy) {
    case 'Never':
      return;
    case 'OnFailure':
      if (podFailurePolicy !== undefined) {
        errors.push(invalidValue(field, policy, 'only "Never" is supported when podFailurePolicy is specified'));
      }
      return;
    case '':
    case 'Always':
      errors.push(requiredValue(field, 'valid values: "OnFailure", "Never"'));
      return;
    default:
      errors.push(createFieldError('FieldValueNotSupported', field, JSON.stringify(policy), 'supported values: "OnFailure", "Never"'));
  }
}

/** Warns about indexed Jobs with more indexes than the controller may be able to track. */
export function manyIndexesWarnings(spec: BatchV1JobSpec, fieldPath: string): readonly string[] {
  const { completions = 0, parallelism = 0 } = spec;
  if (!isIndexed(spec) || completions <= MAX_INDEXES || parallelism <= MAX_WITH_MANY_INDEXES) return [];
  const condition = 'a number of completions higher than 10^5 and a parallelism higher than 10^4';
  return [
    `${fieldPath}: In Indexed Jobs with ${condition}, Kubernetes might not be able to track completedIndexes when a big number of indexes fail`,
  ];
}
