/** Whether a Job is to end, how, and why. What was decided once stands. Knows no server. */
import { timeOf } from '../../shared/api/metadata/object-meta';
import type { ApiObject } from '../../shared/client/rest/api-object';
import { arrayAt, isObject, objectAt, stringAt } from '../../shared/values/json';
import type { FinishedCondition } from '../workload/finished-jobs';
import { numberAt } from '../workload/spec';
import { conditionOf } from '../runtime/conditions';
import { commonSize, parseIndexes, sizeOf } from './indexes';
import { failures, successes, type ObservedJob } from './observed';
import { mayRestart, restartsOf } from './pod-life';
import { startTimeOf } from './tally';

export interface Ending {
  readonly end: FinishedCondition;
  readonly reason: string;
  readonly message: string;
}

/** What is said before all pods are gone. */
export const BEFOREHAND: Readonly<Record<FinishedCondition, string>> = { Complete: 'SuccessCriteriaMet', Failed: 'FailureTarget' };

const failed = (reason: string, message: string): Ending => ({ end: 'Failed', reason, message });

export function endingOf(observed: ObservedJob): Ending | undefined {
  return decided(observed.view.job) ?? failureOf(observed) ?? policySuccess(observed) ?? success(observed);
}

function decided({ body }: ApiObject): Ending | undefined {
  for (const end of ['Failed', 'Complete'] as const) {
    const condition = conditionOf(body, BEFOREHAND[end]);
    if (condition?.['status'] !== 'True') continue;
    return { end, reason: stringAt(condition, 'reason') ?? '', message: stringAt(condition, 'message') ?? '' };
  }
  return undefined;
}

function failureOf(observed: ObservedJob): Ending | undefined {
  const { wishes, newFailed, held, completed, failedIndexes } = observed;
  for (const { verdict } of [...newFailed, ...held.values()]) {
    if (verdict.type === 'fail-job') return failed('PodFailurePolicy', verdict.message);
  }
  if (failures(observed) > wishes.backOffLimit || restartsTooOften(observed)) {
    return failed('BackoffLimitExceeded', 'Job has reached the specified backoff limit');
  }
  if (deadlineIn(observed) === 0) return failed('DeadlineExceeded', 'Job was active longer than specified deadline');
  const failedCount = sizeOf(failedIndexes);
  if (wishes.indexLimit === undefined || failedCount === 0) return undefined;
  if (wishes.maxFailedIndexes !== undefined && failedCount > wishes.maxFailedIndexes) {
    return failed('MaxFailedIndexesExceeded', 'Job has exceeded the specified maximal number of failed indexes');
  }
  return sizeOf(completed) + failedCount >= (wishes.completions ?? 0) ? failed('FailedIndexes', 'Job has failed indexes') : undefined;
}

/** Containers that are started again in place count as well. */
function restartsTooOften({ wishes, active }: ObservedJob): boolean {
  if (!wishes.restartsInPlace) return false;
  const restarts = active.filter(mayRestart).reduce((sum, pod) => sum + restartsOf(pod), 0);
  return restarts > 0 && restarts >= wishes.backOffLimit;
}

/** Milliseconds; undefined = it has no deadline, or its time does not run. */
export function deadlineIn({ wishes, view }: ObservedJob): number | undefined {
  const start = timeOf(startTimeOf(view.job));
  if (wishes.deadlineMs === undefined || wishes.isSuspended || start === undefined) return undefined;
  // The time before a rest does not count.
  if (conditionOf(view.job.body, 'Suspended')?.['status'] === 'True') return undefined;
  return Math.max(0, start + wishes.deadlineMs - view.now);
}

function policySuccess({ view, wishes, bound, completed }: ObservedJob): Ending | undefined {
  if (!wishes.isIndexed) return undefined;
  const policy = objectAt(objectAt(view.job.body, 'spec'), 'successPolicy');
  for (const [index, rule] of (arrayAt(policy, 'rules') ?? []).entries()) {
    if (!isObject(rule)) continue;
    const text = stringAt(rule, 'succeededIndexes');
    const wanted = text === undefined ? undefined : parseIndexes(text, bound);
    const count = numberAt(rule, 'succeededCount') ?? (wanted === undefined ? undefined : sizeOf(wanted));
    if (count === undefined || (wanted === undefined ? sizeOf(completed) : commonSize(completed, wanted)) < count) continue;
    return { end: 'Complete', reason: 'SuccessPolicy', message: `Matched rules at index ${index}` };
  }
  return undefined;
}

function success(observed: ObservedJob): Ending | undefined {
  const { view, wishes, active } = observed;
  const done = successes(observed);
  // Whoever is told to rest will have no pods.
  const isEmpty = !view.isBehind && (active.length === 0 || wishes.isSuspended);
  const isDone = wishes.completions === undefined ? done > 0 && isEmpty : done >= wishes.completions;
  return isDone ? { end: 'Complete', reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' } : undefined;
}
