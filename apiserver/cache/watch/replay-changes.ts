/**
 * Replays a part of the past from the store for one watcher that starts before the event window. Opens a store watch on
 * the watcher's own range and ends when that has passed `until`. Earlier states, needed for deletions and selectors,
 * are cached within a limit and otherwise read at the revision before the change.
 */
import { LRUCache } from 'lru-cache';
import type { Clock, Timer } from '../../../shared/runtime/clock';
import { StoreError, type KeyRange, type Revision, type Store, type Watch, type StoreEvent, type WatchSink } from '../../storage/store';
import type { Change, Entry, WatchScope } from '../cache';
import { Deque } from '../../../shared/runtime/deque';
import type { EntryFactory } from '../store/entry';
import { isInScope, scopeBounds, type KeySpace } from '../store/key-space';
import type { YieldNow } from '../../../shared/scheduling/yielding';
import type { TypeState } from '../store/type-state';
import { RecordedChange } from '../store/event-window';

/** Buffered bytes above which the store watch is paused. */
const PAUSE_BYTES = 256 * 1024;
/** Limit of the earlier states that are kept to derive what a change means for the scope. */
const MAX_REMEMBERED_BYTES = 1024 * 1024;
/** Estimated memory of a remembered entry and of a buffered event besides their values, in bytes. */
const ENTRY_OVERHEAD = 300;
const EVENT_OVERHEAD = 200;
/** Interval of progress requests on an idle range. */
const PROGRESS_MS = 250;

/** The cache with the history to replay. */
export interface ReplayHost {
  readonly store: Store;
  readonly clock: Clock;
  readonly keys: KeySpace;
  readonly entries: EntryFactory;
  readonly yieldNow: YieldNow;
  /**
   * Writes the tick key, so that a watch of the whole prefix passes the current revision. At most one per second is
   * written.
   */
  tick(): void;
}

/** The replay of one watch. Callbacks are called in order and never overlap. */
export interface ReplayRequest {
  readonly state: TypeState;
  readonly scope: WatchScope;
  /** The changes after `from`, up to and including `until`, are replayed. */
  readonly from: Revision;
  readonly until: Revision;
  /** False once the watcher is closed. */
  isActive(): boolean;
  /** Called for each change in scope, in order of revisions. */
  onChange(change: Change): void;
  /** A modification for which no earlier state is needed. */
  onModified(change: Change, entry: Entry): void;
  /** See `ChangeSink.whenWritable`. */
  whenWritable(): Promise<void> | undefined;
}

/** The requested history has been compacted. */
export class CompactedError extends Error {
  override readonly name = 'CompactedError';
  constructor(readonly compactRevision: Revision) {
    super(`the store was compacted at ${compactRevision}`);
  }
}

/**
 * Resolves with the revision up to which everything was delivered (`from` when the watcher was closed meanwhile). Rejects
 * with {@link CompactedError}, StoreError or UnknownFormatError.
 */
export async function replayChanges(host: ReplayHost, request: ReplayRequest): Promise<Revision> {
  const events = new StoreEventReader(host, request);
  const previousStates = new PreviousStates(host, request.state);
  try {
    for (;;) {
      const batch = await events.next();
      if (!request.isActive()) return request.from;
      for (const event of batch.events) {
        if (event.revision > request.until) return request.until;
        await deliver(host, request, previousStates, event);
        if (!request.isActive()) return request.from;
      }
      if (batch.through >= request.until) return request.until;
    }
  } catch (error) {
    if (error instanceof StoreError && error.failure === 'compacted') throw new CompactedError(error.compactRevision ?? request.until);
    throw error;
  } finally {
    events.close();
  }
}

async function deliver(host: ReplayHost, request: ReplayRequest, previousStates: PreviousStates, event: StoreEvent): Promise<void> {
  const { state, scope } = request;
  if (host.keys.locate(event.key, event.revision) !== state) return;
  const key = event.key.slice(state.keyOffset);
  if (!isInScope(state.type, scope, key)) return;
  const current = event.type === 'put' ? host.entries.create(state.type, key, event.revision, event.value) : undefined;
  const created = event.type === 'put' && event.created;
  const needsPrevious = !created && (current === undefined || scope.matches !== undefined);
  const previous = needsPrevious ? await previousStates.stateBefore(event.key, key, event.revision) : undefined;
  previousStates.remember(key, current);
  const change = new RecordedChange(event.revision, key, current, previous, 0);
  if (current === undefined || created || needsPrevious) request.onChange(change);
  else request.onModified(change, current);
  await request.whenWritable();
}

/** The states before the replayed changes. */
class PreviousStates {
  private readonly remembered = new LRUCache<string, Entry>({
    maxSize: MAX_REMEMBERED_BYTES,
    sizeCalculation: (entry) => entry.bytes.length + ENTRY_OVERHEAD,
  });

  constructor(
    private readonly host: ReplayHost,
    private readonly state: TypeState,
  ) {}

  /** Records the state after a replayed change. */
  remember(key: string, current: Entry | undefined): void {
    if (current === undefined) this.remembered.delete(key);
    else this.remembered.set(key, current);
  }

  /** The state before the change at `revision`: the remembered one, or read from the store. */
  async stateBefore(storeKey: string, key: string, revision: Revision): Promise<Entry | undefined> {
    const remembered = this.remembered.get(key);
    if (remembered !== undefined) return remembered;
    const { kv } = await this.host.store.get(storeKey, { revision: revision - 1 });
    return kv === undefined ? undefined : this.host.entries.create(this.state.type, key, kv.modRevision, kv.value);
  }
}

/** Events, complete up to the revision `through`. */
interface Batch {
  readonly events: readonly StoreEvent[];
  readonly through: Revision;
}

/** A store watch as an awaitable sequence. Pauses the watch while its buffer is full. */
class StoreEventReader implements WatchSink {
  private readonly batches = new Deque<Batch>();
  private queuedBytes = 0;
  private isPaused = false;
  private failure: CompactedError | undefined;
  private wake: (() => void) | undefined;
  private watch: Watch;
  private timer: Timer | undefined;

  constructor(
    private readonly host: ReplayHost,
    private readonly request: ReplayRequest,
  ) {
    const { state, scope } = request;
    const { start, end } = scopeBounds(state.type, scope);
    this.watch = this.open(host.keys.range(state.type, start, end));
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
  async next(): Promise<Batch> {
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
