/**
 * Decides whether a Job completes or fails, and why. An interim condition in the status (`SuccessCriteriaMet`,
 * `FailureTarget`) is final. The functions are pure.
 */
import { parseTimestamp } from '../../shared/api/metadata/object-meta';
import { conditionOf, conditionStatus } from '../runtime/conditions';
import type { FinishedCondition } from '../workload/finished-jobs';
import { indexCount, intersectionCount, parseIndexes } from './index-intervals';
import type { Job } from '../../shared/client/rest/typed-objects';
import { mayRestart, restartCountOf } from './pod-phase';
import { failedCount, succeededCount, type SyncContext } from './sync-context';

/** The condition that a Job ends with; `reason` and `message` are those of the condition. */
export interface JobOutcome {
  readonly condition: FinishedCondition;
  readonly reason: string;
  readonly message: string;
}

/** The condition that precedes the final one: it is set alone while pods of the Job still exist or are not counted. */
export const INTERIM_CONDITIONS: Readonly<Record<FinishedCondition, string>> = { Complete: 'SuccessCriteriaMet', Failed: 'FailureTarget' };

const failed = (reason: string, message: string): JobOutcome => ({ condition: 'Failed', reason, message });

/**
 * The outcome that is decided first: an interim one, then a failure, the success policy and the completions.
 * `undefined` while the Job continues.
 */
export function outcomeOf(context: SyncContext): JobOutcome | undefined {
  return interimOutcome(context.input.job) ?? failureOf(context) ?? matchSuccessPolicy(context) ?? completionOf(context);
}

function interimOutcome({ body }: Job): JobOutcome | undefined {
  for (const condition of ['Failed', 'Complete'] as const) {
    const interim = conditionOf(body, INTERIM_CONDITIONS[condition]);
    if (interim?.status === 'True') return { condition, reason: interim.reason ?? '', message: interim.message ?? '' };
  }
  return undefined;
}

function failureOf(context: SyncContext): JobOutcome | undefined {
  const { spec, newFailed, delayedDeletion, succeededIndexes, failedIndexes } = context;
  for (const { action } of [...newFailed, ...delayedDeletion.values()]) {
    if (action.type === 'fail-job') return failed('PodFailurePolicy', action.message);
  }
  if (failedCount(context) > spec.backoffLimit || isPastBackoffLimitOnFailure(context)) {
    return failed('BackoffLimitExceeded', 'Job has reached the specified backoff limit');
  }
  if (msUntilActiveDeadline(context) === 0) return failed('DeadlineExceeded', 'Job was active longer than specified deadline');
  const failedIndexCount = indexCount(failedIndexes);
  if (spec.backoffLimitPerIndex === undefined || failedIndexCount === 0) return undefined;
  if (spec.maxFailedIndexes !== undefined && failedIndexCount > spec.maxFailedIndexes) {
    return failed('MaxFailedIndexesExceeded', 'Job has exceeded the specified maximal number of failed indexes');
  }
  const finishedIndexCount = indexCount(succeededIndexes) + failedIndexCount;
  return finishedIndexCount >= (spec.completions ?? 0) ? failed('FailedIndexes', 'Job has failed indexes') : undefined;
}

/**
 * With `restartPolicy: OnFailure`, the Job also fails when the container restarts of its active pods alone reach the
 * limit; they are not added to the failed pods.
 */
function isPastBackoffLimitOnFailure({ spec, active }: SyncContext): boolean {
  if (!spec.restartsContainers) return false;
  const restarts = active.filter(mayRestart).reduce((sum, pod) => sum + restartCountOf(pod), 0);
  return restarts > 0 && restarts >= spec.backoffLimit;
}

/**
 * Milliseconds, 0 when `activeDeadlineSeconds` is over. `undefined` without a deadline, and while the Job is suspended
 * or not started.
 */
export function msUntilActiveDeadline({ spec, input: { job, now } }: SyncContext): number | undefined {
  const startTime = parseTimestamp(job.body.status?.startTime);
  if (spec.activeDeadlineMs === undefined || spec.isSuspended || startTime === undefined) return undefined;
  // The status still has the start time of before the suspension.
  if (conditionStatus(job.body, 'Suspended') === 'True') return undefined;
  return Math.max(0, startTime + spec.activeDeadlineMs - now);
}

function matchSuccessPolicy({ input: { job }, spec, indexBound, succeededIndexes }: SyncContext): JobOutcome | undefined {
  if (!spec.isIndexed) return undefined;
  for (const [index, rule] of (job.body.spec?.successPolicy?.rules ?? []).entries()) {
    const required = rule.succeededIndexes === undefined ? undefined : parseIndexes(rule.succeededIndexes, indexBound);
    const count = rule.succeededCount ?? (required === undefined ? undefined : indexCount(required));
    const succeeded = required === undefined ? indexCount(succeededIndexes) : intersectionCount(succeededIndexes, required);
    if (count === undefined || succeeded < count) continue;
    return { condition: 'Complete', reason: 'SuccessPolicy', message: `Matched rules at index ${index}` };
  }
  return undefined;
}

function completionOf(context: SyncContext): JobOutcome | undefined {
  const { input, spec, active } = context;
  const succeeded = succeededCount(context);
  // A suspended Job deletes its active pods.
  const hasNoPods = !input.isInformerBehind && (active.length === 0 || spec.isSuspended);
  const isComplete = spec.completions === undefined ? succeeded > 0 && hasNoPods : succeeded >= spec.completions;
  return isComplete
    ? { condition: 'Complete', reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' }
    : undefined;
}
