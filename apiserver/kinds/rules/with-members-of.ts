/**
 * Copies an object and takes some members from another object. A member that the other object lacks is left out of the
 * copy. Neither object is changed.
 */
import type { JsonObject } from '../../../shared/values/json';

/** Returns a copy of `object` with the `members` of `source`. */
export function withMembersOf<T extends JsonObject>(object: T, source: T, members: readonly (keyof T)[]): T {
  const copy = { ...object };
  for (const member of members) {
    const value = source[member];
    if (value === undefined) delete copy[member];
    else copy[member] = value;
  }
  return copy;
}
