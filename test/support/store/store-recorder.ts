/** A watch sink that records events and lets a test wait for them. It also records breaches of the watch contract. */
import type { Revision, StoreEvent, WatchSink } from '../../../apiserver/storage/store';

export class StoreEventRecorder implements WatchSink {
  readonly allEvents: StoreEvent[] = [];
  /** The events of each delivery. */
  readonly batches: (readonly StoreEvent[])[] = [];
  readonly progressRevisions: Revision[] = [];
  readonly connections: ('connected' | 'disconnected')[] = [];
  /** `undefined` until the watch ends because its next event is compacted. */
  compactedAt: Revision | undefined;
  /** Breaches of order, uniqueness or atomicity; must stay empty. */
  readonly breaches: string[] = [];
  /** The revision through which all events have been delivered. */
  private deliveredThrough: Revision = 0;
  private waiters: { readonly isDone: () => boolean; readonly resolve: () => void }[] = [];

  events(events: readonly StoreEvent[], through: Revision): void {
    if (events.length === 0) this.breaches.push('an empty delivery');
    const [first] = events;
    if (first !== undefined && first.revision <= this.deliveredThrough)
      this.breaches.push(`${first.revision} after ${this.deliveredThrough}`);
    for (const event of events) {
      const previous = this.allEvents.at(-1)?.revision ?? 0;
      if (event.revision < previous) this.breaches.push(`${event.revision} out of order`);
      if (event.revision > through) this.breaches.push(`${event.revision} beyond through ${through}`);
      this.allEvents.push(event);
    }
    this.deliveredThrough = through;
    this.batches.push(events);
    this.notify();
  }

  progress(revision: Revision): void {
    this.progressRevisions.push(revision);
    this.notify();
  }

  compacted(compactRevision: Revision): void {
    this.compactedAt = compactRevision;
    this.notify();
  }

  connection(state: 'connected' | 'disconnected'): void {
    this.connections.push(state);
    this.notify();
  }

  /** Resolves once `condition` holds; only the time limit of the test bounds the wait. */
  until(condition: () => boolean): Promise<void> {
    if (condition()) return Promise.resolve();
    return new Promise((resolve) => this.waiters.push({ isDone: condition, resolve }));
  }

  /** Resolves once there are this many events. */
  count(events: number): Promise<void> {
    return this.until(() => this.allEvents.length >= events);
  }

  /** Resolves once the watch has connected this often. */
  connected(times = 1): Promise<void> {
    return this.until(() => this.connections.filter((state) => state === 'connected').length >= times);
  }

  /** `put /a@3+ x` (created), `put /a@4 y`, `delete /a@5`. */
  get log(): string[] {
    return this.allEvents.map((event) =>
      event.type === 'put'
        ? `put ${event.key}@${event.revision}${event.created ? '+' : ''} ${event.value.toString()}`
        : `delete ${event.key}@${event.revision}`,
    );
  }

  private notify(): void {
    const ready = this.waiters.filter(({ isDone }) => isDone());
    this.waiters = this.waiters.filter((waiter) => !ready.includes(waiter));
    for (const { resolve } of ready) resolve();
  }
}
