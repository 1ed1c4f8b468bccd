/**
 * Consistent reads from the cache (KEP-2340): asks the store for its revision and waits until the cache has reached it.
 * Concurrent callers share the lookup, and at most one lookup is in flight. A stream that does not deliver the revision is
 * left to stall-guard.ts.
 */
import type { Clock } from '../../../shared/runtime/clock';
import { StoreError, type Revision, type Store } from '../../storage/store';
import type { WaitOptions } from '../cache';
import type { YieldNow } from '../../../shared/scheduling/yielding';
import type { CacheStatistics } from '../statistics';
import type { RevisionWaiters } from './revision-waiters';
import type { StallGuard } from './stall-guard';

/** Maximum time that a consistent read waits for its lookup and the cache together. */
const MAX_WAIT_MS = 3000;

/** The cache that the reads are served from. */
export interface ConsistentReadsHost {
  readonly store: Store;
  readonly clock: Clock;
  readonly statistics: CacheStatistics;
  /** Wakes up callers when the cache reaches their revision. */
  readonly waiters: RevisionWaiters;
  /** The cache's revision. */
  readonly revision: Revision;
  /** Resolves in the next turn of the event loop. */
  readonly yieldNow: YieldNow;
}

/** A lookup that has not been sent yet, so that further callers may share it. */
interface PendingLookup {
  readonly revision: Promise<Revision>;
  /** In milliseconds of Clock.monotonic. */
  readonly deadline: number;
}

/** The revision lookups of one cache. */
export class ConsistentReads {
  /** The lookup in flight. Later callers must not use it: its revision may be from before their call. */
  private inFlight: Promise<unknown> | undefined;
  private pendingLookup: PendingLookup | undefined;

  constructor(
    private readonly host: ConsistentReadsHost,
    private readonly stall: StallGuard,
  ) {}

  /** Resolves with the newest store revision once the cache has reached it. Rejects with StoreError. */
  async waitUntilFresh(options: WaitOptions): Promise<Revision> {
    const { host } = this;
    try {
      // Only a store in this process knows its revision synchronously.
      const storeRevision = host.store.revisionSync?.(options);
      if (storeRevision !== undefined && storeRevision <= host.revision) {
        host.statistics.consistentReads += 1;
        return storeRevision;
      }
      const now = host.clock.monotonic();
      const lookup = (this.pendingLookup ??= this.createLookup(now + MAX_WAIT_MS));
      // Only a caller with an earlier deadline than the lookup needs a timer.
      const needsTimer = options.deadline < lookup.deadline;
      const revision = await (needsTimer ? this.withDeadline(options.deadline, lookup.revision) : lookup.revision);
      if (revision > host.revision) await this.waitForCache(revision, Math.min(options.deadline, now + MAX_WAIT_MS));
      host.statistics.consistentReads += 1;
      return revision;
    } catch (error) {
      host.statistics.consistentReadFallbacks += 1;
      throw error;
    }
  }

  private async waitForCache(revision: Revision, deadline: number): Promise<void> {
    this.stall.expectRevision(revision);
    if (await this.host.waiters.waitForRevision(revision, deadline)) return;
    throw new StoreError('deadline', `the cache is at revision ${this.host.revision} and did not reach ${revision} in time`);
  }

  private createLookup(deadline: number): PendingLookup {
    return { revision: this.sendLookup(deadline), deadline };
  }

  /**
   * Waits for the lookup in flight, then for the next turn of the event loop, so that requests that have arrived by then
   * share this lookup.
   */
  private async sendLookup(deadline: number): Promise<Revision> {
    const { store, statistics, yieldNow } = this.host;
    await this.inFlight;
    await yieldNow();
    this.pendingLookup = undefined;
    statistics.revisionLookups += 1;
    const request = store.revision({ deadline });
    const onDone = (): void => (this.inFlight = undefined);
    this.inFlight = request.then(onDone, onDone);
    return request;
  }

  private withDeadline(deadline: number, lookup: Promise<Revision>): Promise<Revision> {
    const { clock } = this.host;
    return new Promise((resolve, reject) => {
      const timer = clock.after(Math.max(0, deadline - clock.monotonic()), () =>
        reject(new StoreError('deadline', 'the revision of the store was not read in time')),
      );
      lookup.then(resolve, reject).finally(() => timer.cancel());
    });
  }
}
