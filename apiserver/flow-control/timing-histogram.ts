/**
 * A histogram of a changing value over time: a value counts once for each nanosecond that it holds. A change costs a
 * few additions. Has no clock of its own; callers pass the time.
 */

const NANOSECONDS_PER_MS = 1_000_000;

/** The value is 0 until the first call of `set`. */
export class TimingHistogram {
  /** Nanoseconds per bucket, not cumulative. The last bucket has no upper bound. */
  readonly counts: Float64Array;
  /** The integral of the value over time, in nanoseconds. */
  sum = 0;
  private value = 0;
  private bucket = 0;

  /** `bounds`: ascending upper bounds. All times are in milliseconds. */
  constructor(
    readonly bounds: readonly number[],
    private since: number,
  ) {
    this.counts = new Float64Array(bounds.length + 1);
    this.bucket = this.bucketOf(0);
  }

  /** Sets the value from `now` on. */
  set(value: number, now: number): void {
    this.advanceTo(now);
    if (value === this.value) return;
    this.value = value;
    this.bucket = this.bucketOf(value);
  }

  /** Counts the time until `now` for the current value. */
  advanceTo(now: number): void {
    const elapsed = Math.round((now - this.since) * NANOSECONDS_PER_MS);
    if (elapsed <= 0) return;
    this.since = now;
    this.counts[this.bucket] = (this.counts[this.bucket] ?? 0) + elapsed;
    this.sum += this.value * elapsed;
  }

  private bucketOf(value: number): number {
    let bucket = 0;
    while (bucket < this.bounds.length && value > (this.bounds[bucket] ?? 0)) bucket += 1;
    return bucket;
  }
}
