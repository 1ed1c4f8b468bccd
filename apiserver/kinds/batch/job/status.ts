/** What a Job may say of itself: counts, Pods that are not counted yet, and conditions that exclude each other. */
import { duplicateValue, invalidShownValue, invalidValue, type FieldError } from '../../../../shared/api/errors/field-error';
import type { Errors } from '../../rules/checks';
import { checkNotNegative } from '../../rules/numbers';
import type { BatchV1Job, BatchV1JobStatus, BatchV1UncountedTerminatedPods } from '../../../../shared/api/types/generated/members';

const COUNTS = ['active', 'succeeded', 'failed', 'ready', 'terminating'] as const;
/** What a Job whose success is certain cannot become. */
const EXCLUDED = ['Failed', 'FailureTarget'];

export function validateJobStatus({ status = {} }: BatchV1Job, old: BatchV1Job): readonly FieldError[] {
  const errors: Errors = [];
  for (const member of COUNTS) checkNotNegative(status, member, 'status', errors);
  checkUncounted(status.uncountedTerminatedPods ?? {}, errors);
  checkConditions(status, old.status ?? {}, errors);
  return errors;
}

function checkUncounted(uncounted: BatchV1UncountedTerminatedPods, errors: Errors): void {
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
  const refuse = (text: string): void => {
    errors.push(invalidShownValue('status.conditions', '', text));
  };
  if (!holds(status, 'SuccessCriteriaMet')) {
    if (holds(old, 'SuccessCriteriaMet')) refuse('cannot disable the SuccessCriteriaMet=True condition');
    return;
  }
  for (const type of EXCLUDED) if (holds(status, type)) refuse(`cannot set SuccessCriteriaMet=True and ${type}=true conditions`);
}

const holds = ({ conditions = [] }: BatchV1JobStatus, wanted: string): boolean =>
  conditions.some(({ type, status }) => type === wanted && status === 'True');
