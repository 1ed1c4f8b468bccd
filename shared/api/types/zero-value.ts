/** The zero values of Go, which the JSON output omits for `omitempty` fields. */
import type { JsonValue } from '../../values/json';

/** Whether a value is null, an empty text, zero, false, or an empty list or object. */
export function isZeroValue(value: JsonValue): boolean {
  if (typeof value !== 'object') return value === '' || value === 0 || value === false;
  if (value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  for (const member in value) if (Object.hasOwn(value, member)) return false;
  return true;
}
