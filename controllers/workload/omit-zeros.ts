/** Removes zero and null members from a status, so that it is stored and compared as upstream's controllers write it. */
import type { JsonObject } from '../../shared/values/json';

/**
 * A copy without members that are 0 or null, as Go's `omitempty` leaves them out of a status. `required`: members
 * without `omitempty`, which stay.
 */
export function omitZeros<T extends JsonObject>(object: T, ...required: readonly (keyof T)[]): Partial<T> {
  const copy: Partial<T> = {};
  for (const member in object) {
    const value = object[member];
    if (required.includes(member) || (value !== 0 && value !== null)) copy[member] = value;
  }
  return copy;
}
