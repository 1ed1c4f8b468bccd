/** A watch sink that records events and lets a test wait for them. It also records breaches of the watch contract. */
import type { Revision, StoreEvent, WatchSink } from '../../../apiserver/storage/store';

export class StoreEventRecorder implements WatchSink {
  readonly allEvents: StoreEvent[] = [];
  readonly batches: (readonly StoreEvent[])[] = [];
  readonly progressRevisions: Revision[] = [];
  readonly connections: ('connected' | 'disconnected')[] = [];
  compactedAt: Revision | undefined;
  /** Breaches of order, uniqueness or atomicity; must stay empty. */
  readonly breaches: string[] = [];
  private delivered: Revision = 0;
  private waiters: { readonly done: () => boolean; readonly resolve: () => void }[] = [];

  events(events: readonly StoreEvent[], through: Revision): void {
    if (events.length === 0) this.breaches.push('an empty delivery');
    const [first] = events;
    if (first !== undefined && first.revision <= this.delivered) this.breaches.push(`${first.revision} after ${this.delivered}`);
    for (const event of events) {
      if (event.revision < (this.allEvents[this.allEvents.length - 1]?.revision ?? 0)) this.breaches.push(`${event.revision} out of order`);
      if (event.revision > through) this.breaches.push(`${event.revision} beyond through ${through}`);
      this.allEvents.push(event);
    }
    this.delivered = through;
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
    return new Promise((resolve) => this.waiters.push({ done: condition, resolve }));
  }

  count(events: number): Promise<void> {
    return this.until(() => this.allEvents.length >= events);
  }

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
    const ready = this.waiters.filter(({ done }) => done());
    this.waiters = this.waiters.filter((waiter) => !ready.includes(waiter));
    for (const { resolve } of ready) resolve();
  }
}
