/** The dependencies that get, list and watch share. All of them outlive the requests. */
import type { FeatureGates } from '../../../shared/cli/feature-gates';
import type { Clock } from '../../../shared/runtime/clock';
import type { Cache, StoredType } from '../../cache/cache';
import type { Conversions } from '../conversions';
import type { Store } from '../../storage/store';

/** Records the cost of lists. One method is called per page that is returned. */
export interface ListMetrics {
  /** `waitedMs`: time until the cache had caught up with the store; `undefined` when the list did not require it. */
  observeCacheList(type: StoredType, counts: ListCounts, waitedMs: number | undefined): void;
  /** `hasFallenBack`: the list was read from the store because the cache lagged behind. */
  observeStoreList(type: StoredType, counts: ListCounts, { hasFallenBack }: { readonly hasFallenBack: boolean }): void;
}

/** The number of objects that a list has read and returned. */
export interface ListCounts {
  /** Visited objects. */
  readonly fetched: number;
  readonly returned: number;
}

/** What the reader uses. */
export interface ReaderDependencies {
  /** Serves the reads. */
  readonly cache: Cache;
  /** Asked for its revision only while the cache lags behind it. */
  readonly store: Pick<Store, 'revision'>;
  readonly clock: Clock;
  /** Converts custom objects that are stored in another version. */
  readonly conversions: Conversions;
  readonly gates: Pick<FeatureGates, 'isEnabled'>;
  readonly listMetrics?: ListMetrics;
}
