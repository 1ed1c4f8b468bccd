/**
 * The consistency checker: a periodic pass over all types that compares memory with the store. Reads of the cache rely on
 * the stream having delivered every event exactly once; without the checker, the effect of a missed event would last
 * until the object's next write.
 *
 * A type that differs is counted, logged and resynced immediately. A type that differs in two passes in a row makes the
 * replica unhealthy (`problems()` of the cache).
 */
import type { Clock, Timer } from '../../../shared/runtime/clock';
import type { Logger } from '../../../shared/runtime/logger';
import type { Random } from '../../../shared/runtime/random';
import { StoreError, type Revision } from '../../storage/store';
import { compareWithStore, type ComparisonHost, type Difference } from './compare-with-store';
import type { CacheStatistics } from '../statistics';
import type { TypeState } from '../store/type-state';

/** Maximum share of the interval by which a pass starts earlier, so that replicas do not read the store at the same time. */
const JITTER = 0.2;

/** The cache that is checked. */
export interface ConsistencyCheckerHost extends ComparisonHost {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly statistics: CacheStatistics;
  /** Corrects the type by a difference found at revision `comparedAt`; the stream may have continued since. */
  repair(state: TypeState, difference: Difference, comparedAt: Revision): void;
}

/** The checker of one cache. */
export class ConsistencyChecker {
  private timer: Timer | undefined;
  private isClosed = false;

  constructor(
    private readonly host: ConsistencyCheckerHost,
    /** Interval in milliseconds; 0 to disable the checker. */
    private readonly intervalMs: number,
  ) {}

  /** Schedules the passes; must be called once, when the cache is ready. */
  start(): void {
    if (this.intervalMs > 0) this.scheduleNext();
  }

  /** Starts no further pass, and ends a running one before its next type. */
  close(): void {
    this.isClosed = true;
    this.timer?.cancel();
  }

  /** One pass over all types. Rejects with StoreError. */
  async checkAllTypes(): Promise<void> {
    this.host.statistics.checks += 1;
    for (const state of this.host.keys.states) {
      if (this.isClosed) return;
      await this.checkType(state);
    }
  }

  private scheduleNext(): void {
    const wait = this.intervalMs * (1 - JITTER * this.host.random.float());
    this.timer = this.host.clock.after(wait, () => void this.run());
  }

  private async run(): Promise<void> {
    try {
      await this.checkAllTypes();
    } catch (error) {
      const level = error instanceof StoreError ? 'warn' : 'error';
      this.host.logger[level]('the consistency check was aborted', { error });
    }
    if (!this.isClosed) this.scheduleNext();
  }

  private async checkType(state: TypeState): Promise<void> {
    const { host } = this;
    const revision = host.revision;
    if (revision === 0) return;
    const difference = await compareWithStore(host, state, revision);
    const keys = difference.changed.length + difference.removed.length;
    if (keys === 0) {
      state.consecutiveDifferences = 0;
      return;
    }
    state.consecutiveDifferences += 1;
    host.statistics.differences += keys;
    host.logger.error('the cache differed from the store', {
      type: state.type.name,
      revision,
      keys,
      example: difference.changed[0]?.key ?? difference.removed[0],
    });
    host.repair(state, difference, revision);
  }
}
