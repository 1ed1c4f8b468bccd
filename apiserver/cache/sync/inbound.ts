/**
 * The store's stream on its way into the cache: events wait here while earlier ones are applied.
 *
 * Hands on whole revisions in order, and yields to the event loop every few milliseconds between two of them. Pauses the store's stream when too many
 * bytes wait, since they take memory. Never looks into events.
 */
import type { Revision, Watch, StoreEvent, WatchSink } from '../../storage/store';
import { Deque } from '../deque';
import type { TimeSlice } from '../../../shared/scheduling/yielding';

const PAUSE_BYTES = 4 * 1024 * 1024;
const RESUME_BYTES = PAUSE_BYTES / 2;
const EVENT_OVERHEAD = 200;

export interface InboundHandler {
  /** All events of one revision. */
  apply(revision: Revision, events: readonly StoreEvent[]): void;
  /** Everything up to `revision` has been handed to `apply`. */
  through(revision: Revision): void;
  /** The loop pauses or is done: a good moment for what need not happen for every event. */
  settled(): void;
  /** History was compacted while the stream was cut off. Nothing is handed on until it resolves. Must not reject. */
  gap(compactRevision: Revision): Promise<void>;
  connection(connected: boolean): void;
  paused(): void;
}

type Item =
  | { readonly type: 'events'; readonly events: readonly StoreEvent[]; readonly through: Revision; readonly bytes: number }
  | { readonly type: 'gap'; readonly compactRevision: Revision };

export class Inbound implements WatchSink {
  private readonly queue = new Deque<Item>();
  private waiting = 0;
  private draining = false;
  private closed = false;
  private watch: Watch | undefined;
  private isPaused = false;

  constructor(
    private readonly handler: InboundHandler,
    private readonly timeSlice: () => TimeSlice,
  ) {}

  /** The watch that feeds this queue, for pausing. */
  attach(watch: Watch): void {
    this.watch = watch;
    this.isPaused = false;
    this.restrain();
  }

  events(events: readonly StoreEvent[], through: Revision): void {
    let bytes = 0;
    for (const event of events) bytes += EVENT_OVERHEAD + (event.type === 'put' ? event.value.length : 0);
    this.enqueue({ type: 'events', events, through, bytes }, bytes);
  }

  progress(revision: Revision): void {
    this.enqueue({ type: 'events', events: [], through: revision, bytes: 0 }, 0);
  }

  compacted(compactRevision: Revision): void {
    this.enqueue({ type: 'gap', compactRevision }, 0);
  }

  connection(state: 'connected' | 'disconnected'): void {
    if (!this.closed) this.handler.connection(state === 'connected');
  }

  close(): void {
    this.closed = true;
    this.queue.clear();
  }

  private enqueue(item: Item, bytes: number): void {
    if (this.closed) return;
    this.queue.push(item);
    this.waiting += bytes;
    if (!this.draining) void this.drain();
    this.restrain();
  }

  /** Runs without interruption while the work is short; a stream that keeps up never waits for a turn of the event loop. */
  private async drain(): Promise<void> {
    this.draining = true;
    const slice = this.timeSlice();
    for (let item = this.queue.shift(); item !== undefined; item = this.queue.shift()) {
      if (item.type === 'gap') {
        await this.handler.gap(item.compactRevision);
        continue;
      }
      for (let from = 0; from < item.events.length && !this.closed;) {
        from = this.applyRevision(item.events, from);
        if (!slice.isDue()) continue;
        this.handler.settled();
        await slice.yieldNow();
      }
      if (this.closed) break;
      this.handler.through(item.through);
      this.waiting -= item.bytes;
      this.restrain();
    }
    this.draining = false;
    if (!this.closed) this.handler.settled();
  }

  /** Applies the events of the revision that starts at `from`; returns where the next one starts. */
  private applyRevision(events: readonly StoreEvent[], from: number): number {
    const revision = events[from]?.revision ?? 0;
    let end = from + 1;
    while (events[end]?.revision === revision) end += 1;
    this.handler.apply(revision, from === 0 && end === events.length ? events : events.slice(from, end));
    return end;
  }

  private restrain(): void {
    if (!this.isPaused && this.waiting > PAUSE_BYTES) {
      this.isPaused = true;
      this.handler.paused();
      this.watch?.pause();
    } else if (this.isPaused && this.waiting < RESUME_BYTES) {
      this.isPaused = false;
      this.watch?.resume();
    }
  }
}
