/**
 * A cache that lags behind its store until the test lets it catch up: the real cache with a stream that is held except
 * during `catchUp`. `waitUntilFresh` catches up, and `waitForRevision` resolves at once: to `false` for a revision that
 * the cache has not seen.
 */
import type {
  Cache,
  CacheWatch,
  ChangeSink,
  Entry,
  UnreadableKey,
  Snapshot,
  SnapshotRequest,
  StoredType,
  WaitOptions,
  WatchRequest,
} from '../../../apiserver/cache/cache';
import { openCache, type OpenedCache } from '../../../apiserver/cache/sync/open-cache';
import { StoreError, type Revision } from '../../../apiserver/storage/store';
import { silentLogger } from '../../../shared/runtime/logger';
import { systemRandom } from '../../../shared/runtime/random';
import { ManualClock } from '../clock/manual-clock';
import type { MemoryStore } from './memory-store';

export class LaggingCache implements Cache {
  isReady = true;
  /** The number of calls of `waitUntilFresh`. */
  lookups = 0;
  /** Makes `waitUntilFresh` fail, so that readers must read from the store. */
  isStuck = false;

  private constructor(
    private readonly store: MemoryStore,
    private readonly cache: OpenedCache,
  ) {}

  /** From now on the stream of the store delivers events only during `catchUp`. */
  static async open(store: MemoryStore, prefix: string, types: readonly StoredType[]): Promise<LaggingCache> {
    const environment = { clock: new ManualClock(), random: systemRandom, logger: silentLogger };
    const cache = openCache({ store, prefix, types, ...environment, checkMs: 0, compactionMs: 0 });
    await cache.whenReady();
    store.isHeld = true;
    return new LaggingCache(store, cache);
  }

  get revision(): Revision {
    return this.cache.revision;
  }

  get compactedRevision(): Revision {
    return this.cache.compactedRevision;
  }

  catchUp(): Promise<void> {
    this.store.isHeld = false;
    this.store.deliver();
    this.store.isHeld = true;
    return Promise.resolve();
  }

  async waitUntilFresh(): Promise<Revision> {
    this.lookups++;
    if (this.isStuck) throw new StoreError('deadline', 'the cache did not get there');
    await this.catchUp();
    return this.revision;
  }

  waitForRevision(revision: Revision): Promise<boolean> {
    return Promise.resolve(this.revision >= revision);
  }

  get(type: StoredType, key: string): Entry | undefined {
    return this.cache.get(type, key);
  }

  readFromStore(
    type: StoredType,
    key: string,
    options: WaitOptions = { deadline: Infinity },
  ): Promise<{ readonly revision: Revision; readonly entry: Entry | undefined }> {
    return this.cache.readFromStore(type, key, options);
  }

  unreadableReason(type: StoredType, key: string): string | undefined {
    return this.cache.unreadableReason(type, key);
  }

  firstUnreadableKey(type: StoredType, start?: string, end?: string): UnreadableKey | undefined {
    return this.cache.firstUnreadableKey(type, start, end);
  }

  snapshot(type: StoredType): Snapshot {
    return this.cache.snapshot(type);
  }

  snapshotAt(type: StoredType, revision: Revision, request: SnapshotRequest): Promise<Snapshot> {
    return this.cache.snapshotAt(type, revision, request);
  }

  pin(type: StoredType, snapshot: Snapshot): void {
    this.cache.pin(type, snapshot);
  }

  watch(type: StoredType, request: WatchRequest, sink: ChangeSink): CacheWatch {
    return this.cache.watch(type, request, sink);
  }

  close(): Promise<void> {
    return this.cache.close();
  }
}
