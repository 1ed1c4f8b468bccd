/**
 * Values as upstream's messages about strategic merge patches print them: `map[a:1 b:[x <nil>]]`, members sorted. Quotes nothing, so it
 * is for people only.
 */
import { sortedKeys, type JsonArray, type JsonObject, type JsonValue } from '../../values/json';

export function goText(value: JsonValue): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return `[${itemsText(value)}]`;
  switch (typeof value) {
    case 'object':
      return `map[${membersText(value)}]`;
    case 'number':
      return isWhole(value) ? String(value) : floatText(value);
    case 'bigint':
      return isWhole(value) ? String(value) : floatText(Number(value));
    default:
      return String(value);
  }
}

/** Concatenated: a join copies its texts, once for each level of a deep value. An item may have no text. */
function itemsText(items: JsonArray): string {
  let text = '';
  for (let index = 0; index < items.length; index += 1) text += `${index === 0 ? '' : ' '}${goText(items[index] ?? null)}`;
  return text;
}

function membersText(object: JsonObject): string {
  let text = '';
  for (const member of sortedKeys(object)) text += `${text === '' ? '' : ' '}${member}:${goText(object[member] ?? null)}`;
  return text;
}

/** What a message calls the type of a parsed value. */
export function goType(value: JsonValue): string {
  if (value === null) return '%!s(<nil>)';
  if (Array.isArray(value)) return '[]interface {}';
  return typeof value === 'object' ? 'map[string]interface {}' : goKind(value);
}

/** The kind of a value that is not null. */
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
      return isWhole(value) ? 'int64' : 'float64';
  }
}

const INT64 = 2n ** 63n;

/** Whether upstream holds it as a 64-bit integer. */
function isWhole(value: number | bigint): boolean {
  if (typeof value === 'bigint') return value >= -INT64 && value < INT64;
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63;
}

/** The shortest digits, with an exponent below 1e-4 and from 1e6. */
function floatText(value: number): string {
  const [digits = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(value);
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}
