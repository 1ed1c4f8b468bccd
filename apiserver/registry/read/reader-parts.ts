/**
 * What the read side is built from. `createReader(parts): Reader` is in reader.ts, `selectionFor(row, labelSelector, fieldSelector)` in
 * selection.ts, `parseContinue`/`formatContinue` in continue-token.ts. Holds no behaviour.
 */
import type { FeatureGates } from '../../../shared/runtime/feature-gates';
import type { Clock } from '../../../shared/runtime/clock';
import type { Cache } from '../../cache/cache';
import type { Store } from '../../storage/store';

export interface ReaderParts {
  readonly cache: Cache;
  /** Asked only while the cache does not keep up with it. */
  readonly store: Pick<Store, 'revision'>;
  readonly clock: Clock;
  readonly gates: Pick<FeatureGates, 'enabled'>;
}
