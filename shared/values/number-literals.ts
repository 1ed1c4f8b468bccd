/** What the text of a number says that its value does not. */
import type { JsonArray, JsonObject, JsonValue } from './json';

/**
 * The spelling of numbers whose text says more than their value (`80.0`, `1e3`, integers beyond 64 bits), by container and member or index.
 * A typed decoder needs it: `80.0` is no int32 and `1e3` is a quantity of its own.
 */
export type NumberLiterals = WeakMap<JsonObject | JsonArray, Map<string | number, string>>;

/** What is said of a number that no double holds, in upstream's words. `into` = what it was to become. */
export const numberTooLargeMessage = (literal: string, target = 'Go value of type float64'): string =>
  `json: cannot unmarshal number ${literal} into ${target}`;

/** The first number that no double holds, as it is spelled; undefined = there is none. A loop, because the depth is a client's choice. */
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
