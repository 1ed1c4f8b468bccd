/** JSON that the server has written itself: valid, of one spelling, an object. Checks nothing else. */
import type { JsonObject } from '../values/json';
import { parseJson } from './strict-json';

/** Integers that a double may not hold exactly. */
const LONG_NUMBER = /[0-9]{16}/;

/** An object out of stored bytes, all of an entry's or a part of it; `text` = the same as text, where it is at hand. */
export function parseStored(bytes: Buffer, text = bytes.toString()): JsonObject {
  const value: unknown = LONG_NUMBER.test(text) ? parseJson(bytes).value : JSON.parse(text);
  if (!isStored(value)) throw new Error(`a stored value is no object: ${text.slice(0, 100)}`);
  return value;
}

/** What was parsed from JSON holds nothing but JSON values. */
function isStored(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
