/**
 * Measures the demand for seats over time: maximum, time-weighted average and standard deviation of each period. Has
 * no clock of its own; callers pass the time.
 */
import { NO_DEMAND, smoothDemand, type Demand } from './limits';

/** Measures the demand of one priority level. */
export class DemandMeter {
  /** The demanded seats since `integratedUntil`. */
  private seats = 0;
  private highest = 0;
  /** Integrals of the demanded seats and of their square over the current period up to `integratedUntil`. */
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
  set(seats: number, now: number): void {
    this.integrateUntil(now);
    this.seats = seats;
    if (seats > this.highest) this.highest = seats;
  }

  /** Ends the current period, returns its demand and starts the next one. */
  reset(now: number): Demand {
    this.integrateUntil(now);
    const duration = now - this.periodStart;
    const average = duration > 0 ? this.integral / duration : this.seats;
    const deviation = duration > 0 ? Math.sqrt(Math.max(0, this.integralOfSquares / duration - average * average)) : 0;
    const smoothed = smoothDemand(this.lastPeriod.smoothed, { average, deviation });
    this.lastPeriod = { highest: this.highest, average, deviation, smoothed };
    this.periodStart = now;
    this.integral = 0;
    this.integralOfSquares = 0;
    this.highest = this.seats;
    return this.lastPeriod;
  }

  private integrateUntil(now: number): void {
    const duration = now - this.integratedUntil;
    if (duration <= 0) return;
    this.integral += this.seats * duration;
    this.integralOfSquares += this.seats * this.seats * duration;
    this.integratedUntil = now;
  }
}
