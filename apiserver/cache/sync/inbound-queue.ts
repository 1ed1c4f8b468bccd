/**
 * The queue between the store's stream and the cache: events wait here while earlier ones are applied. Delivers whole
 * revisions in order, and yields to the event loop between two revisions when its time slice is used up. Pauses the
 * store's stream when too many bytes are queued. Events are not interpreted.
 */
import type { Revision, Watch, StoreEvent, WatchSink } from '../../storage/store';
import { Deque } from '../../../shared/runtime/deque';
import type { TimeSlice } from '../../../shared/scheduling/yielding';

/** Queued bytes above which the store's stream is paused, and below which it is resumed. */
const PAUSE_BYTES = 4 * 1024 * 1024;
const RESUME_BYTES = PAUSE_BYTES / 2;
/** Estimated memory of an event besides its value, in bytes. */
const EVENT_OVERHEAD = 200;

/**
 * Receives the stream in order. Its methods must not throw. While `resyncAfterCompaction` is awaited, only
 * `onConnectionChange` and `onPause` are called.
 */
export interface InboundQueueHandler {
  /** Applies all events of one revision. */
  apply(revision: Revision, events: readonly StoreEvent[]): void;
  /** All events up to `revision` have been applied. */
  onProgress(revision: Revision): void;
  /** The queue yields or is empty: time for work that is not needed for every event. */
  onIdle(): void;
  /**
   * The history was compacted while the stream was disconnected. Nothing is applied until it resolves. Must not reject.
   */
  resyncAfterCompaction(compactRevision: Revision): Promise<void>;
  /** The store's stream was disconnected, or connected again. Not ordered with queued events. */
  onConnectionChange(connected: boolean): void;
  /** The store's stream is paused because too many bytes are queued. */
  onPause(): void;
}

/** All events up to and including the revision `through`, or a gap in the history that a compaction has made. */
type Item =
  | { readonly type: 'events'; readonly events: readonly StoreEvent[]; readonly through: Revision; readonly bytes: number }
  | { readonly type: 'gap'; readonly compactRevision: Revision };

/** One per stream. Events that arrive after {@link InboundQueue.close} are ignored. */
export class InboundQueue implements WatchSink {
  private readonly queue = new Deque<Item>();
  private queuedBytes = 0;
  private isDraining = false;
  private isClosed = false;
  private watch: Watch | undefined;
  private isPaused = false;

  constructor(
    private readonly handler: InboundQueueHandler,
    private readonly timeSlice: () => TimeSlice,
  ) {}

  /** Sets the watch that feeds this queue; needed for pausing it. */
  attach(watch: Watch): void {
    this.watch = watch;
    this.isPaused = false;
    this.applyBackPressure();
  }

  /** Queues events of whole revisions, up to and including `through`. */
  events(events: readonly StoreEvent[], through: Revision): void {
    let bytes = 0;
    for (const event of events) bytes += EVENT_OVERHEAD + (event.type === 'put' ? event.value.length : 0);
    this.enqueue({ type: 'events', events, through, bytes }, bytes);
  }

  /** Queues that nothing else has happened up to `revision`. */
  progress(revision: Revision): void {
    this.enqueue({ type: 'events', events: [], through: revision, bytes: 0 }, 0);
  }

  /** Queues a gap: events up to `compactRevision` are lost. */
  compacted(compactRevision: Revision): void {
    this.enqueue({ type: 'gap', compactRevision }, 0);
  }

  /** Reports a change of the connection at once, ahead of queued events. */
  connection(state: 'connected' | 'disconnected'): void {
    if (!this.isClosed) this.handler.onConnectionChange(state === 'connected');
  }

  /** Drops the queued events; the handler is not called again. */
  close(): void {
    this.isClosed = true;
    this.queue.clear();
  }

  private enqueue(item: Item, bytes: number): void {
    if (this.isClosed) return;
    this.queue.push(item);
    this.queuedBytes += bytes;
    if (!this.isDraining) void this.drain();
    this.applyBackPressure();
  }

  /** Runs synchronously until the time slice is used up, so a stream that keeps up never waits for an event-loop turn. */
  private async drain(): Promise<void> {
    this.isDraining = true;
    const slice = this.timeSlice();
    for (let item = this.queue.shift(); item !== undefined; item = this.queue.shift()) {
      if (item.type === 'gap') {
        await this.handler.resyncAfterCompaction(item.compactRevision);
        continue;
      }
      let from = 0;
      while (from < item.events.length && !this.isClosed) {
        from = this.applyRevision(item.events, from);
        if (!slice.isDue()) continue;
        this.handler.onIdle();
        await slice.yieldNow();
      }
      if (this.isClosed) break;
      this.handler.onProgress(item.through);
      this.queuedBytes -= item.bytes;
      this.applyBackPressure();
    }
    this.isDraining = false;
    if (!this.isClosed) this.handler.onIdle();
  }

  /** Applies the events of the revision that starts at `from`; returns the start of the next one. */
  private applyRevision(events: readonly StoreEvent[], from: number): number {
    const revision = events[from]?.revision ?? 0;
    let end = from + 1;
    while (events[end]?.revision === revision) end += 1;
    this.handler.apply(revision, from === 0 && end === events.length ? events : events.slice(from, end));
    return end;
  }

  private applyBackPressure(): void {
    if (!this.isPaused && this.queuedBytes > PAUSE_BYTES) {
      this.isPaused = true;
      this.handler.onPause();
      this.watch?.pause();
    } else if (this.isPaused && this.queuedBytes < RESUME_BYTES) {
      this.isPaused = false;
      this.watch?.resume();
    }
  }
}
