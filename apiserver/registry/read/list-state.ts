/**
 * Opens the state that a list returns: in the cache, or in the store when the cache lags behind it or no longer has the
 * revision in memory. Which objects of the state are returned is up to collect-page.ts.
 */
import type { StatusError } from '../../../shared/api/errors/status';
import type { Cache, Snapshot } from '../../cache/cache';
import { StoreError, type Revision } from '../../storage/store';
import type { RequestContext, Resource } from '../verbs';
import type { ListSource } from './list-plan';
import type { ListCounts } from './reader-dependencies';
import { convertReadFailure, type GatedReaderDependencies } from './resource-version-gate';

/** Keys in [start, end) to read, and at most how many. */
export interface RangePart {
  readonly start: string | undefined;
  readonly end: string | undefined;
  readonly limit: number;
}

/** How to read the state at one revision. */
interface ExactReadOptions {
  /** The revision is known to exist in the store, even if the cache has not reached it. */
  readonly isInStore?: true;
  /** The error when the revision is compacted. */
  readonly tooOld?: () => StatusError;
}

/**
 * Reads ranges of one state. A state in memory returns a snapshot of the whole type at once; a state in the store returns
 * at most `limit` entries of the range.
 */
export type RangeReader = (part: RangePart) => Promise<Snapshot>;

/** How to read the state, and where to report the size of the list. */
export interface ListState {
  readonly read: RangeReader;
  readonly reportCounts: (counts: ListCounts) => void;
}

/**
 * Waits until the state exists and returns its reader. Rejects with 504 when it does not exist in time; the reader rejects
 * when the state is compacted.
 */
export async function openState(
  deps: GatedReaderDependencies,
  context: RequestContext,
  resource: Resource,
  source: ListSource,
): Promise<ListState> {
  const { cache, gate, clock, listMetrics } = deps;
  const type = resource.stored;
  const cachedState = (waitedMs?: number): ListState => ({
    read: () => Promise.resolve(cache.snapshot(type)),
    reportCounts: (counts) => listMetrics?.observeCacheList(type, counts, waitedMs),
  });
  const exactState = (revision: Revision, options: ExactReadOptions): ListState => ({
    read: (part) => snapshotAt(cache, context, resource, revision, part, options),
    reportCounts: (counts) => listMetrics?.observeStoreList(type, counts, { hasFallenBack: options.isInStore === true }),
  });
  switch (source.type) {
    case 'newest': {
      const startedAt = clock.monotonic();
      if ((await gate.catchUp(context)) === 'current') return cachedState(clock.monotonic() - startedAt);
      // The cache lags behind the store, so the list is read from the store.
      return exactState(await gate.storeRevision(context), { isInStore: true });
    }
    case 'cached':
      await gate.waitForRevision(context, source.notOlderThan);
      return cachedState();
    case 'exact':
      // A revision ahead of the cache may exist, for example on the first page of another replica, so the list waits
      // for it.
      await gate.waitForRevision(context, source.revision);
      return cache.snapshot(type).revision === source.revision ? cachedState() : exactState(source.revision, { tooOld: source.tooOld });
  }
}

async function snapshotAt(
  cache: Cache,
  context: RequestContext,
  resource: Resource,
  revision: Revision,
  { start, end, limit }: RangePart,
  { isInStore, tooOld }: ExactReadOptions,
): Promise<Snapshot> {
  try {
    return await cache.snapshotAt(resource.stored, revision, {
      deadline: context.deadline,
      ...(start === undefined ? {} : { start }),
      ...(end === undefined ? {} : { end }),
      ...(limit === Infinity ? {} : { limit }),
      ...(isInStore === undefined ? {} : { isInStore }),
    });
  } catch (error) {
    throw tooOld !== undefined && error instanceof StoreError && error.failure === 'compacted' ? tooOld() : convertReadFailure(error);
  }
}
