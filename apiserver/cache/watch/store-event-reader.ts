/**
 * Reads past events of a range from a store watch, batch by batch. Pauses the watch while its buffer is full, and makes
 * sure that a range without events advances too.
 */
import type { Clock, Timer } from '../../../shared/runtime/clock';
import { Deque } from '../../../shared/runtime/deque';
import type { KeyRange, Revision, Store, StoreEvent, Watch, WatchSink } from '../../storage/store';
import type { KeySpace } from '../store/key-space';

/** Buffered bytes above which the store watch is paused. */
const PAUSE_BYTES = 256 * 1024;
/** Estimated memory of a buffered event besides its value, in bytes. */
const EVENT_OVERHEAD = 200;
/** Interval of progress requests on an idle range. */
const PROGRESS_MS = 250;

/** The requested history has been compacted. */
export class CompactedError extends Error {
  override readonly name = 'CompactedError';
  constructor(readonly compactRevision: Revision) {
    super(`the store was compacted at ${compactRevision}`);
  }
}

/** The store with the events. */
export interface EventReaderHost {
  readonly store: Store;
  readonly clock: Clock;
  readonly keys: KeySpace;
  /**
   * Writes the tick key, so that a watch of the whole prefix passes the current revision. At most one per second is
   * written.
   */
  tick(): void;
}

/** Which events are read. */
export interface EventReaderRequest {
  readonly range: KeyRange;
  /** The events after this revision are read. */
  readonly from: Revision;
  /** False once nothing more is to be read. */
  isActive(): boolean;
}

/** Events of the range, complete up to the revision `through`. */
export interface EventBatch {
  readonly events: readonly StoreEvent[];
  readonly through: Revision;
}

/** One read. The methods of WatchSink are called by the store, the others by the reader's owner. */
export class StoreEventReader implements WatchSink {
  private readonly batches = new Deque<EventBatch>();
  private queuedBytes = 0;
  private isPaused = false;
  private failure: CompactedError | undefined;
  private wake: (() => void) | undefined;
  private watch: Watch;
  private timer: Timer | undefined;

  constructor(
    private readonly host: EventReaderHost,
    private readonly request: EventReaderRequest,
  ) {
    this.watch = this.open(request.range);
    if (this.watch.requestProgress()) {
      this.repeatRequest(() => void this.watch.requestProgress());
      return;
    }
    // Without progress notifications only an event shows the watch's revision, and only the whole prefix is sure to
    // have one.
    this.watch.close();
    this.watch = this.open(host.keys.wholeRange);
    this.repeatRequest(() => host.tick());
  }

  /** Resolves with the next events, or with none once the request is not active. Rejects after a compaction. */
  async next(): Promise<EventBatch> {
    for (;;) {
      const batch = this.batches.shift();
      if (batch !== undefined) {
        this.queuedBytes -= bytesOf(batch.events);
        if (this.isPaused && this.queuedBytes < PAUSE_BYTES) {
          this.isPaused = false;
          this.watch.resume();
        }
        return batch;
      }
      if (this.failure !== undefined) throw this.failure;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
      if (!this.request.isActive()) return { events: [], through: 0 };
    }
  }

  /** Ends the watch of the store. */
  close(): void {
    this.timer?.cancel();
    this.watch.close();
  }

  events(events: readonly StoreEvent[], through: Revision): void {
    this.batches.push({ events, through });
    this.queuedBytes += bytesOf(events);
    if (!this.isPaused && this.queuedBytes > PAUSE_BYTES) {
      this.isPaused = true;
      this.watch.pause();
    }
    this.wakeReader();
  }

  progress(revision: Revision): void {
    this.batches.push({ events: [], through: revision });
    this.wakeReader();
  }

  compacted(compactRevision: Revision): void {
    this.failure = new CompactedError(compactRevision);
    this.wakeReader();
  }

  connection(): void {
    // The watch resumes by itself.
  }

  private open(range: KeyRange): Watch {
    return this.host.store.watch(range, this.request.from + 1, this);
  }

  /** Calls `request` periodically, and wakes the reader once it is not active any more. */
  private repeatRequest(request: () => void): void {
    this.timer = this.host.clock.after(PROGRESS_MS, () => {
      if (this.request.isActive()) request();
      else this.wakeReader();
      this.repeatRequest(request);
    });
  }

  private wakeReader(): void {
    const wake = this.wake;
    this.wake = undefined;
    wake?.();
  }
}

function bytesOf(events: readonly StoreEvent[]): number {
  let bytes = 0;
  for (const event of events) bytes += EVENT_OVERHEAD + (event.type === 'put' ? event.value.length : 0);
  return bytes;
}
