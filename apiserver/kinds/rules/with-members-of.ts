/** A copy of one object with some members as another one has them, or without them where that has none. Changes neither. */
import type { JsonObject } from '../../../shared/values/json';

export function withMembersOf<T extends JsonObject>(object: T, source: T, members: readonly (keyof T)[]): T {
  const copy = { ...object };
  for (const member of members) {
    const value = source[member];
    if (value === undefined) delete copy[member];
    else copy[member] = value;
  }
  return copy;
}
