/**
 * Rate limiters of work queues: compute the delay before a failed item is retried, which grows with the failures of the
 * item and with the retries of all items. Waiting is left to the queue.
 */
import type { Clock } from '../runtime/clock';

/** Decides how long a failed item waits. */
export interface RateLimiter {
  /** Counts a failure of the item and returns the delay before its next attempt, in milliseconds. */
  nextDelayMs(item: string): number;
  /** Resets the item's failures. */
  forget(item: string): void;
  /** The failures of the item since it was last forgotten. */
  failures(item: string): number;
}

/** The delays of {@link ItemRateLimiter}. The defaults are client-go's. */
export interface RateLimiterOptions {
  readonly clock: Clock;
  /** Delay after the first failure; it doubles with each further one. Milliseconds, 5 by default. */
  readonly initialMs?: number;
  /** The delay does not grow beyond this. Milliseconds; 1,000 s by default. */
  readonly maxMs?: number;
  /** Retries per second of all items together, once `burst` is used up; 10 by default. */
  readonly perSecond?: number;
  /** Retries of all items together that are not limited by `perSecond`; 100 by default. */
  readonly burst?: number;
}

/**
 * client-go's default controller rate limiter: the larger of the item's exponential back-off and the delay of a token
 * bucket for all items.
 */
export class ItemRateLimiter implements RateLimiter {
  private readonly counts = new Map<string, number>();
  private readonly bucket: TokenBucket;

  constructor(private readonly options: RateLimiterOptions) {
    this.bucket = new TokenBucket(options.clock, options.perSecond ?? 10, options.burst ?? 100);
  }

  nextDelayMs(item: string): number {
    const { initialMs = 5, maxMs = 1_000_000 } = this.options;
    const count = this.failures(item);
    this.counts.set(item, count + 1);
    return Math.max(Math.min(initialMs * 2 ** count, maxMs), this.bucket.reserve());
  }

  forget(item: string): void {
    this.counts.delete(item);
  }

  failures(item: string): number {
    return this.counts.get(item) ?? 0;
  }
}

/** A bucket that holds up to `burst` tokens and receives `perSecond` tokens in a second. It begins full. */
export class TokenBucket {
  /** Negative when tokens are reserved in advance. */
  private tokens: number;
  /** Monotonic milliseconds. */
  private refilledAt: number;

  constructor(
    private readonly clock: Clock,
    private readonly perSecond: number,
    private readonly burst: number,
  ) {
    this.tokens = burst;
    this.refilledAt = clock.monotonic();
  }

  /** Reserves the next token; returns the milliseconds until it is available. */
  reserve(): number {
    this.refill();
    this.tokens -= 1;
    return this.tokens >= 0 ? 0 : (-this.tokens / this.perSecond) * 1000;
  }

  /** Takes a token if one is available; returns whether it was. */
  tryTake(): boolean {
    this.refill();
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }

  private refill(): void {
    const now = this.clock.monotonic();
    this.tokens = Math.min(this.burst, this.tokens + ((now - this.refilledAt) / 1000) * this.perSecond);
    this.refilledAt = now;
  }
}
