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
