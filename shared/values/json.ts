/**
 * JSON values in memory, with access, comparison and output. 64-bit integers that a double cannot hold exactly are
 * `bigint`; all other values are as `JSON.parse` creates them. Parsing is in shared/serialization.
 */

export type JsonPrimitive = null | boolean | number | bigint | string;
export type JsonValue = JsonPrimitive | JsonArray | JsonObject;
export type JsonArray = JsonValue[];
export interface JsonObject {
  [member: string]: JsonValue;
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The member if it is an object, otherwise `undefined`. */
export function objectAt(value: JsonObject | undefined, member: string): JsonObject | undefined {
  const field = value === undefined ? undefined : ownMember(value, member);
  return isObject(field) ? field : undefined;
}

/** The member if it is a list, otherwise `undefined`. */
export function arrayAt(value: JsonObject | undefined, member: string): JsonArray | undefined {
  const field = value === undefined ? undefined : ownMember(value, member);
  return Array.isArray(field) ? field : undefined;
}

/** The member if it is a string, otherwise `undefined`. */
export function stringAt(value: JsonObject | undefined, member: string): string | undefined {
  const field = value === undefined ? undefined : ownMember(value, member);
  return typeof field === 'string' ? field : undefined;
}

const NO_STRINGS: readonly string[] = [];

/** The items of a list of strings; items of other types become empty strings, a missing list is empty. */
export function stringsAt(object: JsonObject, member: string): readonly string[] {
  const list = arrayAt(object, member);
  return list === undefined ? NO_STRINGS : list.map((item) => (typeof item === 'string' ? item : ''));
}

/** An own member of an object: a name such as `constructor` or `__proto__` never returns an inherited one. */
export function ownMember<T>(value: Readonly<Record<string, T>>, member: string): T | undefined {
  return Object.hasOwn(value, member) ? value[member] : undefined;
}

/** Whether the object has no member of its own. */
export function isEmptyObject(value: JsonObject): boolean {
  for (const member in value) if (Object.hasOwn(value, member)) return false;
  return true;
}

/** Sets a member with a name that a client chose: an assignment to `__proto__` would change the prototype instead. */
export function setMember(target: JsonObject, member: string, value: JsonValue): void {
  if (member === '__proto__') Object.defineProperty(target, member, { value, writable: true, enumerable: true, configurable: true });
  else target[member] = value;
}

/** A deep copy. */
export function cloneJson<T extends JsonValue>(value: T): T;
export function cloneJson(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => cloneJson(item));
  const copy: JsonObject = {};
  for (const [member, item] of Object.entries(value)) setMember(copy, member, cloneJson(item));
  return copy;
}

/**
 * Whether objects and lists are nested more than `levels` deep. The recursion stops there, because clients choose the
 * depth.
 */
export function isDeeperThan(value: JsonValue, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isDeeperThan(item, levels - 1));
  for (const member in value) if (Object.hasOwn(value, member) && isDeeperThan(value[member] ?? null, levels - 1)) return true;
  return false;
}

/** Deep equality; the order of members is ignored. */
export function equalJson(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, index) => equalJson(item, b[index]));
  if (Array.isArray(b)) return false;
  let members = 0;
  for (const member in a) {
    if (!Object.hasOwn(a, member)) continue;
    if (!Object.hasOwn(b, member) || !equalJson(a[member], b[member])) return false;
    members += 1;
  }
  return members === Object.keys(b).length;
}

/**
 * As {@link equalJson}, but an empty list, null and a missing member are equal, as in upstream's comparison of
 * immutable fields.
 */
export function equalIgnoringEmptyLists(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (isUnset(a) || isUnset(b)) return isUnset(a) && isUnset(b);
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => equalIgnoringEmptyLists(item, b[index]));
  if (!isObject(a) || !isObject(b)) return equalJson(a, b);
  // Members of both objects are compared once: comparing them for `a` and again for `b` would double the work at every
  // level.
  return (
    Object.keys(a).every((member) => equalIgnoringEmptyLists(a[member], ownMember(b, member))) &&
    Object.keys(b).every((member) => ownMember(a, member) !== undefined || isUnset(b[member]))
  );
}

const isUnset = (value: JsonValue | undefined): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0);

const SPECIAL = /["\\<>&\u0000-\u001f\u2028\u2029\ud800-\udfff]/;
const ESCAPED = /[<>&\u2028\u2029]/g;
const LONE_SURROGATES = /\p{Surrogate}/gu;
const ESCAPES: Record<string, string> = { '<': '\\u003c', '>': '\\u003e', '&': '\\u0026', '\u2028': '\\u2028', '\u2029': '\\u2029' };

/**
 * A JSON string as upstream prints it: `<`, `>`, `&` and the two line separators escaped, lone surrogates as U+FFFD.
 */
export function stringifyJsonString(text: string): string {
  if (!SPECIAL.test(text)) return `"${text}"`;
  return escapeJsonMarkup(JSON.stringify(text.replace(LONE_SURROGATES, '\ufffd')));
}

/** Escapes the strings of a JSON text as upstream does; the characters in question occur in strings only. */
export function escapeJsonMarkup(json: string): string {
  return json.replace(ESCAPED, (character) => ESCAPES[character] ?? character);
}

/**
 * A number as upstream prints a 64-bit float: shortest form, with an exponent below 1e-6 and from 1e21. Throws for NaN
 * and infinity, so that they are never stored.
 */
export function stringifyJsonNumber(value: number | bigint): string {
  if (typeof value === 'bigint' || (Number.isSafeInteger(value) && value !== 0)) return String(value);
  if (Object.is(value, -0)) return '-0';
  if (!Number.isFinite(value)) throw new RangeError(`JSON cannot represent the number ${value}`);
  return String(value);
}

/** Compact JSON. Members are in the order of insertion, or sorted by the UTF-8 bytes of their names. */
export function stringifyJson(value: JsonValue, order: 'insertion' | 'sorted' = 'insertion'): string {
  switch (typeof value) {
    case 'string':
      return stringifyJsonString(value);
    case 'number':
    case 'bigint':
      return stringifyJsonNumber(value);
    case 'boolean':
      return value ? 'true' : 'false';
    default:
      break;
  }
  if (value === null) return 'null';
  return Array.isArray(value) ? stringifyItems(value, order) : stringifyMembers(value, order);
}

function stringifyItems(items: JsonArray, order: 'insertion' | 'sorted'): string {
  let text = '[';
  for (const item of items) {
    if (text.length > 1) text += ',';
    text += stringifyJson(item, order);
  }
  return `${text}]`;
}

function stringifyMembers(object: JsonObject, order: 'insertion' | 'sorted'): string {
  let text = '{';
  for (const member of order === 'insertion' ? Object.keys(object) : sortedKeys(object)) {
    if (text.length > 1) text += ',';
    text += `${stringifyJsonString(member)}:${stringifyJson(object[member] ?? null, order)}`;
  }
  return `${text}}`;
}

/** The names of an object's members in the order of their UTF-8 bytes, as upstream sorts map keys. */
export function sortedKeys(value: JsonObject): string[] {
  const keys = Object.keys(value);
  return isSorted(keys) ? keys : keys.sort(compareBytes);
}

/** Keys of stored objects are sorted already, so that most sorts are skipped. */
function isSorted(keys: readonly string[]): boolean {
  for (let index = 1; index < keys.length; index += 1) if (compareBytes(keys[index - 1] ?? '', keys[index] ?? '') > 0) return false;
  return true;
}

/** Orders strings by their UTF-8 bytes; UTF-16 order differs only where a surrogate pair meets U+E000–U+FFFF. */
export function compareBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i += 1) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    const xIsPair = x >= 0xd800 && x <= 0xdfff;
    const yIsPair = y >= 0xd800 && y <= 0xdfff;
    if (xIsPair !== yIsPair && x >= 0xd800 && y >= 0xd800) return xIsPair ? 1 : -1;
    return x - y;
  }
  return a.length - b.length;
}
