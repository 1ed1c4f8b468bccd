/** How many seats are asked for over time: the most, the average and how far it goes up and down. Looks at no clock: it is told what time it is. */
import { NO_DEMAND, smooth, type Demand } from './limits';

export class DemandMeter {
  private value = 0;
  private highest = 0;
  private sum = 0;
  private squares = 0;
  private last: Demand = NO_DEMAND;

  /** `since` and all later times in milliseconds. */
  constructor(
    private since: number,
    private changedAt: number = since,
  ) {}

  get latest(): Demand {
    return this.last;
  }

  set(value: number, now: number): void {
    this.pass(now);
    this.value = value;
    if (value > this.highest) this.highest = value;
  }

  /** What there was since the look before. */
  look(now: number): Demand {
    this.pass(now);
    const time = now - this.since;
    const average = time > 0 ? this.sum / time : this.value;
    const deviation = time > 0 ? Math.sqrt(Math.max(0, this.squares / time - average * average)) : 0;
    this.last = { highest: this.highest, average, deviation, smoothed: smooth(this.last.smoothed, { average, deviation }) };
    this.since = now;
    this.sum = 0;
    this.squares = 0;
    this.highest = this.value;
    return this.last;
  }

  private pass(now: number): void {
    const time = now - this.changedAt;
    if (time <= 0) return;
    this.sum += this.value * time;
    this.squares += this.value * this.value * time;
    this.changedAt = now;
  }
}
