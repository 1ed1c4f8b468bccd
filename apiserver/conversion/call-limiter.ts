/**
 * Limits the concurrent calls to the webhook of one definition: 16 calls run, further ones queue in order, and calls
 * beyond the queue limit are rejected.
 */
import { tooManyRequests } from '../../shared/api/errors/status';

/** Calls to one webhook at a time. */
const MAX_CONCURRENT_CALLS = 16;
/** Calls that wait for one webhook; further ones are rejected with 429. */
const MAX_QUEUED_CALLS = 1_000;

/** The limiter of one definition. Calls start in the order of {@link CallLimiter.runLimited}. */
export class CallLimiter {
  /** Number of running calls. A call that ends passes its slot to the next one in the queue; the number then stays. */
  private calls = 0;
  private readonly queue: (() => void)[] = [];

  /** Whether no call runs or waits. */
  get isIdle(): boolean {
    return this.calls === 0;
  }

  /**
   * Runs the call as soon as fewer calls than the limit are running, and resolves or rejects with its outcome. Rejects with
   * a StatusError (429) at once when the queue is full.
   */
  async runLimited<T>(call: () => Promise<T>): Promise<T> {
    if (this.calls >= MAX_CONCURRENT_CALLS) {
      if (this.queue.length >= MAX_QUEUED_CALLS) throw tooManyRequests('too many objects are waiting to be converted', 1);
      await new Promise<void>((resolve) => this.queue.push(resolve));
    } else this.calls += 1;
    try {
      return await call();
    } finally {
      const next = this.queue.shift();
      if (next === undefined) this.calls -= 1;
      else next();
    }
  }
}
