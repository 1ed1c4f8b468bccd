/**
 * The interface through which all code reads the time and sets timers, so that tests control time. No other file of the
 * programs uses `Date.now`, `performance.now` and `setTimeout`.
 */
import { setTimeout as setTimeoutPromise } from 'node:timers/promises';

/** A call that is due later. */
export interface Timer {
  /** Idempotent, also after the timer has fired. */
  cancel(): void;
}

/** The only source of time; tests replace it by one that they move. */
export interface Clock {
  /** Wall-clock time in milliseconds since 1970; may jump. For timestamps in objects, logs and certificates only. */
  now(): number;
  /** Milliseconds from an arbitrary start; never goes backwards. For deadlines and durations. */
  monotonic(): number;
  /**
   * Calls `task` once after `ms`. A time of more than 2^31-1 ms (24 days) is shortened to that. The timer does not keep
   * the process alive.
   */
  after(ms: number, task: () => void): Timer;
  /**
   * Resolves after `ms`, which must be less than 2^31, or as soon as `signal` aborts; never rejects. Keeps the process
   * alive meanwhile, unlike {@link after}.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** An object with a method takes a third of the memory of one with a closure, which counts for 40,000 watches. */
class SystemTimer implements Timer {
  constructor(private readonly handle: NodeJS.Timeout) {}

  cancel(): void {
    clearTimeout(this.handle);
  }
}

/** The longest time of Node's timers; a longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The clock of the process; tests use a manual one. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, task) {
    const handle = setTimeout(task, Math.min(ms, MAX_TIMER_MS));
    handle.unref();
    return new SystemTimer(handle);
  },
  sleep: (ms, signal) =>
    signal === undefined ? setTimeoutPromise(ms) : setTimeoutPromise(ms, undefined, { signal }).catch(() => undefined),
};
