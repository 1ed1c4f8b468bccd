/**
 * A cache in memory that a test fills and moves by hand: every put or remove is one revision. The store may run ahead of it, history can be
 * compacted, and it says what it was asked. Watches only record their requests: delivery is the real cache's business.
 */
import { compareBytes } from '../../shared/values/json';
import type { Clock } from '../../shared/runtime/clock';
import type {
  Cache,
  CacheWatch,
  ChangeSink,
  Entry,
  Labels,
  Snapshot,
  SnapshotRequest,
  StoredType,
  Waited,
  WatchRequest,
} from '../../apiserver/cache/cache';
import { StoreError, type Revision } from '../../apiserver/storage/store';

/** Longest that a most recent read waits (see the contract). */
const PATIENCE_MS = 3000;

interface State {
  readonly revision: Revision;
  readonly entries: ReadonlyMap<string, Entry>;
}

interface Wait {
  readonly revision: Revision;
  settle(): void;
}

/** One type's worth of history; tests need no more. */
export class FakeCache implements Cache {
  ready = true;
  compactedRevision = 1;
  /** The store's revision when it is ahead of the cache. */
  storeRevision: Revision | undefined;
  /** Makes every question to the store fail like this. */
  storeFailure: StoreError | undefined;
  /** States older than the present are read from the store in parts. */
  partial = false;
  readonly pinned: Snapshot[] = [];
  readonly snapshotRequests: SnapshotRequest[] = [];
  readonly watches: WatchRequest[] = [];
  lookups = 0;
  private readonly states: State[];
  private readonly waits = new Set<Wait>();

  constructor(
    private readonly clock: Clock,
    start: Revision = 100,
  ) {
    this.states = [{ revision: start, entries: new Map() }];
  }

  put(key: string, more: { readonly labels?: Labels; readonly fields?: Labels } = {}): Entry {
    const revision = this.revision + 1;
    const entry: Entry = {
      key,
      revision,
      bytes: Buffer.from(`{"metadata":{"name":"${key}"}}`),
      labels: {},
      fields: {},
      dialectSensitive: false,
      ...more,
    };
    this.apply(new Map(this.present.entries).set(key, entry));
    return entry;
  }

  remove(key: string): void {
    const entries = new Map(this.present.entries);
    entries.delete(key);
    this.apply(entries);
  }

  /** Moves the clock as a change of another type does. */
  tick(): void {
    this.apply(this.present.entries);
  }

  get revision(): Revision {
    return this.present.revision;
  }

  waitFor(revision: Revision, { deadline }: Waited): Promise<boolean> {
    if (this.revision >= revision) return Promise.resolve(true);
    return new Promise((resolve) => {
      const timer = this.clock.after(deadline - this.clock.monotonic(), () => {
        this.waits.delete(wait);
        resolve(false);
      });
      const wait: Wait = {
        revision,
        settle: () => {
          timer.cancel();
          resolve(true);
        },
      };
      this.waits.add(wait);
    });
  }

  async mostRecent(options: Waited): Promise<Revision> {
    this.lookups += 1;
    if (this.storeFailure !== undefined) throw this.storeFailure;
    const revision = this.storeRevision ?? this.revision;
    const deadline = Math.min(options.deadline, this.clock.monotonic() + PATIENCE_MS);
    if (await this.waitFor(revision, { deadline })) return revision;
    throw new StoreError('deadline', 'the cache did not get there');
  }

  get(_type: StoredType, key: string): Entry | undefined {
    return this.present.entries.get(key);
  }

  snapshot(): Snapshot {
    return snapshotOf(this.present, undefined);
  }

  snapshotAt(_type: StoredType, revision: Revision, request: SnapshotRequest): Promise<Snapshot> {
    this.snapshotRequests.push(request);
    if (this.storeFailure !== undefined) return Promise.reject(this.storeFailure);
    if (revision < this.compactedRevision) return Promise.reject(new StoreError('compacted', 'compacted', this.compactedRevision));
    if (revision > Math.max(this.revision, this.storeRevision ?? 0)) return Promise.reject(new StoreError('future-revision', 'not yet'));
    const state = this.states.findLast((candidate) => candidate.revision <= revision) ?? this.present;
    return Promise.resolve(snapshotOf({ ...state, revision }, this.partial ? request : undefined));
  }

  pin(_type: StoredType, snapshot: Snapshot): void {
    this.pinned.push(snapshot);
  }

  watch(_type: StoredType, request: WatchRequest, _sink: ChangeSink): CacheWatch {
    this.watches.push(request);
    return { close: () => undefined, bookmarkNow: () => undefined };
  }

  read(_type: StoredType, key: string): Promise<{ readonly revision: Revision; readonly entry: Entry | undefined }> {
    if (this.storeFailure !== undefined) return Promise.reject(this.storeFailure);
    return Promise.resolve({ revision: this.storeRevision ?? this.revision, entry: this.present.entries.get(key) });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private get present(): State {
    const state = this.states[this.states.length - 1];
    if (state === undefined) throw new Error('a cache always has a state');
    return state;
  }

  private apply(entries: ReadonlyMap<string, Entry>): void {
    this.states.push({ revision: this.revision + 1, entries });
    for (const wait of [...this.waits]) {
      if (wait.revision > this.revision) continue;
      this.waits.delete(wait);
      wait.settle();
    }
  }
}

/** @param part set when only this much is known of the state */
function snapshotOf({ revision, entries }: State, part: SnapshotRequest | undefined): Snapshot {
  const all = [...entries.values()].sort((a, b) => compareBytes(a.key, b.key));
  const within = (start?: string, end?: string): Entry[] =>
    all.filter(({ key }) => (start === undefined || compareBytes(key, start) >= 0) && (end === undefined || compareBytes(key, end) < 0));
  const asked = within(part?.start, part?.end);
  const unknown = part?.limit === undefined ? undefined : asked[part.limit];
  const known = unknown === undefined ? asked : asked.slice(0, part?.limit);
  return {
    revision,
    size: all.length,
    get: (key) => known.find((entry) => entry.key === key),
    range: (start, end) => within(start, end).filter((entry) => known.includes(entry)),
    count: (start, end) => within(start, end).length,
    ...(unknown === undefined ? {} : { unknownFrom: unknown.key }),
  };
}
