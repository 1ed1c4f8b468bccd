/** Keeps a recorded response when a new one differs from it only in an order without meaning. */
import { isBody, type Json } from '../json-response';

/** Lists with an order that differs between responses of the reference server. */
const UNORDERED = new Set(['causes', 'managedFields']);

/** The recorded value if the new one has the same members and the same causes and managed fields, in any order. */
export function withRecordedOrder<T>(next: T, recorded: T | undefined): T {
  return recorded !== undefined && canonicalText(next) === canonicalText(recorded) ? recorded : next;
}

/** Equal for values that differ only in an order without meaning. */
const canonicalText = (value: unknown): string => JSON.stringify(ordered(JSON.parse(JSON.stringify(value)) as Json, ''));

/** The value with sorted members and sorted unordered lists. `member` is the name under which it is found. */
function ordered(value: Json, member: string): Json {
  if (Array.isArray(value)) {
    const items = value.map((item) => ordered(item, ''));
    return UNORDERED.has(member) ? items.map((item) => JSON.stringify(item)).sort() : items;
  }
  if (!isBody(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, ordered(value[name] ?? null, name)]));
}
