/**
 * Consistent reads from the cache (KEP-2340): one revision lookup shared by all who wait, unless the store knows without being asked; then waiting for
 * the clock, and what is done when the clock stalls.
 *
 * What it never does: answer a read, or let more than one lookup be in flight.
 */
import type { Clock, Timer } from '../../../shared/runtime/clock';
import { StoreError, type Revision, type Store } from '../../storage/store';
import type { Waited } from '../cache';
import type { YieldNow } from '../../../shared/scheduling/yielding';
import type { CacheStatistics } from '../statistics';
import type { Waiters } from './waiters';

/** Longest that a most recent read waits for its lookup, and then for the clock. */
const PATIENCE_MS = 3000;

export interface ConsistentReadsHost {
  readonly store: Store;
  readonly clock: Clock;
  readonly statistics: CacheStatistics;
  readonly waiters: Waiters;
  /** The cache's clock. */
  readonly revision: Revision;
  readonly yieldNow: YieldNow;
}

/** A lookup that has not been sent. */
interface Lookup {
  readonly revision: Promise<Revision>;
  /** When it gives up. */
  readonly deadline: number;
}

export class ConsistentReads {
  /** What has been sent may have been answered already, so whoever comes now may not use it. */
  private running: Promise<unknown> | undefined;
  private gathering: Lookup | undefined;

  constructor(
    private readonly host: ConsistentReadsHost,
    private readonly stall: StallGuard,
  ) {}

  /** Resolves with the newest store revision once the cache's clock has reached it. Rejects with StoreError. */
  async mostRecent(options: Waited): Promise<Revision> {
    const { host } = this;
    try {
      const known = host.store.revisionNow?.(options);
      if (known !== undefined && known <= host.revision) {
        host.statistics.consistentReads += 1;
        return known;
      }
      const now = host.clock.monotonic();
      const lookup = (this.gathering ??= this.gather(now + PATIENCE_MS));
      // Only a caller with less time than the lookup itself needs a timer.
      const revision = await (options.deadline < lookup.deadline ? this.within(options.deadline, lookup.revision) : lookup.revision);
      if (revision > host.revision) await this.reach(revision, Math.min(options.deadline, now + PATIENCE_MS));
      host.statistics.consistentReads += 1;
      return revision;
    } catch (error) {
      host.statistics.consistentReadFallbacks += 1;
      throw error;
    }
  }

  private async reach(revision: Revision, deadline: number): Promise<void> {
    this.stall.expect(revision);
    if (await this.host.waiters.waitFor(revision, deadline)) return;
    throw new StoreError('deadline', `the cache is at revision ${this.host.revision} and did not reach ${revision} in time`);
  }

  private gather(deadline: number): Lookup {
    return { revision: this.send(deadline), deadline };
  }

  /** Waits for the lookup under way, and then for the end of the event loop's turn: requests that lie ready share one lookup. */
  private async send(deadline: number): Promise<Revision> {
    const { store, statistics, yieldNow } = this.host;
    await this.running;
    await yieldNow();
    this.gathering = undefined;
    statistics.revisionLookups += 1;
    statistics.revisionLookupsInFlight = Math.max(statistics.revisionLookupsInFlight, 1);
    const asked = store.revision({ deadline });
    const settled = (): void => (this.running = undefined);
    this.running = asked.then(settled, settled);
    return asked;
  }

  private within(deadline: number, lookup: Promise<Revision>): Promise<Revision> {
    const { clock } = this.host;
    return new Promise((resolve, reject) => {
      const timer = clock.after(Math.max(0, deadline - clock.monotonic()), () =>
        reject(new StoreError('deadline', 'the store was not asked for its revision in time')),
      );
      lookup.then(resolve, reject).finally(() => timer.cancel());
    });
  }
}

const STALL_MS = 250;
const REOPEN_AFTER_MS = 1000;
const REOPEN_AGAIN_AFTER_MS = 5000;

export interface StallHost {
  readonly clock: Clock;
  readonly statistics: CacheStatistics;
  readonly revision: Revision;
  /** Asks the stream how far it is; false where the store cannot tell. */
  requestProgress(): boolean;
  tick(): void;
  reopen(): void;
}

/** Watches over a revision that must come: nudges a silent stream, and reopens it when that does not help. */
export class StallGuard {
  private target: Revision = 0;
  private timer: Timer | undefined;
  private seen: Revision = 0;
  private silentSince = 0;
  private reopenedAt = -Infinity;

  constructor(private readonly host: StallHost) {}

  /** `revision` exists in the store, so the clock must get there. */
  expect(revision: Revision): void {
    this.target = Math.max(this.target, revision);
    if (this.timer !== undefined) return;
    this.listen();
    this.arm();
  }

  close(): void {
    this.timer?.cancel();
    this.target = 0;
  }

  private arm(): void {
    this.timer = this.host.clock.after(STALL_MS, () => {
      this.timer = undefined;
      if (this.host.revision >= this.target) return;
      this.look();
      this.arm();
    });
  }

  private look(): void {
    if (this.host.revision !== this.seen) {
      this.listen();
      return;
    }
    const now = this.host.clock.monotonic();
    if (now - this.silentSince >= REOPEN_AFTER_MS && now - this.reopenedAt >= REOPEN_AGAIN_AFTER_MS) {
      this.reopenedAt = now;
      this.host.statistics.reopened += 1;
      this.host.reopen();
      return;
    }
    if (this.host.requestProgress()) this.host.statistics.progressRequests += 1;
    else this.host.tick();
  }

  private listen(): void {
    this.seen = this.host.revision;
    this.silentSince = this.host.clock.monotonic();
  }
}
