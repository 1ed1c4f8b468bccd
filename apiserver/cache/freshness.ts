/**
 * Most recent reads: one revision lookup shared by all who wait, then waiting for the clock, and what is done when the clock stalls (design §3.1).
 *
 * What it never does: answer a read, or let more than one lookup be in flight.
 */
import type { Clock, Timer } from '../../shared/runtime/clock';
import { StoreError, type Revision, type Store } from '../storage/store';
import type { Waited } from './contract';
import type { CacheStatistics } from './statistics';
import type { Waiters } from './waiters';

/** Longest that a most recent read waits for its lookup, and then for the clock. */
const patienceMs = 3000;

export interface FreshnessHost {
  readonly store: Store;
  readonly clock: Clock;
  readonly statistics: CacheStatistics;
  readonly waiters: Waiters;
  /** The cache's clock. */
  readonly revision: Revision;
}

export class Freshness {
  private running: Promise<Revision> | undefined;
  /** The lookup after the running one: whoever comes while one runs may not use it, since it may have been answered already. */
  private queued: Promise<Revision> | undefined;

  constructor(
    private readonly host: FreshnessHost,
    private readonly stall: StallGuard,
  ) {}

  /** Resolves with the newest store revision once the cache's clock has reached it. Rejects with StoreError. */
  async mostRecent(options: Waited): Promise<Revision> {
    const { host } = this;
    const deadline = Math.min(options.deadline, host.clock.monotonic() + patienceMs);
    try {
      const revision = await this.within(deadline, this.lookup());
      if (revision > host.revision) await this.reach(revision, deadline);
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

  private lookup(): Promise<Revision> {
    if (this.queued !== undefined) return this.queued;
    if (this.running === undefined) return this.begin();
    const next = (): Promise<Revision> => {
      this.queued = undefined;
      return this.begin();
    };
    this.queued = this.running.then(next, next);
    return this.queued;
  }

  private begin(): Promise<Revision> {
    const { store, clock, statistics } = this.host;
    statistics.revisionLookups += 1;
    statistics.revisionLookupsInFlight = Math.max(statistics.revisionLookupsInFlight, 1);
    const running = store.revision({ deadline: clock.monotonic() + patienceMs });
    this.running = running;
    const done = (): void => {
      if (this.running === running) this.running = undefined;
    };
    running.then(done, done);
    return running;
  }

  /** A lookup has its own time limit; only a caller with less time than that needs a timer. */
  private within(deadline: number, lookup: Promise<Revision>): Promise<Revision> {
    const { clock } = this.host;
    const left = deadline - clock.monotonic();
    if (left >= patienceMs) return lookup;
    return new Promise((resolve, reject) => {
      const timer = clock.after(Math.max(0, left), () =>
        reject(new StoreError('deadline', 'the store was not asked for its revision in time')),
      );
      lookup.then(resolve, reject).finally(() => timer.cancel());
    });
  }
}

const stallMs = 250;
const reopenAfterMs = 1000;
const reopenAgainAfterMs = 5000;

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
    this.timer = this.host.clock.after(stallMs, () => {
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
    if (now - this.silentSince >= reopenAfterMs && now - this.reopenedAt >= reopenAgainAfterMs) {
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
