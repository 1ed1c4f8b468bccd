/**
 * A cache that lags behind its store until the test lets it catch up: the real cache with a stream that is held except
 * during `catchUp`. `waitUntilFresh` catches up. `waitForRevision` resolves at once, with `false` for a revision that the
 * cache has not seen.
 */
import type { Entry, StoredType, WaitOptions } from '../../../apiserver/cache/cache';
import { KeyspaceCache } from '../../../apiserver/cache/sync/open-cache';
import { StoreError, type Revision } from '../../../apiserver/storage/store';
import { ManualClock } from '../clock/manual-clock';
import type { MemoryStore } from './memory-store';
import { testCacheOptions } from './test-cache';

export class LaggingCache extends KeyspaceCache {
  /** The number of calls of `waitUntilFresh`. */
  lookups = 0;
  /** Makes `waitUntilFresh` fail, so that readers must read from the store. */
  isStuck = false;

  private constructor(
    private readonly heldStore: MemoryStore,
    types: readonly StoredType[],
  ) {
    super(testCacheOptions({ store: heldStore, types, clock: new ManualClock() }));
  }

  /** From now on the stream of the store delivers events only during `catchUp`. */
  static async open(store: MemoryStore, types: readonly StoredType[]): Promise<LaggingCache> {
    const cache = new LaggingCache(store, types);
    await cache.start();
    store.isHeld = true;
    return cache;
  }

  /** Applies all changes that the store has now. */
  async catchUp(): Promise<void> {
    this.heldStore.isHeld = false;
    this.heldStore.deliver();
    this.heldStore.isHeld = true;
  }

  override async waitUntilFresh(): Promise<Revision> {
    this.lookups++;
    if (this.isStuck) throw new StoreError('deadline', 'the cache did not reach the revision');
    await this.catchUp();
    return this.revision;
  }

  /** Without a deadline by default. */
  override readFromStore(
    type: StoredType,
    key: string,
    options: WaitOptions = { deadline: Infinity },
  ): Promise<{ readonly revision: Revision; readonly entry: Entry | undefined }> {
    return super.readFromStore(type, key, options);
  }

  override async waitForRevision(revision: Revision): Promise<boolean> {
    return this.revision >= revision;
  }
}
