/**
 * When pods have to leave: a timer for each that may stay for a time. A pod that has been told to leave is not told again. Knows nothing of taints, and tells
 * only when a time has come.
 */
import type { Clock, Timer } from '../../shared/runtime/clock';

interface Departure {
  readonly uid: string;
  /** Undefined = it has been told. */
  timer: Timer | undefined;
}

export class DepartureSchedule {
  private readonly departures = new Map<string, Departure>();

  constructor(
    private readonly clock: Clock,
    private readonly due: (key: string) => void,
  ) {}

  /** Lets the pod leave at once. True when it was to leave later. */
  hasten(key: string, uid: string): boolean {
    if (this.isDue(key, uid)) return false;
    const wasPlanned = this.cancel(key, uid);
    this.departures.set(key, { uid, timer: undefined });
    this.due(key);
    return wasPlanned;
  }

  /** Lets the pod leave after so long, unless that is settled already. */
  plan(key: string, uid: string, ms: number): void {
    if (this.departures.get(key)?.uid === uid) return;
    this.forget(key);
    const departure: Departure = { uid, timer: undefined };
    this.departures.set(key, departure);
    this.wind(key, departure, this.clock.monotonic() + ms);
  }

  /** Lets the pod stay. True when it was to leave later. */
  cancel(key: string, uid: string): boolean {
    const found = this.departures.get(key);
    if (found?.timer === undefined || found.uid !== uid) return false;
    this.forget(key);
    return true;
  }

  forget(key: string): void {
    this.departures.get(key)?.timer?.cancel();
    this.departures.delete(key);
  }

  clear(): void {
    for (const key of [...this.departures.keys()]) this.forget(key);
  }

  /** Whether the pod has been told to leave. */
  isDue(key: string, uid: string): boolean {
    const found = this.departures.get(key);
    return found !== undefined && found.uid === uid && found.timer === undefined;
  }

  /** Timers may end early when a time is very long. */
  private wind(key: string, departure: Departure, at: number): void {
    const left = at - this.clock.monotonic();
    departure.timer = this.clock.after(Math.max(0, left), () => {
      if (this.clock.monotonic() < at) return this.wind(key, departure, at);
      departure.timer = undefined;
      this.due(key);
    });
  }
}
