/** What may go wrong as often as clients like is told once in a while, so that they cannot fill the log. */
import type { Clock } from './clock';

/** `tell` is called for the first of what comes within `everyMs`. */
export function throttle<T extends readonly unknown[]>(
  clock: Clock,
  intervalMs: number,
  callback: (...what: T) => void,
): (...what: T) => void {
  let lastCallAt = Number.NEGATIVE_INFINITY;
  return (...args) => {
    const now = clock.monotonic();
    if (now - lastCallAt < intervalMs) return;
    lastCallAt = now;
    callback(...args);
  };
}

/** More are forgotten all at once: then something is told earlier than it had to be. */
const MAX_KEYS = 1_000;

/** The same for each of what `keyOf` tells apart. */
export function throttleByKey<T extends readonly unknown[]>(
  clock: Clock,
  intervalMs: number,
  keyOf: (...what: T) => string,
  callback: (...what: T) => void,
): (...what: T) => void {
  const throttledByKey = new Map<string, (...what: T) => void>();
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
