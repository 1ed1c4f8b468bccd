/**
 * The names of the properties of a custom schema in the order in which they are published. A name or a value is represented
 * by its index in the JSON of the definition, so that sorted names, as stored definitions have them, need no strings.
 */
import { compareBytes, setMember, type JsonObject } from '../../../shared/values/json';
import type { JsonIndex } from '../../../shared/values/json-index';

/** Whether any property is a schema; properties that are not are ignored. */
export function hasSchema(json: JsonIndex, properties: number): boolean {
  if (!json.isObject(properties)) return false;
  for (let name = json.firstChild(properties); name < json.nextSibling(properties); name = json.nextSibling(json.valueOfName(name))) {
    if (json.isObject(json.valueOfName(name))) return true;
  }
  return false;
}

/**
 * The names of properties that have a schema: sorted, but integer keys first, as objects order them. Stored
 * definitions are sorted already.
 */
export function propertyNames(json: JsonIndex, members: number): number[] {
  const names: number[] = [];
  let isPlain = true;
  let isSorted = true;
  for (let name = json.firstChild(members); name < json.nextSibling(members); name = json.nextSibling(json.valueOfName(name))) {
    if (!json.isObject(json.valueOfName(name))) continue;
    const before = names[names.length - 1];
    isPlain &&= isPlainName(json, name);
    isSorted &&= before === undefined || compareSpellings(json, before, name) < 0;
    names.push(name);
  }
  if (!isPlain) return sortedAsKeys(json, names);
  return isSorted ? names : names.sort((a, b) => compareSpellings(json, a, b));
}

/** Sorts names in the order in which an object lists its keys. */
function sortedAsKeys(json: JsonIndex, names: readonly number[]): number[] {
  const byName = new Map(names.map((name) => [json.text(name), name]));
  const byText: JsonObject = {};
  for (const text of [...byName.keys()].sort(compareBytes)) setMember(byText, text, byName.get(text) ?? null);
  return Object.keys(byText).map((text) => byName.get(text) ?? 0);
}

const BACKSLASH = 0x5c;
const ZERO = 0x30;
const NINE = 0x39;

/** Whether the name contains no escapes and does not start with a digit, so that it is no integer key. */
function isPlainName(json: JsonIndex, name: number): boolean {
  const first = json.bytes[json.start(name) + 1] ?? BACKSLASH;
  return !json.isEscaped(name) && (first < ZERO || first > NINE);
}

/** Compares names without escapes by their bytes. */
function compareSpellings(json: JsonIndex, first: number, second: number): number {
  const { bytes } = json;
  const firstStart = json.start(first) + 1;
  const secondStart = json.start(second) + 1;
  const firstLength = json.end(first) - 1 - firstStart;
  const secondLength = json.end(second) - 1 - secondStart;
  const shared = Math.min(firstLength, secondLength);
  for (let offset = 0; offset < shared; offset += 1) {
    const difference = (bytes[firstStart + offset] ?? 0) - (bytes[secondStart + offset] ?? 0);
    if (difference !== 0) return difference;
  }
  return firstLength - secondLength;
}
