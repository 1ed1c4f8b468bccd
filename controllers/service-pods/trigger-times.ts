/**
 * When what led to a change has happened, as clients that measure how long changes take to arrive want to know it: the earliest time of what has changed since
 * the last look at a Service – the Service's own creation, or when a pod was last said to be ready or not. What leaves no time behind counts for nothing.
 */
import type { PodView } from './pod';
import type { ServiceView } from './service';

interface Seen {
  readonly service: string;
  readonly pods: ReadonlyMap<string, string>;
}

export class TriggerTimes {
  /** By the Service's key. */
  private readonly seen = new Map<string, Seen>();

  /** Undefined = nothing with a time has changed. */
  next(key: string, service: ServiceView, pods: readonly PodView[]): string | undefined {
    const before = this.seen.get(key);
    const now: Seen = {
      service: service.uid + service.created,
      pods: new Map(pods.filter(({ readySince }) => readySince !== '').map(({ uid, readySince }) => [uid, readySince])),
    };
    this.seen.set(key, now);
    const times = [...now.pods].filter(([uid, time]) => before?.pods.get(uid) !== time).map(([, time]) => time);
    if (before?.service !== now.service && service.created !== '') times.push(service.created);
    return times.sort()[0];
  }

  forget(key: string): void {
    this.seen.delete(key);
  }
}
