/** How long a Job waits before it replaces pods that failed: longer with each failure that follows another one. Remembers failures, and never pods that have been counted. */
import { isBeingDeleted, type ApiObject } from '../../shared/client/rest/api-object';
import { isPodTerminated } from '../runtime/pods';
import { endedAt, hasFailed, hasSucceeded } from './pod-life';

const FIRST_MS = 10_000;
const LONGEST_MS = 600_000;

/** After so many failures one after the other. */
export const backOffMs = (failures: number): number => (failures <= 0 ? 0 : Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1)));

interface Failures {
  count: number;
  lastAt: number;
  /** When ended pods that are not counted yet ended, by uid. */
  ends: ReadonlyMap<string, number>;
}

export interface JobBackOff {
  /** Milliseconds until pods may be replaced. */
  readonly backOffMs: number;
  readonly endedAt: (pod: ApiObject) => number;
}

export class BackOffs {
  private readonly jobs = new Map<string, Failures>();

  /** `pods` = those of the Job that are not counted yet. */
  look(key: string, pods: readonly ApiObject[], isPatient: boolean, now: number): JobBackOff {
    const known = this.jobs.get(key) ?? { count: 0, lastAt: 0, ends: new Map<string, number>() };
    const ended = pods.filter((pod) => isPodTerminated(pod) || (isBeingDeleted(pod) && hasFailed(pod, isPatient)));
    const ends = new Map(ended.map((pod) => [pod.uid, known.ends.get(pod.uid) ?? Math.min(now, endedAt(pod) ?? now)]));
    const at = (pod: ApiObject): number => ends.get(pod.uid) ?? now;
    for (const pod of ended.filter(({ uid }) => !known.ends.has(uid)).sort((one, other) => at(one) - at(other))) {
      if (hasSucceeded(pod)) known.count = 0;
      else [known.count, known.lastAt] = [known.count + 1, at(pod)];
    }
    known.ends = ends;
    if (known.count > 0 || ends.size > 0) this.jobs.set(key, known);
    else this.jobs.delete(key);
    return { backOffMs: Math.max(0, known.lastAt + backOffMs(known.count) - now), endedAt: at };
  }

  /** The Job has ended, or is gone. */
  forget(key: string): void {
    this.jobs.delete(key);
  }
}
