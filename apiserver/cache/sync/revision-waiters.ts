/**
 * Callers that wait for the cache to reach a revision. A wait that does not succeed ends at its deadline or when the cache
 * is closed.
 */
import type { Clock, Timer } from '../../../shared/runtime/clock';
import type { Revision } from '../../storage/store';

interface Waiter {
  readonly revision: Revision;
  readonly timer: Timer;
  readonly resolve: (isReached: boolean) => void;
}

/** The waiting callers of one cache. */
export class RevisionWaiters {
  private readonly waiting = new Set<Waiter>();
  /**
   * A lower bound of the awaited revisions, so that most calls of `advance` need not visit the waiters. A wait that ends at
   * its deadline does not raise it.
   */
  private lowestAwaited = Infinity;
  private currentRevision: Revision = 0;
  private isClosed = false;

  constructor(private readonly clock: Clock) {}

  /**
   * Resolves with true once `revision` is reached, with false at the deadline (milliseconds of Clock.monotonic) or when
   * the cache is closed.
   */
  waitForRevision(revision: Revision, deadline: number): Promise<boolean> {
    if (revision <= this.currentRevision) return Promise.resolve(true);
    const remainingMs = deadline - this.clock.monotonic();
    if (remainingMs <= 0 || this.isClosed) return Promise.resolve(false);
    return new Promise((resolve) => {
      const timer = this.clock.after(remainingMs, () => {
        this.waiting.delete(waiter);
        resolve(false);
      });
      const waiter: Waiter = { revision, timer, resolve };
      this.waiting.add(waiter);
      this.lowestAwaited = Math.min(this.lowestAwaited, revision);
    });
  }

  /** The cache has reached `revision`. */
  advance(revision: Revision): void {
    this.currentRevision = revision;
    if (revision < this.lowestAwaited) return;
    this.lowestAwaited = Infinity;
    for (const waiter of this.waiting) {
      if (waiter.revision <= revision) {
        this.remove(waiter);
        waiter.resolve(true);
      } else this.lowestAwaited = Math.min(this.lowestAwaited, waiter.revision);
    }
  }

  /** Ends all waits with false. */
  close(): void {
    this.isClosed = true;
    for (const waiter of this.waiting) {
      this.remove(waiter);
      waiter.resolve(false);
    }
  }

  private remove(waiter: Waiter): void {
    this.waiting.delete(waiter);
    waiter.timer.cancel();
  }
}
