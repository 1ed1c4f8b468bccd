/** Dependencies of the read side: get, list and watch (reader.ts). */
import type { FeatureGates } from '../../../shared/cli/feature-gates';
import type { Clock } from '../../../shared/runtime/clock';
import type { Cache, StoredType } from '../../cache/cache';
import { NO_CONVERSIONS, type Conversions } from '../conversions';
import type { Store } from '../../storage/store';

/** Records the cost of lists. */
export interface ListMetrics {
  /** `waitedMs`: time until the cache had caught up with the store; `undefined` when the list did not require it. */
  observeCacheList(type: StoredType, counts: ListCounts, waitedMs: number | undefined): void;
  /** `hasFallenBack`: the list was read from the store because the cache lagged behind. */
  observeStoreList(type: StoredType, counts: ListCounts, { hasFallenBack }: { readonly hasFallenBack: boolean }): void;
}

export interface ListCounts {
  /** Visited objects. */
  readonly fetched: number;
  readonly returned: number;
}

export interface ReaderParts {
  readonly cache: Cache;
  /** Read only while the cache lags behind the store. */
  readonly store: Pick<Store, 'revision'>;
  readonly clock: Clock;
  /** Absent when no kind has a conversion webhook. */
  readonly conversions?: Conversions;
  readonly gates: Pick<FeatureGates, 'isEnabled'>;
  readonly listMetrics?: ListMetrics;
}

export const conversionsOf = ({ conversions = NO_CONVERSIONS }: Pick<ReaderParts, 'conversions'>): Conversions => conversions;
