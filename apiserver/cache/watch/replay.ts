/**
 * Replays a part of the past from the store for one watcher whose start lies before the recent-event window.
 *
 * Opens a store watch on the watcher's own range and ends when that has passed `until`. Earlier states, needed for deletions and selectors,
 * are remembered as far as they fit and otherwise read at the revision before the change.
 */
import { LRUCache } from 'lru-cache';
import type { Clock, Timer } from '../../../shared/runtime/clock';
import { StoreError, type KeyRange, type Revision, type Store, type Watch, type StoreEvent, type WatchSink } from '../../storage/store';
import type { Change, Entry, WatchScope } from '../cache';
import { Deque } from '../deque';
import type { EntryFactory } from '../store/entry';
import { inScope, scopeBounds, type KeySpace } from '../store/key-space';
import type { YieldNow } from '../../../shared/scheduling/yielding';
import type { TypeState } from '../store/type-state';
import { RecordedChange } from '../store/window';

const PAUSE_BYTES = 256 * 1024;
const REMEMBERED_BYTES = 1024 * 1024;
/** How often an idle range is asked whether it has got there. */
const PROGRESS_MS = 250;

export interface ReplayHost {
  readonly store: Store;
  readonly clock: Clock;
  readonly keys: KeySpace;
  readonly entries: EntryFactory;
  readonly yieldNow: YieldNow;
  /** Writes the tick key, so that a watch of the whole prefix gets past the present revision. At most one a second is written. */
  tick(): void;
}

export interface ReplayRequest {
  readonly state: TypeState;
  readonly scope: WatchScope;
  /** Changes after this one ... */
  readonly from: Revision;
  /** ... up to and including this one. */
  readonly until: Revision;
  /** False once the watcher is gone. */
  wanted(): boolean;
  changed(change: Change): void;
  /** A modification whose earlier state nobody needs. */
  modified(change: Change, entry: Entry): void;
  ready(): Promise<void> | undefined;
}

/** The past that was asked for is gone. */
export class Compacted extends Error {
  override readonly name = 'Compacted';
  constructor(readonly compactRevision: Revision) {
    super(`the store was compacted at ${compactRevision}`);
  }
}

/** Returns the revision up to which everything was delivered. Rejects with {@link Compacted}, StoreError or UnknownFormat. */
export async function replay(host: ReplayHost, request: ReplayRequest): Promise<Revision> {
  const events = new StoreEvents(host, request);
  const past = new Past(host, request.state);
  try {
    for (;;) {
      const batch = await events.next();
      if (!request.wanted()) return request.from;
      for (const event of batch.events) {
        if (event.revision > request.until) return request.until;
        await deliver(host, request, past, event);
        if (!request.wanted()) return request.from;
      }
      if (batch.through >= request.until) return request.until;
    }
  } catch (error) {
    if (error instanceof StoreError && error.failure === 'compacted') throw new Compacted(error.compactRevision ?? request.until);
    throw error;
  } finally {
    events.close();
  }
}

async function deliver(host: ReplayHost, request: ReplayRequest, past: Past, event: StoreEvent): Promise<void> {
  const { state, scope } = request;
  if (host.keys.locate(event.key, event.revision) !== state) return;
  const key = event.key.slice(state.keyOffset);
  if (!inScope(state.type, scope, key)) return;
  const current = event.type === 'put' ? host.entries.make(state.type, key, event.revision, event.value) : undefined;
  const created = event.type === 'put' && event.created;
  const needsPrevious = !created && (current === undefined || scope.matches !== undefined);
  const previous = needsPrevious ? await past.before(event.key, key, event.revision) : undefined;
  past.remember(key, current);
  const change = new RecordedChange(event.revision, key, current, previous, 0);
  if (current === undefined || created || needsPrevious) request.changed(change);
  else request.modified(change, current);
  await request.ready();
}

/** The states before the changes that are being replayed. */
class Past {
  private readonly known = new LRUCache<string, Entry>({ maxSize: REMEMBERED_BYTES, sizeCalculation: (entry) => entry.bytes.length + 300 });

  constructor(
    private readonly host: ReplayHost,
    private readonly state: TypeState,
  ) {}

  remember(key: string, current: Entry | undefined): void {
    if (current === undefined) this.known.delete(key);
    else this.known.set(key, current);
  }

  async before(storeKey: string, key: string, revision: Revision): Promise<Entry | undefined> {
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const { kv } = await this.host.store.get(storeKey, { revision: revision - 1 });
    return kv === undefined ? undefined : this.host.entries.make(this.state.type, key, kv.modRevision, kv.value);
  }
}

interface Batch {
  readonly events: readonly StoreEvent[];
  readonly through: Revision;
}

/** A store watch as a sequence that can be awaited, holding little while nobody asks. */
class StoreEvents implements WatchSink {
  private readonly batches = new Deque<Batch>();
  private waiting = 0;
  private paused = false;
  private failure: Compacted | undefined;
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
      this.askAgain(() => void this.watch.requestProgress());
      return;
    }
    // Without progress only a change tells how far the watch is, and only the whole prefix is sure to have one.
    this.watch.close();
    this.watch = this.open(host.keys.whole);
    this.askAgain(() => host.tick());
  }

  async next(): Promise<Batch> {
    for (;;) {
      const batch = this.batches.shift();
      if (batch !== undefined) {
        this.waiting -= bytesOf(batch.events);
        if (this.paused && this.waiting < PAUSE_BYTES) {
          this.paused = false;
          this.watch.resume();
        }
        return batch;
      }
      if (this.failure !== undefined) throw this.failure;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
      if (!this.request.wanted()) return { events: [], through: 0 };
    }
  }

  close(): void {
    this.timer?.cancel();
    this.watch.close();
  }

  events(events: readonly StoreEvent[], through: Revision): void {
    this.batches.push({ events, through });
    this.waiting += bytesOf(events);
    if (!this.paused && this.waiting > PAUSE_BYTES) {
      this.paused = true;
      this.watch.pause();
    }
    this.signal();
  }

  progress(revision: Revision): void {
    this.batches.push({ events: [], through: revision });
    this.signal();
  }

  compacted(compactRevision: Revision): void {
    this.failure = new Compacted(compactRevision);
    this.signal();
  }

  connection(): void {
    // The watch resumes by itself.
  }

  private open(range: KeyRange): Watch {
    return this.host.store.watch(range, this.request.from + 1, this);
  }

  private askAgain(ask: () => void): void {
    this.timer = this.host.clock.after(PROGRESS_MS, () => {
      if (this.request.wanted()) ask();
      else this.signal();
      this.askAgain(ask);
    });
  }

  private signal(): void {
    const wake = this.wake;
    this.wake = undefined;
    wake?.();
  }
}

function bytesOf(events: readonly StoreEvent[]): number {
  let bytes = 0;
  for (const event of events) bytes += 200 + (event.type === 'put' ? event.value.length : 0);
  return bytes;
}
