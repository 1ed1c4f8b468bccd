/**
 * Decides the actions of one sync of a Job: the pods to create, to delete and to count, and its outcome. A pod is counted
 * once, because its finalizer is removed only after the status lists it. Pure; executing the actions is left to
 * job-writer.ts.
 */
import { isBeingDeleted } from '../../shared/client/rest/api-object';
import { appendAll } from '../../shared/values/append';
import { conditionStatus } from '../runtime/conditions';
import { compareNames } from '../runtime/pods';
import type { Pod } from '../../shared/client/rest/typed-objects';
import { sortForDeletion } from '../workload/pod-activity';
import { backOffMs } from './back-off-store';
import { absentIndexes, hasIndex, indexCount, unionOf, withIndexes } from './index-intervals';
import { hasTrackingFinalizer, numberAnnotation } from './job';
import { INTERIM_CONDITIONS, msUntilActiveDeadline, outcomeOf, type JobOutcome } from './job-outcome';
import { addUncounted, type PodCounters } from './pod-counters';
import { isPodFailed, isPodSucceeded, isPodTerminating } from './pod-phase';
import type { NewPod } from './pod-template';
import {
  completionIndexOf,
  indexesOf,
  newSyncContext,
  previousFailures,
  succeededCount,
  type FailedPod,
  type SyncContext,
  type SyncInput,
} from './sync-context';

/** The most pods that one sync creates or deletes, and the most uids in `status.uncountedTerminatedPods`. */
export const MAX_PODS_PER_SYNC = 500;

/** The actions of one sync, and the state that they were decided from. */
export interface JobActions {
  readonly context: SyncContext;
  /** Undefined while the Job continues. */
  readonly outcome: JobOutcome | undefined;
  /** With the pods that become uncounted now. */
  readonly counters: PodCounters;
  /** The status must be written before finalizers are removed. */
  readonly needsStatusFirst: boolean;
  readonly podsToDelete: readonly Pod[];
  /** The pods to remove the tracking finalizer from. */
  readonly podsToUntrack: readonly Pod[];
  readonly podsToCreate: readonly NewPod[];
  /**
   * After how long the Job must be synced again, although no object changes; 0 when pods are left for the next sync.
   * Undefined when time alone changes nothing.
   */
  readonly requeueAfterMs: number | undefined;
}

/** Called for Jobs without the condition Complete or Failed. */
export function reconcileJob(input: SyncInput): JobActions {
  const context = newSyncContext(input);
  const outcome = outcomeOf(context);
  const { podsToDelete, podsToCreate, requeueAfterMs } = manageJob(context, outcome);
  const tracking = trackFinishedPods(context, outcome);
  const isOutcomeNew = outcome !== undefined && conditionStatus(input.job.body, INTERIM_CONDITIONS[outcome.condition]) !== 'True';
  const deletedTracked = podsToDelete.filter((pod) => hasTrackingFinalizer(pod) && !input.untracked.has(pod.uid));
  const podsToUntrack = uniquePods([...tracking.podsToUntrack, ...deletedTracked]);
  const deadline = outcome === undefined ? msUntilActiveDeadline(context) : undefined;
  const delays = [requeueAfterMs, deadline, tracking.hasMore ? 0 : undefined].filter((ms) => ms !== undefined);
  return {
    context,
    outcome,
    counters: tracking.counters,
    needsStatusFirst: tracking.needsStatusFirst || (isOutcomeNew && podsToUntrack.length > 0),
    podsToDelete,
    podsToUntrack,
    podsToCreate,
    requeueAfterMs: delays.length === 0 ? undefined : Math.min(...delays),
  };
}

const uniquePods = (pods: readonly Pod[]): readonly Pod[] => [...new Map(pods.map((pod) => [pod.uid, pod])).values()];

/** Which finished pods this sync counts. */
interface Tracking {
  readonly counters: PodCounters;
  readonly podsToUntrack: readonly Pod[];
  readonly needsStatusFirst: boolean;
  /** Pods are left for the next sync. */
  readonly hasMore: boolean;
}

/** At most {@link MAX_PODS_PER_SYNC} pods are uncounted, and at most as many lose the finalizer without being counted. */
function trackFinishedPods(context: SyncContext, outcome: JobOutcome | undefined): Tracking {
  const { input, spec, counters, tracked } = context;
  const uncounted = new Set([...counters.uncounted.succeeded, ...counters.uncounted.failed]);
  const alreadyUncounted = tracked.filter(({ uid }) => uncounted.has(uid));
  const succeeded: Pod[] = [];
  const failed: Pod[] = [];
  /** Pods that lose the finalizer without being counted. */
  const notCounted: Pod[] = [];
  // The successes of an Indexed Job are counted by its completed indexes.
  for (const pod of context.newSucceeded) (spec.isIndexed ? notCounted : succeeded).push(pod);
  // Pods that terminate because the Job is being deleted have not failed.
  const isJobDeleted = isBeingDeleted(input.job);
  for (const { pod, action } of failedPodsToTrack(context, outcome)) {
    (action.type === 'ignore' || (isJobDeleted && isPodTerminating(pod)) ? notCounted : failed).push(pod);
  }
  if (outcome !== undefined) {
    const unfinished = tracked.filter((pod) => !uncounted.has(pod.uid) && !isPodSucceeded(pod) && !isPodFailed(pod, spec));
    for (const pod of unfinished) (outcome.condition === 'Failed' ? failed : notCounted).push(pod);
  }
  if (isJobDeleted && spec.onlyReplacesFailedPods) appendAll(notCounted, tracked.filter(isPodTerminating));
  // The status of the Job lists the uids in this order.
  succeeded.sort(compareNames);
  failed.sort(compareNames);
  const room = Math.max(0, MAX_PODS_PER_SYNC - uncounted.size);
  const succeededNow = succeeded.slice(0, room);
  const failedNow = failed.slice(0, Math.max(0, room - succeeded.length));
  const notCountedNow = notCounted.slice(0, MAX_PODS_PER_SYNC);
  return {
    counters: addUncounted(
      counters,
      succeededNow.map(({ uid }) => uid),
      failedNow.map(({ uid }) => uid),
    ),
    podsToUntrack: [...alreadyUncounted, ...succeededNow, ...failedNow, ...notCountedNow],
    needsStatusFirst: succeededNow.length + failedNow.length > 0 || (spec.isIndexed && notCountedNow.length > 0),
    hasMore: succeededNow.length < succeeded.length || failedNow.length < failed.length || notCountedNow.length < notCounted.length,
  };
}

/**
 * A pod of `delayedDeletion` keeps its finalizer until its replacement exists. It gets no replacement when the Job ends or
 * is being deleted, so that it is tracked as any other failed pod.
 */
function failedPodsToTrack({ input, newFailed, delayedDeletion }: SyncContext, outcome: JobOutcome | undefined): readonly FailedPod[] {
  return outcome === undefined && !isBeingDeleted(input.job) ? newFailed : [...newFailed, ...delayedDeletion.values()];
}

type PodActions = Pick<JobActions, 'podsToDelete' | 'podsToCreate' | 'requeueAfterMs'>;

const NO_ACTIONS: PodActions = { podsToDelete: [], podsToCreate: [], requeueAfterMs: undefined };

/** The pods to create or delete, so that as many are active as the Job needs. */
function manageJob(context: SyncContext, outcome: JobOutcome | undefined): PodActions {
  const { input, spec, active, terminating } = context;
  if (input.isInformerBehind || isBeingDeleted(input.job)) return NO_ACTIONS;
  if (outcome !== undefined || spec.isSuspended) return { ...NO_ACTIONS, podsToDelete: active.slice(0, MAX_PODS_PER_SYNC) };
  const wanted = wantedActivePods(context);
  const surplus = surplusPods(context, active.length - wanted);
  if (surplus.length > 0) return { ...NO_ACTIONS, podsToDelete: surplus.slice(0, MAX_PODS_PER_SYNC) };
  // Terminating pods are replaced only when they have terminated.
  const missing = wanted - active.length - (spec.onlyReplacesFailedPods ? terminating.length : 0);
  return missing <= 0 ? NO_ACTIONS : createPods(context, Math.min(missing, MAX_PODS_PER_SYNC));
}

/** The number of pods that should be active. */
function wantedActivePods(context: SyncContext): number {
  const { spec, active, failedIndexes } = context;
  const succeeded = succeededCount(context);
  if (spec.completions === undefined) return succeeded > 0 ? Math.min(active.length, spec.parallelism) : spec.parallelism;
  return Math.max(0, Math.min(spec.parallelism, spec.completions - succeeded - indexCount(failedIndexes)));
}

/**
 * `count` pods in the order in which they are deleted. Of an Indexed Job, the unneeded pods come first, and all of them are
 * returned even if `count` is smaller: those without an index, with a finished index, or with the index of a needed pod.
 */
function surplusPods({ input, spec, indexBound, active, succeededIndexes, failedIndexes }: SyncContext, count: number): readonly Pod[] {
  if (!spec.isIndexed && count <= 0) return [];
  const sorted = sortForDeletion(active, active, input.now);
  if (!spec.isIndexed) return sorted.slice(0, count);
  const isFinished = (index: number): boolean => hasIndex(succeededIndexes, index) || hasIndex(failedIndexes, index);
  const seen = new Set<number>();
  const unneeded: Pod[] = [];
  const needed: Pod[] = [];
  // From the pod that would be deleted last: of several pods with one index, it is the needed one.
  for (const pod of sorted.toReversed()) {
    const index = completionIndexOf(pod, indexBound);
    const isNeeded = index !== undefined && !seen.has(index) && !isFinished(index);
    (isNeeded ? needed : unneeded).push(pod);
    if (index !== undefined) seen.add(index);
  }
  return [...unneeded, ...needed.reverse().slice(0, Math.max(0, count - unneeded.length))];
}

const PLAIN_POD: NewPod = { index: undefined, failures: undefined, ignoredFailures: 0 };

/** Creates nothing while the back-off of the Job lasts; with `backoffLimitPerIndex` each index has a back-off of its own. */
function createPods(context: SyncContext, count: number): PodActions {
  const { input, spec } = context;
  if (spec.backoffLimitPerIndex !== undefined) return createPodsPerIndex(context, count);
  if (input.backOffMs > 0) return { ...NO_ACTIONS, requeueAfterMs: input.backOffMs };
  if (!spec.isIndexed) return { ...NO_ACTIONS, podsToCreate: Array.from({ length: count }, () => PLAIN_POD) };
  const podsToCreate: NewPod[] = [];
  for (const index of pendingIndexes(context)) {
    if (podsToCreate.length === count) break;
    podsToCreate.push({ ...PLAIN_POD, index });
  }
  return { ...NO_ACTIONS, podsToCreate };
}

/** Leaves out the indexes in back-off, and requeues the Job for the first that ends. */
function createPodsPerIndex(context: SyncContext, count: number): PodActions {
  const { input, delayedDeletion } = context;
  const podsToCreate: NewPod[] = [];
  let requeueAfterMs: number | undefined;
  for (const index of pendingIndexes(context)) {
    if (podsToCreate.length === count) break;
    const lastFailed = delayedDeletion.get(index);
    const remaining = lastFailed === undefined ? 0 : remainingBackOffMs(lastFailed, input);
    if (remaining > 0) requeueAfterMs = Math.min(requeueAfterMs ?? Infinity, remaining);
    else podsToCreate.push(podOfIndex(index, lastFailed));
  }
  return { podsToDelete: [], podsToCreate, requeueAfterMs };
}

/** Milliseconds until the failed pod may be replaced: the back-off starts when the pod finished. */
function remainingBackOffMs({ pod }: FailedPod, { finishTime, now }: SyncInput): number {
  return Math.max(0, finishTime(pod) + backOffMs(previousFailures(pod) + 1) - now);
}

/** Carries the failures of the last failed pod over to its replacement. */
function podOfIndex(index: number, lastFailed: FailedPod | undefined): NewPod {
  if (lastFailed === undefined) return { index, failures: 0, ignoredFailures: 0 };
  const failures = numberAnnotation(lastFailed.pod, 'failures') ?? 0;
  const ignoredFailures = numberAnnotation(lastFailed.pod, 'ignored') ?? 0;
  return lastFailed.action.type === 'ignore'
    ? { index, failures, ignoredFailures: ignoredFailures + 1 }
    : { index, failures: failures + 1, ignoredFailures };
}

/**
 * The indexes that are neither finished nor have an active pod, ascending. With `onlyReplacesFailedPods` a terminating pod
 * keeps its index as well.
 */
function pendingIndexes(context: SyncContext): Iterable<number> {
  const { spec, indexBound, active, terminating, succeededIndexes, failedIndexes } = context;
  const used = indexesOf(spec.onlyReplacesFailedPods ? [...active, ...terminating] : active, indexBound);
  const unavailable = withIndexes(succeededIndexes, used);
  return absentIndexes(failedIndexes.length === 0 ? unavailable : unionOf(unavailable, failedIndexes), indexBound);
}
