/**
 * Computes the time of the change that triggered a sync of a Service. It is written as an annotation, from which clients
 * measure the latency of endpoint updates. Two kinds of changes have a time: the creation of the Service, and the
 * transition of a pod's Ready condition. The earliest time of those since the previous sync counts.
 */
import type { PodView } from './pod-view';
import type { ServiceView } from './service-view';

/** What is compared with the next sync of one Service. */
interface ObservedTimes {
  /** The Service's uid and creation time. */
  readonly service: string;
  /** Transition times of the Ready conditions, by the pods' uids. */
  readonly pods: ReadonlyMap<string, string>;
}

/** Remembers what each Service and its pods looked like at the previous sync. */
export class TriggerTimeTracker {
  /** By the Service's key. */
  private readonly observed = new Map<string, ObservedTimes>();

  /**
   * Call it once for each sync: the next call compares with this one. Returns a time as in RFC 3339; undefined when
   * nothing with a time has changed.
   */
  computeTriggerTime(key: string, service: ServiceView, pods: readonly PodView[]): string | undefined {
    const previous = this.observed.get(key);
    const readyTimes = pods.filter(({ readyTransitionTime }) => readyTransitionTime !== '');
    const current: ObservedTimes = {
      service: service.uid + service.creationTimestamp,
      pods: new Map(readyTimes.map(({ uid, readyTransitionTime }) => [uid, readyTransitionTime])),
    };
    this.observed.set(key, current);
    const times = [...current.pods].filter(([uid, time]) => previous?.pods.get(uid) !== time).map(([, time]) => time);
    if (previous?.service !== current.service && service.creationTimestamp !== '') times.push(service.creationTimestamp);
    return times.sort()[0];
  }

  /** Call it when the Service was deleted. */
  forget(key: string): void {
    this.observed.delete(key);
  }
}
