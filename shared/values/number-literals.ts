/**
 * The spelling of numbers in JSON texts, where it carries more information than the value. The strict parser records
 * the spellings; typed decoders read them.
 */
import type { JsonArray, JsonObject, JsonValue } from './json';

/**
 * The literals of numbers such as `80.0`, `1e3` and integers beyond 64 bits, by container and member or index. A typed
 * decoder needs them: `80.0` is not an int32, and the quantity `1e3` keeps its spelling.
 */
export type NumberLiterals = WeakMap<JsonObject | JsonArray, Map<string | number, string>>;

/** Upstream's error for a number that exceeds the range of its type, by default of a double. */
export const numberTooLargeMessage = (literal: string, target = 'Go value of type float64'): string =>
  `json: cannot unmarshal number ${literal} into ${target}`;

/**
 * The literal of a number that exceeds the range of a double, which JavaScript reads as infinite; `undefined` when there
 * is none. Not recursive, because clients choose the depth.
 */
export function findTooLargeNumber(top: JsonObject | JsonArray, literals: NumberLiterals): string | undefined {
  const pending = [top];
  for (let container = pending.pop(); container !== undefined; container = pending.pop()) {
    for (const [key, value] of Array.isArray(container) ? container.entries() : Object.entries(container)) {
      if (isContainer(value)) pending.push(value);
      else if (typeof value === 'number' && !Number.isFinite(value)) return literals.get(container)?.get(key) ?? String(value);
    }
  }
  return undefined;
}

const isContainer = (value: JsonValue): value is JsonObject | JsonArray => typeof value === 'object' && value !== null;
