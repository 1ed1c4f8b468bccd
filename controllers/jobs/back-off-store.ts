/**
 * The back-off between the failure of a Job's pods and the creation of their replacements: it doubles with each
 * consecutive failure. Pods that have been counted are not remembered.
 */
import { isBeingDeleted } from '../../shared/client/rest/api-object';
import { isPodTerminated } from '../runtime/pods';
import type { Pod } from '../../shared/client/rest/typed-objects';
import { finishTimeOf, isPodFailed, isPodSucceeded } from './pod-phase';

/** Upstream's back-off of failed pods: ten seconds, doubled up to ten minutes. */
const INITIAL_MS = 10_000;
const MAX_MS = 600_000;

/** Milliseconds from the last of this many consecutive failures until the pods may be replaced. */
export const backOffMs = (failures: number): number => (failures <= 0 ? 0 : Math.min(MAX_MS, INITIAL_MS * 2 ** (failures - 1)));

/** What is remembered of one Job. */
interface BackOffRecord {
  consecutiveFailures: number;
  /** Milliseconds since 1970; 0 without a failure. */
  lastFailureTime: number;
  /** Finish times of the pods that are not counted yet, by uid. */
  finishTimes: ReadonlyMap<string, number>;
}

/** The back-off of one Job at the time of the call. */
export interface JobBackOff {
  /** Milliseconds until failed pods may be replaced. */
  readonly backOffMs: number;
  /** When the pod finished, or was first seen as finished; the time of the call for any other pod. Milliseconds since 1970. */
  readonly finishTime: (pod: Pod) => number;
}

/** The failures of all Jobs of this process, by key. A restart of the process forgets those that have been counted. */
export class BackOffStore {
  private readonly records = new Map<string, BackOffRecord>();

  /**
   * Records the pods that have finished since the last call. `pods`: those of the Job that are not counted yet. `now` in
   * milliseconds since 1970.
   */
  update(
    jobKey: string,
    pods: readonly Pod[],
    { onlyReplacesFailedPods, now }: { readonly onlyReplacesFailedPods: boolean; readonly now: number },
  ): JobBackOff {
    const record = this.records.get(jobKey) ?? { consecutiveFailures: 0, lastFailureTime: 0, finishTimes: new Map<string, number>() };
    const finished = pods.filter((pod) => isPodTerminated(pod) || (isBeingDeleted(pod) && isPodFailed(pod, { onlyReplacesFailedPods })));
    const finishTimes = new Map(
      finished.map((pod) => [pod.uid, record.finishTimes.get(pod.uid) ?? Math.min(now, finishTimeOf(pod) ?? now)]),
    );
    const finishTime = (pod: Pod): number => finishTimes.get(pod.uid) ?? now;
    const newlyFinished = finished.filter(({ uid }) => !record.finishTimes.has(uid)).sort((a, b) => finishTime(a) - finishTime(b));
    for (const pod of newlyFinished) {
      if (isPodSucceeded(pod)) {
        record.consecutiveFailures = 0;
      } else {
        record.consecutiveFailures += 1;
        record.lastFailureTime = finishTime(pod);
      }
    }
    record.finishTimes = finishTimes;
    if (record.consecutiveFailures > 0 || finishTimes.size > 0) this.records.set(jobKey, record);
    else this.records.delete(jobKey);
    return { backOffMs: Math.max(0, record.lastFailureTime + backOffMs(record.consecutiveFailures) - now), finishTime };
  }

  /** Call it when the Job has finished or was deleted. */
  delete(jobKey: string): void {
    this.records.delete(jobKey);
  }
}
