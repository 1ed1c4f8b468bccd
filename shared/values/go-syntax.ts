/**
 * Formats JSON values in Go syntax (`%#v`), as upstream's messages contain them: `map[string]interface
 * {}{"a":[]interface {}{1, "x"}}`. Members are sorted.
 */
import { sortedKeys, type JsonArray, type JsonObject, type JsonValue } from './json';
import { quote } from './text/quote';

/** The value as `%#v` prints it. */
export function formatGoSyntax(value: JsonValue): string {
  if (value === null) return 'interface {}(nil)';
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'number') return formatGoNumber(value);
  if (typeof value !== 'object') return String(value);
  return Array.isArray(value) ? `[]interface {}{${formatItems(value)}}` : `map[string]interface {}{${formatMembers(value)}}`;
}

/** Uses concatenation instead of `join`, which copies the text once for each level of a deep value. */
function formatItems(items: JsonArray): string {
  let text = '';
  for (const item of items) text += `${text === '' ? '' : ', '}${formatGoSyntax(item)}`;
  return text;
}

function formatMembers(object: JsonObject): string {
  let text = '';
  for (const name of sortedKeys(object)) text += `${text === '' ? '' : ', '}${quote(name)}:${formatGoSyntax(object[name] ?? null)}`;
  return text;
}

/** A number as Go's `%v` prints it: integers of 64 bits plain, others with an exponent below 1e-4 and from 1e6. */
export function formatGoNumber(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 2 ** 63) return Object.is(value, -0) ? '-0' : BigInt(value).toString();
  const [digits = '', exponent = ''] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(value);
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}
