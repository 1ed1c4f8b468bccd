/**
 * Parses JSON that the server has written itself, faster than strict-json.ts: assumes a valid text with canonical
 * spelling, and checks only that it is an object.
 */
import type { JsonArray, JsonObject, JsonValue } from '../../values/json';
import { parseLongInteger } from '../../values/long-integer';
import { endOfString } from './json-tokens';
import { parseJson } from './strict-json';

/** Part of each integer that a double may not hold exactly: those have at least sixteen digits. */
const LONG_NUMBER = /[0-9]{16}/;
/** All digits of such an integer. */
const LONG_RUN = /[0-9]{16,}/g;

/** The object that a text stands for. */
export function parseStoredJson(text: string): JsonObject {
  const value: unknown = LONG_NUMBER.test(text) ? parseExactly(text) : JSON.parse(text);
  if (!isStored(value)) throw new Error(`a stored value is not an object: ${text.slice(0, 100)}`);
  return value;
}

/** Holds for any object from `JSON.parse`. */
function isStored(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Prefix of a string that replaces an integer that a double cannot hold exactly. */
const MARK = 'int64:';

const parse: (text: string) => JsonValue = JSON.parse;

/**
 * For a text with long numbers: parses a marked copy with `JSON.parse`, because the strict parser takes many times as
 * long. The strict parser is used only for a text that contains the marker itself.
 */
function parseExactly(text: string): unknown {
  if (text.includes(`"${MARK}`)) return parseJson(Buffer.from(text)).value;
  const marked = markLongIntegers(text);
  const value: JsonValue = parse(marked);
  if (marked !== text) restoreLongIntegers(value);
  return value;
}

/** Replaces each integer that a double cannot hold exactly by a marked string. */
function markLongIntegers(text: string): string {
  const pieces: string[] = [];
  let copied = 0;
  /** An index outside of any string, and that of the next string; strings before them have been skipped. */
  let outside = 0;
  let nextString = startOfString(text, outside);
  LONG_RUN.lastIndex = 0;
  for (let run = LONG_RUN.exec(text); run !== null; run = LONG_RUN.exec(text)) {
    while (nextString < run.index) {
      outside = endOfString(text, nextString) + 1;
      nextString = startOfString(text, outside);
    }
    const isInString = outside > run.index;
    if (isInString) {
      LONG_RUN.lastIndex = outside;
      continue;
    }
    const [digits] = run;
    const start = text.charAt(run.index - 1) === '-' ? run.index - 1 : run.index;
    const end = run.index + digits.length;
    const number = text.slice(start, end);
    // A literal without fraction and exponent stands between two punctuation marks; stored JSON has no blanks.
    if (!'},]'.includes(text.charAt(end)) || !'[:,'.includes(text.charAt(start - 1)) || parseLongInteger(number) === undefined) continue;
    pieces.push(text.slice(copied, start), `"${MARK}${number}"`);
    copied = end;
  }
  return pieces.length === 0 ? text : pieces.join('') + text.slice(copied);
}

/** The index of the first quote from `start`, which is outside of any string; the length of the text when there is none. */
function startOfString(text: string, start: number): number {
  const quote = text.indexOf('"', start);
  return quote < 0 ? text.length : quote;
}

/** Not recursive, because clients choose the depth. */
function restoreLongIntegers(root: JsonValue): void {
  const pending: (JsonArray | JsonObject)[] = typeof root === 'object' && root !== null ? [root] : [];
  for (let container = pending.pop(); container !== undefined; container = pending.pop()) {
    if (Array.isArray(container)) {
      for (const [index, item] of container.entries()) {
        const number = markedInteger(item);
        if (number !== undefined) container[index] = number;
        else if (typeof item === 'object' && item !== null) pending.push(item);
      }
      continue;
    }
    for (const member in container) {
      if (!Object.hasOwn(container, member)) continue;
      const item = container[member];
      const number = markedInteger(item);
      if (number !== undefined)
        Object.defineProperty(container, member, { value: number, writable: true, enumerable: true, configurable: true });
      else if (typeof item === 'object' && item !== null) pending.push(item);
    }
  }
}

const markedInteger = (value: JsonValue | undefined): bigint | undefined =>
  typeof value === 'string' && value.startsWith(MARK) ? BigInt(value.slice(MARK.length)) : undefined;
