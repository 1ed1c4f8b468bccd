/**
 * What the read side is built from. `createReader(parts): Reader` is in reader.ts, `selectionFor(row, labelSelector, fieldSelector)` in
 * selection.ts, `parseContinue`/`formatContinue` in continue-token.ts.
 */
import type { FeatureGates } from '../../../shared/cli/feature-gates';
import type { Clock } from '../../../shared/runtime/clock';
import type { Cache, StoredType } from '../../cache/cache';
import { NO_CONVERSIONS, type Conversions } from '../conversions';
import type { Store } from '../../storage/store';

/** Hears what lists cost. */
export interface ListMeter {
  /** `waitedMs` = for the cache to be as new as the store; undefined = that was not asked for. */
  fromCache(type: StoredType, counts: ListCounts, waitedMs: number | undefined): void;
  /** `hasFallenBack` = the cache did not keep up. */
  fromStore(type: StoredType, counts: ListCounts, hasFallenBack: boolean): void;
}

export interface ListCounts {
  /** Objects that were looked at. */
  readonly fetched: number;
  readonly returned: number;
}

export interface ReaderParts {
  readonly cache: Cache;
  /** Asked only while the cache does not keep up with it. */
  readonly store: Pick<Store, 'revision'>;
  readonly clock: Clock;
  /** Absent = nothing is stored in a version that only a webhook can convert. */
  readonly conversions?: Conversions;
  readonly gates: Pick<FeatureGates, 'isEnabled'>;
  /** Absent = nobody wants to know. */
  readonly meter?: ListMeter;
}

export const conversionsOf = ({ conversions = NO_CONVERSIONS }: Pick<ReaderParts, 'conversions'>): Conversions => conversions;
