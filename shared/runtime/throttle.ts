/**
 * Limits how often a callback runs. For log messages about events that clients cause: clients must not be able to fill
 * the log.
 */
import type { Clock } from './clock';

/** Calls `callback` for the first call of each interval and ignores the others. */
export function throttle<T extends readonly unknown[]>(
  clock: Clock,
  intervalMs: number,
  callback: (...args: T) => void,
): (...args: T) => void {
  let lastCallAt = Number.NEGATIVE_INFINITY;
  return (...args) => {
    const now = clock.monotonic();
    if (now - lastCallAt < intervalMs) return;
    lastCallAt = now;
    callback(...args);
  };
}

/**
 * Bounds the memory of the keys, which clients may choose. Beyond this number all keys are dropped; for each of them the
 * next call runs the callback, even when its interval has not passed.
 */
const MAX_KEYS = 1_000;

/** As {@link throttle}, with an interval for each key. */
export function throttleByKey<T extends readonly unknown[]>(
  clock: Clock,
  intervalMs: number,
  keyOf: (...args: T) => string,
  callback: (...args: T) => void,
): (...args: T) => void {
  const throttledByKey = new Map<string, (...args: T) => void>();
  return (...args) => {
    const key = keyOf(...args);
    let throttled = throttledByKey.get(key);
    if (throttled === undefined) {
      if (throttledByKey.size >= MAX_KEYS) throttledByKey.clear();
      throttledByKey.set(key, (throttled = throttle(clock, intervalMs, callback)));
    }
    throttled(...args);
  };
}
