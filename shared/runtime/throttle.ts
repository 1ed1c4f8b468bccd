/** What may go wrong as often as clients like is told once in a while, so that they cannot fill the log. */
import type { Clock } from './clock';

/** `tell` is called for the first of what comes within `everyMs`. */
export function nowAndThen<T extends readonly unknown[]>(clock: Clock, everyMs: number, tell: (...what: T) => void): (...what: T) => void {
  let toldAt = Number.NEGATIVE_INFINITY;
  return (...what) => {
    const now = clock.monotonic();
    if (now - toldAt < everyMs) return;
    toldAt = now;
    tell(...what);
  };
}

/** More are forgotten all at once: then something is told earlier than it had to be. */
const MOST_KEYS = 1_000;

/** The same for each of what `keyOf` tells apart. */
export function eachNowAndThen<T extends readonly unknown[]>(
  clock: Clock,
  everyMs: number,
  keyOf: (...what: T) => string,
  tell: (...what: T) => void,
): (...what: T) => void {
  const told = new Map<string, (...what: T) => void>();
  return (...what) => {
    const key = keyOf(...what);
    let seldom = told.get(key);
    if (seldom === undefined) {
      if (told.size >= MOST_KEYS) told.clear();
      told.set(key, (seldom = nowAndThen(clock, everyMs, tell)));
    }
    seldom(...what);
  };
}
