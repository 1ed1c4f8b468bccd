/** Those who wait for the clock to reach a revision. Nobody is woken early; a waiter that is not reached in time is told so. */
import type { Clock, Timer } from '../../../shared/runtime/clock';
import type { Revision } from '../../storage/store';

interface Waiter {
  readonly revision: Revision;
  readonly timer: Timer;
  readonly resolve: (reached: boolean) => void;
}

export class Waiters {
  private readonly waiting = new Set<Waiter>();
  /** No waiter waits for less; may lag behind those who gave up. */
  private lowest = Infinity;
  private reached: Revision = 0;
  private closed = false;

  constructor(private readonly clock: Clock) {}

  /** True once `revision` is reached, false at the deadline (milliseconds of Clock.monotonic) or when the cache closes. */
  waitFor(revision: Revision, deadline: number): Promise<boolean> {
    if (revision <= this.reached) return Promise.resolve(true);
    const left = deadline - this.clock.monotonic();
    if (left <= 0 || this.closed) return Promise.resolve(false);
    return new Promise((resolve) => {
      const timer = this.clock.after(left, () => {
        this.waiting.delete(waiter);
        resolve(false);
      });
      const waiter: Waiter = { revision, timer, resolve };
      this.waiting.add(waiter);
      this.lowest = Math.min(this.lowest, revision);
    });
  }

  /** The clock has reached `revision`. */
  advance(revision: Revision): void {
    this.reached = revision;
    if (revision < this.lowest) return;
    this.lowest = Infinity;
    for (const waiter of this.waiting) {
      if (waiter.revision <= revision) this.settle(waiter, true);
      else this.lowest = Math.min(this.lowest, waiter.revision);
    }
  }

  close(): void {
    this.closed = true;
    for (const waiter of this.waiting) this.settle(waiter, false);
  }

  private settle(waiter: Waiter, reached: boolean): void {
    this.waiting.delete(waiter);
    waiter.timer.cancel();
    waiter.resolve(reached);
  }
}
