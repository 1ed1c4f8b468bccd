/**
 * Prints JSON values as Go does, for upstream's messages about strategic merge patches: `map[a:1 b:[x <nil>]]`. Members
 * are sorted. Strings are not quoted, so the text cannot be parsed.
 */
import { sortedKeys, type JsonArray, type JsonObject, type JsonValue } from '../../values/json';

/** Prints a value as Go's `%v` does. */
export function formatGoValue(value: JsonValue): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return `[${formatItems(value)}]`;
  switch (typeof value) {
    case 'object':
      return `map[${formatMembers(value)}]`;
    case 'number':
      return isInt64(value) ? String(value) : formatFloat(value);
    case 'bigint':
      return isInt64(value) ? String(value) : formatFloat(Number(value));
    default:
      return String(value);
  }
}

/**
 * Appends to one string instead of joining an array, which would copy the text of a deep value once per level. The index
 * decides about the separator, because the text of an item may be empty.
 */
function formatItems(items: JsonArray): string {
  let text = '';
  for (let index = 0; index < items.length; index += 1) text += `${index === 0 ? '' : ' '}${formatGoValue(items[index] ?? null)}`;
  return text;
}

function formatMembers(object: JsonObject): string {
  let text = '';
  for (const member of sortedKeys(object)) text += `${text === '' ? '' : ' '}${member}:${formatGoValue(object[member] ?? null)}`;
  return text;
}

/** Prints the Go type of a value as `%T` does; for null, what Go's `%s` prints. */
export function goTypeName(value: JsonValue): string {
  if (value === null) return '%!s(<nil>)';
  if (Array.isArray(value)) return '[]interface {}';
  return typeof value === 'object' ? 'map[string]interface {}' : goKind(value);
}

/** The Go kind of a value that is not null. */
export function goKind(value: Exclude<JsonValue, null>): 'slice' | 'map' | 'string' | 'bool' | 'int64' | 'float64' {
  if (Array.isArray(value)) return 'slice';
  switch (typeof value) {
    case 'object':
      return 'map';
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    default:
      return isInt64(value) ? 'int64' : 'float64';
  }
}

/** One more than the largest int64. */
const INT64_END = 2n ** 63n;

/** Whether upstream represents the number as int64, not as float64. */
function isInt64(value: number | bigint): boolean {
  if (typeof value === 'bigint') return value >= -INT64_END && value < INT64_END;
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63;
}

/** The shortest digits, as Go's `%v` prints them: with an exponent (`1e+06`) below 1e-4 and from 1e6. */
function formatFloat(value: number): string {
  const [digits = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(value);
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}
