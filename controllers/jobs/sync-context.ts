/** A Job's pods, told apart once: those that work, that go, and that have ended and are to be counted. Knows no server. */
import type { ApiObject } from '../../shared/client/rest/api-object';
import { objectAt, stringAt } from '../../shared/values/json';
import { isPodActive } from '../workload/pod-activity';
import { verdictOn, type FailureVerdict } from './failure-policy';
import { hasIndex, parseIndexes, sizeOf, withIndexes, type Indexes } from './indexes';
import { compareNames } from '../runtime/pods';
import { annotatedCount, isTracked } from './names';
import { hasFailed, hasSucceeded, isGoing } from './pod-life';
import { wishesOf, type JobWishes } from './spec';
import { tallyOf, type Tally } from './tally';

export interface JobView {
  readonly job: ApiObject;
  /** The pods that the Job controls, in any order. */
  readonly pods: readonly ApiObject[];
  /** Uids of pods whose finalizer was taken off here, which is not seen yet. */
  readonly untracked: ReadonlySet<string>;
  /** Pods that were asked for or told to go are not seen yet. */
  readonly isBehind: boolean;
  /** Milliseconds until failed pods may be replaced. */
  readonly backOffMs: number;
  /** When a pod ended, as far as is known. */
  readonly endedAt: (pod: ApiObject) => number;
  readonly now: number;
}

export interface FailedPod {
  readonly pod: ApiObject;
  readonly verdict: FailureVerdict;
  /** Undefined where it is of no index that counts. */
  readonly index: number | undefined;
}

export interface ObservedJob {
  readonly view: JobView;
  readonly wishes: JobWishes;
  /** Of an Indexed Job: its indexes are below this. */
  readonly bound: number;
  readonly active: readonly ApiObject[];
  readonly going: readonly ApiObject[];
  /** Those that bear the finalizer. */
  readonly tracked: readonly ApiObject[];
  /** Of the tracked ones that nobody has written down yet. */
  readonly newSucceeded: readonly ApiObject[];
  readonly newFailed: readonly FailedPod[];
  /** Pods that failed and say by their annotations how often their index did: they stay until another one has taken their place. */
  readonly held: ReadonlyMap<number, FailedPod>;
  readonly tally: Tally;
  /** With those that have ended just now. */
  readonly completed: Indexes;
  readonly failedIndexes: Indexes;
}

export function observe(view: JobView): ObservedJob {
  const { job, pods, untracked } = view;
  const wishes = wishesOf(job);
  const bound = wishes.isIndexed ? (wishes.completions ?? 0) : 0;
  const tracked = pods.filter((pod) => isTracked(pod) && !untracked.has(pod.uid));
  const tally = tallyOf(job, new Set(tracked.map(({ uid }) => uid)));
  const written = new Set([...tally.uncounted.succeeded, ...tally.uncounted.failed]);
  const fresh = tracked.filter(({ uid }) => !written.has(uid));
  const newSucceeded = fresh.filter(hasSucceeded);
  const status = objectAt(job.body, 'status');
  const completed = withIndexes(parseIndexes(stringAt(status, 'completedIndexes') ?? '', bound), indexesOf(newSucceeded, bound));
  const failed = fresh
    .filter((pod) => hasFailed(pod, wishes.isPatient))
    // The status of the Job names the first of several failures.
    .sort(compareNames)
    .map((pod): FailedPod => ({ pod, verdict: verdictFor(job, wishes, pod), index: indexOf(pod, bound) }));
  const known = parseIndexes(stringAt(status, 'failedIndexes') ?? '', bound);
  const over = failed.flatMap(({ pod, verdict, index }) =>
    index !== undefined && !hasIndex(completed, index) && isOver(wishes, pod, verdict) ? [index] : [],
  );
  const failedIndexes = wishes.indexLimit === undefined ? [] : withIndexes(known, over);
  const held = heldPods(
    failed,
    pods,
    (index) => wishes.indexLimit !== undefined && !hasIndex(failedIndexes, index) && !hasIndex(completed, index),
  );
  const active = pods.filter(isPodActive);
  const going = pods.filter(isGoing);
  const newFailed = failed.filter((one) => one.index === undefined || held.get(one.index) !== one);
  return { view, wishes, bound, active, going, tracked, newSucceeded, newFailed, held, tally, completed, failedIndexes };
}

function verdictFor(job: ApiObject, { hasFailurePolicy }: JobWishes, pod: ApiObject): FailureVerdict {
  return hasFailurePolicy ? verdictOn(job, pod) : { type: 'count' };
}

function isOver({ indexLimit }: JobWishes, pod: ApiObject, { type }: FailureVerdict): boolean {
  if (indexLimit === undefined || type === 'ignore') return false;
  return type === 'fail-index' || (annotatedCount(pod, 'failures') ?? 0) + 1 > indexLimit;
}

/** Below `bound`. */
export function indexOf(pod: ApiObject, bound: number): number | undefined {
  const index = annotatedCount(pod, 'index');
  return index !== undefined && index < bound ? index : undefined;
}

export const indexesOf = (pods: readonly ApiObject[], bound: number): readonly number[] =>
  pods.map((pod) => indexOf(pod, bound)).filter((index) => index !== undefined);

/** How often pods of its index had failed before this one, however that was judged. */
export const failuresBefore = (pod: ApiObject): number => (annotatedCount(pod, 'failures') ?? 0) + (annotatedCount(pod, 'ignored') ?? 0);

/** Of each index that is to be tried again the pod that failed last, unless a later one is there. */
function heldPods(failed: readonly FailedPod[], pods: readonly ApiObject[], isWanted: (index: number) => boolean): Map<number, FailedPod> {
  const held = new Map<number, FailedPod>();
  for (const one of failed) {
    if (one.index === undefined || !isWanted(one.index)) continue;
    const other = held.get(one.index);
    if (other === undefined || failuresBefore(one.pod) > failuresBefore(other.pod)) held.set(one.index, one);
  }
  if (held.size === 0) return held;
  for (const pod of pods) {
    const index = annotatedCount(pod, 'index');
    const one = index === undefined ? undefined : held.get(index);
    if (index !== undefined && one !== undefined && failuresBefore(pod) > failuresBefore(one.pod)) held.delete(index);
  }
  return held;
}

/** How many have succeeded, with those that are not counted yet. */
export function successes({ wishes, completed, tally, newSucceeded }: ObservedJob): number {
  return wishes.isIndexed ? sizeOf(completed) : tally.succeeded + tally.uncounted.succeeded.length + newSucceeded.length;
}

export function failures({ tally, newFailed, held }: ObservedJob): number {
  const counts = [...newFailed, ...held.values()].filter(({ verdict }) => verdict.type !== 'ignore');
  return tally.failed + tally.uncounted.failed.length + counts.length;
}
