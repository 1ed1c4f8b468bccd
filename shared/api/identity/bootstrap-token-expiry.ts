/** Reads the expiry of a bootstrap token from its Secret. Does not compare it with a clock. */
import { parseInstant, TimeError } from '../../values/time/time';

/**
 * Milliseconds since 1970 of the `expiration` value: Infinity (never expires) when it is empty, -Infinity (always
 * expired) when it is malformed.
 */
export function bootstrapTokenExpiry(expiration: string): number {
  if (expiration === '') return Infinity;
  try {
    const { seconds, nanos } = parseInstant(expiration, 'Time');
    return seconds * 1000 + nanos / 1_000_000;
  } catch (error) {
    if (error instanceof TimeError) return -Infinity;
    throw error;
  }
}
