/**
 * What a Job is to do now: which pods it makes, does without and counts, and what its status says before and after; decided from what is seen, without a server.
 */
import { isBeingDeleted, type ApiObject } from '../../shared/client/rest/api-object';
import { append } from '../../shared/values/append';
import { sortForDeletion } from '../workload/pod-activity';
import { conditionStatus } from '../runtime/conditions';
import { backOffMs } from './back-off';
import { BEFOREHAND, deadlineIn, endingOf, type Ending } from './ending';
import { absentFrom, hasIndex, sizeOf, withIndexes } from './indexes';
import { compareNames } from '../runtime/pods';
import { annotatedCount, isTracked } from './names';
import { failuresBefore, indexesOf, indexOf, observe, successes, type FailedPod, type JobView, type ObservedJob } from './observed';
import { hasFailed, hasSucceeded, isGoing } from './pod-life';
import { withUncounted, type Tally } from './tally';

/** Pods that are asked for at a time, and pods that are written down at a time. */
export const BURST = 500;

export interface JobPlan {
  readonly observed: ObservedJob;
  readonly ending: Ending | undefined;
  /** With the pods that are written down now. */
  readonly tally: Tally;
  /** Something has to be written before finalizers are taken off. */
  readonly isRecorded: boolean;
  /** Told to go. */
  readonly removed: readonly ApiObject[];
  /** Their finalizer is taken off. */
  readonly freed: readonly ApiObject[];
  readonly made: readonly PodWish[];
  /** Milliseconds; undefined = nothing is to be done before something changes. */
  readonly againMs: number | undefined;
}

export interface PodWish {
  readonly index: number | undefined;
  /** Undefined where an index has no limit of its own. */
  readonly failures: number | undefined;
  readonly ignored: number;
}

export function planJob(view: JobView): JobPlan {
  const observed = observe(view);
  const ending = endingOf(observed);
  const work = workOf(observed, ending);
  const counts = countsOf(observed, ending);
  const isNews = ending !== undefined && conditionStatus(view.job.body, BEFOREHAND[ending.end]) !== 'True';
  const freed = unique([...counts.freed, ...work.removed.filter((pod) => isTracked(pod) && !view.untracked.has(pod.uid))]);
  const deadline = ending === undefined ? deadlineIn(observed) : undefined;
  const waits = [work.againMs, deadline, counts.isMore ? 0 : undefined].filter((ms) => ms !== undefined);
  return {
    observed,
    ending,
    tally: counts.tally,
    isRecorded: counts.isRecorded || (isNews && freed.length > 0),
    removed: work.removed,
    freed,
    made: work.made,
    againMs: waits.length === 0 ? undefined : Math.min(...waits),
  };
}

const unique = (pods: readonly ApiObject[]): readonly ApiObject[] => [...new Map(pods.map((pod) => [pod.uid, pod])).values()];

interface Counts {
  readonly tally: Tally;
  readonly freed: readonly ApiObject[];
  readonly isRecorded: boolean;
  /** Not all could be written down at a time. */
  readonly isMore: boolean;
}

function countsOf(observed: ObservedJob, ending: Ending | undefined): Counts {
  const { view, wishes, tally, tracked } = observed;
  const written = new Set([...tally.uncounted.succeeded, ...tally.uncounted.failed]);
  const free = tracked.filter(({ uid }) => written.has(uid));
  const [succeeded, failed, other] = [new Array<ApiObject>(), new Array<ApiObject>(), new Array<ApiObject>()];
  // An index that is done says so by itself.
  for (const pod of observed.newSucceeded) (wishes.isIndexed ? other : succeeded).push(pod);
  // Who goes while the Job does is let go: it has not failed.
  const isLeaving = isBeingDeleted(view.job);
  for (const { pod, verdict } of failuresToCount(observed, ending)) {
    (verdict.type === 'ignore' || (isLeaving && isGoing(pod)) ? other : failed).push(pod);
  }
  if (ending !== undefined) {
    const left = tracked.filter((pod) => !written.has(pod.uid) && !hasSucceeded(pod) && !hasFailed(pod, wishes.isPatient));
    for (const pod of left) (ending.end === 'Failed' ? failed : other).push(pod);
  }
  if (isLeaving && wishes.isPatient) append(other, tracked.filter(isGoing));
  // The status of the Job lists the uids of these pods.
  succeeded.sort(compareNames);
  failed.sort(compareNames);
  const room = Math.max(0, BURST - written.size);
  const [nowSucceeded, nowFailed] = [succeeded.slice(0, room), failed.slice(0, Math.max(0, room - succeeded.length))];
  const nowOther = other.slice(0, BURST);
  const uids = (pods: readonly ApiObject[]): readonly string[] => pods.map(({ uid }) => uid);
  return {
    tally: withUncounted(tally, uids(nowSucceeded), uids(nowFailed)),
    freed: [...free, ...nowSucceeded, ...nowFailed, ...nowOther],
    isRecorded: nowSucceeded.length + nowFailed.length > 0 || (wishes.isIndexed && nowOther.length > 0),
    isMore: nowSucceeded.length < succeeded.length || nowFailed.length < failed.length || nowOther.length < other.length,
  };
}

function failuresToCount({ view, newFailed, held }: ObservedJob, ending: Ending | undefined): readonly FailedPod[] {
  return ending === undefined && !isBeingDeleted(view.job) ? newFailed : [...newFailed, ...held.values()];
}

interface Work {
  readonly removed: readonly ApiObject[];
  readonly made: readonly PodWish[];
  readonly againMs: number | undefined;
}

const NO_WORK: Work = { removed: [], made: [], againMs: undefined };

function workOf(observed: ObservedJob, ending: Ending | undefined): Work {
  const { view, wishes, active, going } = observed;
  if (view.isBehind || isBeingDeleted(view.job)) return NO_WORK;
  if (ending !== undefined || wishes.isSuspended) return { ...NO_WORK, removed: active.slice(0, BURST) };
  const wanted = wantedPods(observed);
  const removed = surplus(observed, active.length - wanted);
  if (removed.length > 0) return { ...NO_WORK, removed: removed.slice(0, BURST) };
  // Whoever waits for pods to end has no room for others before.
  const missing = wanted - active.length - (wishes.isPatient ? going.length : 0);
  return missing <= 0 ? NO_WORK : making(observed, Math.min(missing, BURST));
}

function wantedPods(observed: ObservedJob): number {
  const { wishes, active, failedIndexes } = observed;
  const done = successes(observed);
  if (wishes.completions === undefined) return done > 0 ? Math.min(active.length, wishes.parallelism) : wishes.parallelism;
  return Math.max(0, Math.min(wishes.parallelism, wishes.completions - done - sizeOf(failedIndexes)));
}

/** Pods of no index, and of one that another one has, are always too many. */
function surplus({ view, wishes, bound, active, completed, failedIndexes }: ObservedJob, count: number): readonly ApiObject[] {
  if (!wishes.isIndexed && count <= 0) return [];
  const ordered = sortForDeletion(active, active, view.now);
  if (!wishes.isIndexed) return ordered.slice(0, count);
  const isOver = (index: number): boolean => hasIndex(completed, index) || hasIndex(failedIndexes, index);
  const seen = new Set<number>();
  const idle: ApiObject[] = [];
  const others: ApiObject[] = [];
  for (const pod of ordered.toReversed()) {
    const index = indexOf(pod, bound);
    const isNeeded = index !== undefined && !seen.has(index) && !isOver(index);
    (isNeeded ? others : idle).push(pod);
    if (index !== undefined) seen.add(index);
  }
  const more = Math.max(0, count - idle.length);
  return [...idle, ...others.reverse().slice(0, more)];
}

function making(observed: ObservedJob, count: number): Work {
  const { view, wishes } = observed;
  if (wishes.indexLimit !== undefined) return makingIndexes(observed, count);
  if (view.backOffMs > 0) return { ...NO_WORK, againMs: view.backOffMs };
  if (!wishes.isIndexed) return { ...NO_WORK, made: Array.from({ length: count }, () => PLAIN) };
  const made: PodWish[] = [];
  for (const index of pendingIndexes(observed)) {
    if (made.length === count) break;
    made.push({ ...PLAIN, index });
  }
  return { ...NO_WORK, made };
}

const PLAIN: PodWish = { index: undefined, failures: undefined, ignored: 0 };

/** Each index waits by itself. */
function makingIndexes(observed: ObservedJob, count: number): Work {
  const { view, held } = observed;
  const made: PodWish[] = [];
  let againMs: number | undefined;
  for (const index of pendingIndexes(observed)) {
    if (made.length === count) break;
    const last = held.get(index);
    const wait = last === undefined ? 0 : waitAfter(last, view);
    if (wait > 0) againMs = Math.min(againMs ?? Infinity, wait);
    else made.push(wishAfter(index, last));
  }
  return { removed: [], made, againMs };
}

function waitAfter({ pod }: FailedPod, { endedAt, now }: JobView): number {
  return Math.max(0, endedAt(pod) + backOffMs(failuresBefore(pod) + 1) - now);
}

function wishAfter(index: number, last: FailedPod | undefined): PodWish {
  if (last === undefined) return { index, failures: 0, ignored: 0 };
  const [known, ignored] = [annotatedCount(last.pod, 'failures') ?? 0, annotatedCount(last.pod, 'ignored') ?? 0];
  return last.verdict.type === 'ignore' ? { index, failures: known, ignored: ignored + 1 } : { index, failures: known + 1, ignored };
}

function pendingIndexes({ wishes, bound, active, going, completed, failedIndexes }: ObservedJob): Iterable<number> {
  const taken = indexesOf(wishes.isPatient ? [...active, ...going] : active, bound);
  const spans = withIndexes(completed, taken);
  return absentFrom(failedIndexes.length === 0 ? spans : withIndexes([...spans, ...failedIndexes], []), bound);
}
