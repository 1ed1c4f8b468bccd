/**
 * Copies an object with some members taken from another one, or removed where the other one lacks them. Changes
 * neither.
 */
import type { JsonObject } from '../../../shared/values/json';

/** Returns a copy of `object` in which the members are those of `source`. */
export function withMembersOf<T extends JsonObject>(object: T, source: T, members: readonly (keyof T)[]): T {
  const copy = { ...object };
  for (const member of members) {
    const value = source[member];
    if (value === undefined) delete copy[member];
    else copy[member] = value;
  }
  return copy;
}
