/** Caches over in-memory stores, for tests that control the clock of the cache and the stream of the store. */
import type { WatchRequest } from '../../../apiserver/cache/cache';
import type { CacheOptions, OpenedCache } from '../../../apiserver/cache/sync/open-cache';
import { ManualClock } from '../../support/clock/manual-clock';
import { storedTypes } from '../../support/store/cache-fixture';
import { MemoryStore } from '../../support/store/memory-store';
import { openTestCache } from '../../support/store/test-cache';
import { stopAfterTest } from '../../support/use-resource';

export interface CacheFixture {
  /** Its own clock stands still: leases do not expire, and no deadline of a store call passes. */
  readonly store: MemoryStore;
  /** The clock of the cache alone. */
  readonly clock: ManualClock;
  readonly cache: OpenedCache;
  /** Options of a call that may wait this long by the clock of the cache. */
  readonly deadlineIn: (ms: number) => { readonly deadline: number };
  /** A watch of all objects of a type from the present revision of the cache. */
  readonly watchFromNow: (overrides?: Partial<WatchRequest>) => WatchRequest;
  /** Like `watchFromNow`, with the present objects as initial events. */
  readonly watchWithState: (overrides?: Partial<WatchRequest>) => WatchRequest;
}

/** Options of the cache; the fixture provides the store and the clock. */
type CacheOverrides = Partial<Omit<CacheOptions, 'store' | 'clock'>>;

/** Returns a function that opens a cache over a new store. The caches are closed after each test. */
export function useCaches(): (options?: CacheOverrides) => Promise<CacheFixture> {
  const closeAfterTest = stopAfterTest((cache: OpenedCache) => cache.close());
  return async (options = {}) => {
    const store = new MemoryStore();
    const clock = new ManualClock();
    const cache = closeAfterTest(openTestCache({ store, types: storedTypes, clock, ...options }));
    await cache.whenReady();
    const watchFromNow = (overrides: Partial<WatchRequest> = {}): WatchRequest => ({
      scope: {},
      start: { type: 'after', revision: cache.revision },
      bookmarks: false,
      markEndOfInitialEvents: false,
      ...overrides,
    });
    return {
      store,
      clock,
      cache,
      deadlineIn: (ms) => ({ deadline: clock.monotonic() + ms }),
      watchFromNow,
      watchWithState: (overrides = {}) => watchFromNow({ start: { type: 'state' }, ...overrides }),
    };
  };
}
