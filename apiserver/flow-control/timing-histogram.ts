/**
 * For how long a number that changes lay in which range: a histogram in which a value counts for each nanosecond that it held. A change costs a few additions.
 * Looks at no clock: it is told what time it is.
 */
const NANOSECONDS = 1_000_000;

export class TimeShares {
  /** Nanoseconds by range, not cumulated; the last is above all bounds. */
  readonly counts: Float64Array;
  sum = 0;
  private value = 0;
  private at = 0;

  /** `bounds` = upper ones, ascending; all times in milliseconds. */
  constructor(
    readonly bounds: readonly number[],
    private since: number,
  ) {
    this.counts = new Float64Array(bounds.length + 1);
    this.at = this.rangeOf(0);
  }

  /** It is so much from now on. */
  set(value: number, now: number): void {
    this.pass(now);
    if (value === this.value) return;
    this.value = value;
    this.at = this.rangeOf(value);
  }

  /** Counts the time until now. */
  pass(now: number): void {
    const passed = Math.round((now - this.since) * NANOSECONDS);
    if (passed <= 0) return;
    this.since = now;
    this.counts[this.at] = (this.counts[this.at] ?? 0) + passed;
    this.sum += this.value * passed;
  }

  private rangeOf(value: number): number {
    let at = 0;
    while (at < this.bounds.length && value > (this.bounds[at] ?? 0)) at += 1;
    return at;
  }
}
