/**
 * Measures the demand for seats over time: maximum, time-weighted average and standard deviation of each period. Has
 * no clock of its own; callers pass the time.
 */
import { NO_DEMAND, smooth, type Demand } from './limits';

/** The demand of one level. */
export class DemandMeter {
  /** The demanded seats since `integratedUntil`. */
  private value = 0;
  private highest = 0;
  /** Integrals of the value and of its square over the current period up to `integratedUntil`. */
  private integral = 0;
  private integralOfSquares = 0;
  private integratedUntil: number;
  private lastPeriod: Demand = NO_DEMAND;

  /** All times are in milliseconds. */
  constructor(private periodStart: number) {
    this.integratedUntil = periodStart;
  }

  /** The demand of the last complete period; `NO_DEMAND` before the first `reset`. */
  get latest(): Demand {
    return this.lastPeriod;
  }

  /** Sets the demanded seats from `now` on. */
  set(value: number, now: number): void {
    this.integrateUntil(now);
    this.value = value;
    if (value > this.highest) this.highest = value;
  }

  /** Ends the current period, returns its demand and starts the next one. */
  reset(now: number): Demand {
    this.integrateUntil(now);
    const duration = now - this.periodStart;
    const average = duration > 0 ? this.integral / duration : this.value;
    const deviation = duration > 0 ? Math.sqrt(Math.max(0, this.integralOfSquares / duration - average * average)) : 0;
    const smoothed = smooth(this.lastPeriod.smoothed, { average, deviation });
    this.lastPeriod = { highest: this.highest, average, deviation, smoothed };
    this.periodStart = now;
    this.integral = 0;
    this.integralOfSquares = 0;
    this.highest = this.value;
    return this.lastPeriod;
  }

  private integrateUntil(now: number): void {
    const duration = now - this.integratedUntil;
    if (duration <= 0) return;
    this.integral += this.value * duration;
    this.integralOfSquares += this.value * this.value * duration;
    this.integratedUntil = now;
  }
}
