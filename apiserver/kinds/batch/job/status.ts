/**
 * Validates status updates of Jobs: counts, uncounted Pods, and conditions that exclude each other. The controller
 * decides when a Job is complete.
 */
import { duplicateValue, invalidShownValue, invalidValue, type FieldError } from '../../../../shared/api/errors/field-error';
import type { Errors } from '../../rules/checks';
import { checkNonNegative } from '../../rules/numbers';
import type { BatchV1Job, BatchV1JobStatus, BatchV1UncountedTerminatedPods } from '../../../../shared/api/types/generated/members';

const COUNTS = ['active', 'succeeded', 'failed', 'ready', 'terminating'] as const;
/** Conditions that exclude SuccessCriteriaMet. */
const FAILURE_CONDITIONS = ['Failed', 'FailureTarget'];

export function validateJobStatus({ status = {} }: BatchV1Job, old: BatchV1Job): readonly FieldError[] {
  const errors: Errors = [];
  for (const member of COUNTS) checkNonNegative(status, member, 'status', errors);
  checkUncountedPods(status.uncountedTerminatedPods ?? {}, errors);
  checkConditions(status, old.status ?? {}, errors);
  return errors;
}

function checkUncountedPods(uncounted: BatchV1UncountedTerminatedPods, errors: Errors): void {
  const seen = new Set<string>();
  for (const member of ['succeeded', 'failed'] as const) {
    uncounted[member]?.forEach((uid, index) => {
      const field = `status.uncountedTerminatedPods.${member}[${index}]`;
      if (uid === '') errors.push(invalidValue(field, uid, 'must not be empty'));
      else if (seen.has(uid)) errors.push(duplicateValue(field, uid));
      seen.add(uid);
    });
  }
}

function checkConditions(status: BatchV1JobStatus, old: BatchV1JobStatus, errors: Errors): void {
  const addError = (text: string): void => {
    errors.push(invalidShownValue('status.conditions', '', text));
  };
  if (!isConditionTrue(status, 'SuccessCriteriaMet')) {
    if (isConditionTrue(old, 'SuccessCriteriaMet')) addError('cannot disable the SuccessCriteriaMet=True condition');
    return;
  }
  for (const type of FAILURE_CONDITIONS) {
    if (isConditionTrue(status, type)) addError(`cannot set SuccessCriteriaMet=True and ${type}=true conditions`);
  }
}

const isConditionTrue = ({ conditions = [] }: BatchV1JobStatus, conditionType: string): boolean =>
  conditions.some(({ type, status }) => type === conditionType && status === 'True');
