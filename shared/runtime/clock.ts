/**
 * Time, injected. Everything that reads a clock or sets a timer takes a {@link Clock}, so that tests move time by hand.
 * The only file (with its manual twin in test/support) that touches the global timers.
 */
import { setTimeout as setTimeoutPromise } from 'node:timers/promises';

export interface Timer {
  /** Stops the timer; a fired or cancelled timer may be cancelled again. */
  cancel(): void;
}

export interface Clock {
  /** Wall-clock time in milliseconds since 1970; may jump. Use it only for what people read (timestamps, certificates). */
  now(): number;
  /** Milliseconds from an arbitrary start; never goes backwards. Use it for deadlines and durations. */
  monotonic(): number;
  /** Calls `task` once after `ms`. A timer never keeps the process alive by itself. */
  after(ms: number, task: () => void): Timer;
  /** Resolves after `ms`, or when it is not waited for any more. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The real clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, task) {
    const handle = setTimeout(task, Math.min(ms, 2_147_483_647));
    handle.unref();
    return { cancel: () => clearTimeout(handle) };
  },
  sleep: (ms, signal) =>
    signal === undefined ? setTimeoutPromise(ms) : setTimeoutPromise(ms, undefined, { signal }).catch(() => undefined),
};
