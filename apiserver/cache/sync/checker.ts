/**
 * The consistency checker: a background pass over all types that compares memory with the store. Every read rests on the stream having told
 * everything once; should it ever not have, no later event would mend it.
 *
 * A type that differs is counted, logged and set right at once; a type that differs again in the next pass is a reason to be unhealthy.
 */
import type { Clock, Timer } from '../../../shared/runtime/clock';
import type { Logger } from '../../../shared/runtime/logger';
import type { Random } from '../../../shared/runtime/random';
import { StoreError, type Revision } from '../../storage/store';
import { compareWithStore, type ComparisonHost, type Difference } from './comparison';
import type { CacheStatistics } from '../statistics';
import type { TypeState } from '../store/type-state';

/** Share by which a pass may begin earlier, so that replicas do not read the store together. */
const JITTER = 0.2;

export interface CheckerHost extends ComparisonHost {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly statistics: CacheStatistics;
  readonly revision: Revision;
  /** Sets the type right: `difference` was found at `revision`; the stream may have gone on since. */
  repair(state: TypeState, difference: Difference, revision: Revision): void;
}

export class Checker {
  private timer: Timer | undefined;
  private closed = false;

  constructor(
    private readonly host: CheckerHost,
    /** 0 = never. Milliseconds. */
    private readonly intervalMs: number,
  ) {}

  start(): void {
    if (this.intervalMs > 0) this.arm();
  }

  close(): void {
    this.closed = true;
    this.timer?.cancel();
  }

  /** One pass over all types. Rejects with StoreError. */
  async pass(): Promise<void> {
    this.host.statistics.checks += 1;
    for (const state of this.host.keys.states) {
      if (this.closed) return;
      await this.check(state);
    }
  }

  private arm(): void {
    const wait = this.intervalMs * (1 - JITTER * this.host.random.float());
    this.timer = this.host.clock.after(wait, () => void this.run());
  }

  private async run(): Promise<void> {
    try {
      await this.pass();
    } catch (error) {
      const level = error instanceof StoreError ? 'warn' : 'error';
      this.host.logger[level]('the consistency check was broken off', { error });
    }
    if (!this.closed) this.arm();
  }

  private async check(state: TypeState): Promise<void> {
    const { host } = this;
    const revision = host.revision;
    if (revision === 0) return;
    const difference = await compareWithStore(host, state, state.snapshot(revision).range(), revision);
    const keys = difference.changed.length + difference.removed.length;
    if (keys === 0) {
      state.differingPasses = 0;
      return;
    }
    state.differingPasses += 1;
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
