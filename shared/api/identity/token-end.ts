/** When a bootstrap token ends, as its Secret tells it. Reads no clock. */
import { parseInstant, TimeFault } from '../../values/time';

/** Milliseconds since 1970 of the `expiration`: never (Infinity) where nothing is said, always (-Infinity) where it cannot be read. */
export function endOfToken(expiration: string): number {
  if (expiration === '') return Infinity;
  try {
    const { seconds, nanos } = parseInstant(expiration, false);
    return seconds * 1000 + nanos / 1_000_000;
  } catch (error) {
    if (error instanceof TimeFault) return -Infinity;
    throw error;
  }
}
