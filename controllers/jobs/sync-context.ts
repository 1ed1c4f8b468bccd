/**
 * The state that one sync of a Job decides from: its pods classified as active, terminating, or finished and not
 * counted yet, and its counters and indexes. The functions are pure.
 */
import { compareNames } from '../runtime/pods';
import type { Pod, Job } from '../../shared/client/rest/typed-objects';
import { isPodActive } from '../workload/pod-activity';
import { hasIndex, indexCount, parseIndexes, withIndexes, type OrderedIntervals } from './index-intervals';
import { hasTrackingFinalizer, numberAnnotation } from './job';
import { jobSpecOf, type JobSpec } from './job-spec';
import { podCountersOf, type PodCounters } from './pod-counters';
import { matchPodFailurePolicy, type PodFailureAction } from './pod-failure-policy';
import { isPodFailed, isPodSucceeded, isPodTerminating } from './pod-phase';

/** A Job with its pods, and what this process knows beyond the informers. */
export interface SyncInput {
  readonly job: Job;
  /** The pods that the Job controls, in any order. */
  readonly pods: readonly Pod[];
  /** Uids of pods that this process has removed the finalizer from. `pods` may still show them with it. */
  readonly untracked: ReadonlySet<string>;
  /** `pods` lacks creations or deletions that this process has requested. */
  readonly isInformerBehind: boolean;
  /** Milliseconds until failed pods may be replaced. */
  readonly backOffMs: number;
  /** When a pod finished: milliseconds since 1970. */
  readonly finishTime: (pod: Pod) => number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** A failed pod, and what its failure means by the pod failure policy. */
export interface FailedPod {
  readonly pod: Pod;
  readonly action: PodFailureAction;
  /** Undefined for a pod without an index below `completions`. */
  readonly index: number | undefined;
}

/** The classification of the pods of one {@link SyncInput}. */
export interface SyncContext {
  readonly input: SyncInput;
  readonly spec: JobSpec;
  /** The indexes of an Indexed Job are below this; 0 for other Jobs. */
  readonly indexBound: number;
  readonly active: readonly Pod[];
  readonly terminating: readonly Pod[];
  /** Pods with the tracking finalizer, without those of `untracked`. */
  readonly tracked: readonly Pod[];
  /** Tracked pods that are not in `status.uncountedTerminatedPods` yet. */
  readonly newSucceeded: readonly Pod[];
  /** Likewise, without those of `delayedDeletion`. */
  readonly newFailed: readonly FailedPod[];
  /**
   * The last failed pod of each index that is to be retried. Its annotations hold the failure count of the index, so it
   * keeps the finalizer until the replacement exists.
   */
  readonly delayedDeletion: ReadonlyMap<number, FailedPod>;
  /** The counters of the status, with the uncounted pods counted that have lost the finalizer since. */
  readonly counters: PodCounters;
  /** Including `newSucceeded`. */
  readonly succeededIndexes: OrderedIntervals;
  /** Including those that the failures of this sync end; empty without `backoffLimitPerIndex`. */
  readonly failedIndexes: OrderedIntervals;
}

/** Classifies each pod once. Pods without the tracking finalizer, and those of `untracked`, are not counted again. */
export function newSyncContext(input: SyncInput): SyncContext {
  const { job, pods, untracked } = input;
  const spec = jobSpecOf(job);
  const indexBound = spec.isIndexed ? (spec.completions ?? 0) : 0;
  const tracked = pods.filter((pod) => hasTrackingFinalizer(pod) && !untracked.has(pod.uid));
  const counters = podCountersOf(job, new Set(tracked.map(({ uid }) => uid)));
  const uncounted = new Set([...counters.uncounted.succeeded, ...counters.uncounted.failed]);
  const newlyTracked = tracked.filter(({ uid }) => !uncounted.has(uid));
  const newSucceeded = newlyTracked.filter(isPodSucceeded);
  const { completedIndexes = '', failedIndexes: knownFailed = '' } = job.body.status ?? {};
  const succeededIndexes = withIndexes(parseIndexes(completedIndexes, indexBound), indexesOf(newSucceeded, indexBound));
  const allFailed = newlyTracked
    .filter((pod) => isPodFailed(pod, spec))
    // The status of the Job names the first of several failures.
    .sort(compareNames)
    .map((pod): FailedPod => ({ pod, action: failureActionOf(job, spec, pod), index: completionIndexOf(pod, indexBound) }));
  const newFailedIndexes = allFailed.flatMap(({ pod, action, index }) =>
    index !== undefined && !hasIndex(succeededIndexes, index) && failsIndex(spec, pod, action) ? [index] : [],
  );
  const failedIndexes = spec.backoffLimitPerIndex === undefined ? [] : withIndexes(parseIndexes(knownFailed, indexBound), newFailedIndexes);
  const isRetried = (index: number): boolean =>
    spec.backoffLimitPerIndex !== undefined && !hasIndex(failedIndexes, index) && !hasIndex(succeededIndexes, index);
  const delayedDeletion = podsWithDelayedDeletion(allFailed, pods, isRetried);
  const active = pods.filter(isPodActive);
  const terminating = pods.filter(isPodTerminating);
  const newFailed = allFailed.filter((failed) => failed.index === undefined || delayedDeletion.get(failed.index) !== failed);
  return {
    input,
    spec,
    indexBound,
    active,
    terminating,
    tracked,
    newSucceeded,
    newFailed,
    delayedDeletion,
    counters,
    succeededIndexes,
    failedIndexes,
  };
}

function failureActionOf(job: Job, { hasPodFailurePolicy }: JobSpec, pod: Pod): PodFailureAction {
  return hasPodFailurePolicy ? matchPodFailurePolicy(job, pod) : { type: 'count' };
}

/** Whether the index of the failed pod is not retried. */
function failsIndex({ backoffLimitPerIndex }: JobSpec, pod: Pod, { type }: PodFailureAction): boolean {
  if (backoffLimitPerIndex === undefined || type === 'ignore') return false;
  return type === 'fail-index' || (numberAnnotation(pod, 'failures') ?? 0) + 1 > backoffLimitPerIndex;
}

/** Undefined for a pod without an index below `indexBound`. */
export function completionIndexOf(pod: Pod, indexBound: number): number | undefined {
  const index = numberAnnotation(pod, 'index');
  return index !== undefined && index < indexBound ? index : undefined;
}

/** The indexes of the pods that have one below `indexBound`, in the order of the pods. */
export const indexesOf = (pods: readonly Pod[], indexBound: number): readonly number[] =>
  pods.map((pod) => completionIndexOf(pod, indexBound)).filter((index) => index !== undefined);

/** How many pods of the index failed before this one, ignored failures included. */
export const previousFailures = (pod: Pod): number => (numberAnnotation(pod, 'failures') ?? 0) + (numberAnnotation(pod, 'ignored') ?? 0);

/** The last failed pod of each retried index, unless a later pod of the index exists. */
function podsWithDelayedDeletion(
  failedPods: readonly FailedPod[],
  pods: readonly Pod[],
  isRetried: (index: number) => boolean,
): Map<number, FailedPod> {
  const lastFailed = new Map<number, FailedPod>();
  for (const failed of failedPods) {
    if (failed.index === undefined || !isRetried(failed.index)) continue;
    const known = lastFailed.get(failed.index);
    if (known === undefined || previousFailures(failed.pod) > previousFailures(known.pod)) lastFailed.set(failed.index, failed);
  }
  if (lastFailed.size === 0) return lastFailed;
  for (const pod of pods) {
    const index = numberAnnotation(pod, 'index');
    const failed = index === undefined ? undefined : lastFailed.get(index);
    if (index !== undefined && failed !== undefined && previousFailures(pod) > previousFailures(failed.pod)) lastFailed.delete(index);
  }
  return lastFailed;
}

/** Pods that have succeeded, those that are not counted yet included; completed indexes of an Indexed Job. */
export function succeededCount({ spec, succeededIndexes, counters, newSucceeded }: SyncContext): number {
  return spec.isIndexed ? indexCount(succeededIndexes) : counters.succeeded + counters.uncounted.succeeded.length + newSucceeded.length;
}

/** Pods that have failed, those that are not counted yet included, and ignored ones left out. */
export function failedCount({ counters, newFailed, delayedDeletion }: SyncContext): number {
  const newlyFailed = [...newFailed, ...delayedDeletion.values()].filter(({ action }) => action.type !== 'ignore');
  return counters.failed + counters.uncounted.failed.length + newlyFailed.length;
}
