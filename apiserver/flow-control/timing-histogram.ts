/**
 * A histogram of a changing value over time: a value counts once for each nanosecond that it holds, as in upstream's
 * timing histograms. Has no clock of its own; callers pass the time.
 */

const NANOSECONDS_PER_MS = 1_000_000;

/** The value is 0 until the first call of `set`. */
export class TimingHistogram {
  /** Nanoseconds per bucket, not cumulative. The last bucket has no upper bound. */
  readonly counts: Float64Array;
  /** The integral of the value over time, in nanoseconds. */
  sum = 0;
  private value = 0;
  /** The bucket of the current value. */
  private bucket: number;

  /** All times are in milliseconds. */
  constructor(
    /** The upper bounds of the buckets, ascending and inclusive. */
    readonly bounds: readonly number[],
    /** The time until which the value has been counted. */
    private countedUntil: number,
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
    const elapsed = Math.round((now - this.countedUntil) * NANOSECONDS_PER_MS);
    if (elapsed <= 0) return;
    this.countedUntil = now;
    this.counts[this.bucket] = (this.counts[this.bucket] ?? 0) + elapsed;
    this.sum += this.value * elapsed;
  }

  private bucketOf(value: number): number {
    let bucket = 0;
    while (bucket < this.bounds.length && value > (this.bounds[bucket] ?? 0)) bucket += 1;
    return bucket;
  }
}
