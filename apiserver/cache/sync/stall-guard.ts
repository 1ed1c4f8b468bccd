/**
 * Recovers the store's stream when it does not deliver a revision that the store has: requests progress on a silent stream,
 * and reopens the stream when that does not help. Waiting for the revision is left to the callers.
 */
import type { Clock, Timer } from '../../../shared/runtime/clock';
import type { Revision } from '../../storage/store';
import type { CacheStatistics } from '../statistics';

/** Interval of the checks, and of the requests for progress. */
const STALL_MS = 250;
/** Time without progress after which the stream is reopened. */
const REOPEN_AFTER_MS = 1000;
/** Minimum time between two reconnections of a stalled stream. */
const MIN_REOPEN_INTERVAL_MS = 5000;

/** What {@link StallGuard} needs from the event stream. */
export interface StallHost {
  readonly clock: Clock;
  readonly statistics: CacheStatistics;
  /** The cache's revision. */
  readonly revision: Revision;
  /** Requests progress on the stream; false when the store cannot report it. */
  requestProgress(): boolean;
  /** Writes the tick key, so that an event advances the cache. */
  tick(): void;
  /** Opens another stream from the cache's revision. */
  reopen(): void;
}

/** Checks the progress of one stream, as long as a revision that must arrive has not arrived. */
export class StallGuard {
  /** The highest revision that must arrive. */
  private target: Revision = 0;
  private timer: Timer | undefined;
  /** The cache's revision at its last progress, and the times of that and of the last reconnection. */
  private lastRevision: Revision = 0;
  private lastProgressAt = 0;
  private reopenedAt = -Infinity;

  constructor(private readonly host: StallHost) {}

  /** `revision` exists in the store, so the stream must reach it. */
  expectRevision(revision: Revision): void {
    this.target = Math.max(this.target, revision);
    if (this.timer !== undefined) return;
    this.markProgress();
    this.scheduleCheck();
  }

  /** Stops the checks. */
  close(): void {
    this.timer?.cancel();
    this.target = 0;
  }

  private scheduleCheck(): void {
    this.timer = this.host.clock.after(STALL_MS, () => {
      this.timer = undefined;
      if (this.host.revision >= this.target) return;
      this.checkProgress();
      this.scheduleCheck();
    });
  }

  private checkProgress(): void {
    if (this.host.revision !== this.lastRevision) {
      this.markProgress();
      return;
    }
    const now = this.host.clock.monotonic();
    if (now - this.lastProgressAt >= REOPEN_AFTER_MS && now - this.reopenedAt >= MIN_REOPEN_INTERVAL_MS) {
      this.reopenedAt = now;
      this.host.statistics.streamReopens += 1;
      this.host.reopen();
      return;
    }
    if (this.host.requestProgress()) this.host.statistics.progressRequests += 1;
    else this.host.tick();
  }

  private markProgress(): void {
    this.lastRevision = this.host.revision;
    this.lastProgressAt = this.host.clock.monotonic();
  }
}
