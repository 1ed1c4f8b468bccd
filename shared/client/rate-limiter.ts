/** How long a failed item waits before it is tried again: longer with each of its own failures, and longer when many fail at once. */
import type { Clock } from '../runtime/clock';

export interface RateLimiter {
  /** Counts a failure of the item; milliseconds until its next attempt. */
  nextDelayMs(item: string): number;
  /** The item's failures are over. */
  forget(item: string): void;
  failures(item: string): number;
}

export interface RateLimiterOptions {
  readonly clock: Clock;
  /** Delay after the first failure; it doubles with each further one. Milliseconds, 5 by default. */
  readonly initialMs?: number;
  /** Milliseconds; 1,000 s by default. */
  readonly maxMs?: number;
  /** Attempts a second over all items once `burst` is used up; 10 by default. */
  readonly perSecond?: number;
  /** 100 by default. */
  readonly burst?: number;
}

/** The customary limit of a controller: the larger of an item's own back-off and its place in a token bucket for all. */
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

/** Gives out turns: `burst` at once, then `perSecond`. */
export class TokenBucket {
  /** Below zero = turns given out in advance. */
  private tokens: number;
  private refilledAt: number;

  constructor(
    private readonly clock: Clock,
    private readonly perSecond: number,
    private readonly burst: number,
  ) {
    this.tokens = burst;
    this.refilledAt = clock.monotonic();
  }

  /** Takes the next turn, whenever it is; milliseconds until then. */
  reserve(): number {
    this.refill();
    this.tokens -= 1;
    return this.tokens >= 0 ? 0 : (-this.tokens / this.perSecond) * 1000;
  }

  /** Takes a turn if there is one now. */
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
