/**
 * The zero values of Go, which upstream's JSON omits for `omitempty` fields. The type of a field is left to the
 * callers.
 */
import type { JsonValue } from '../../values/json';

/** Whether a value is null, an empty text, zero, false, or an empty list or object. */
export function isZeroValue(value: JsonValue): boolean {
  if (typeof value !== 'object') return value === '' || value === 0 || value === false;
  if (value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  for (const member in value) if (Object.hasOwn(value, member)) return false;
  return true;
}
