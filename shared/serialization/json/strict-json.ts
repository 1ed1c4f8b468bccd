/**
 * Parses JSON bodies: `JSON.parse` plus duplicate members, a depth limit, exact integers and number literals. One fast
 * pass over the text counts its members, measures the depth and detects unusual number literals. More members than the
 * parsed value has mean duplicates. Only for duplicates and unusual literals a second, slower walk locates them.
 */
import { ownMember, type JsonArray, type JsonObject, type JsonValue } from '../../values/json';
import type { NumberLiterals } from '../../values/number-literals';
import { parseLongInteger } from '../../values/long-integer';
import { runStepsSync, type Steps } from '../../scheduling/steps';
import { explainJson } from './explain-json';
import { parseMergingRepeats } from './merge-repeats';
import { FieldErrorList } from './field-error-list';
import { endOfString } from './json-tokens';
import { walkMembers } from './json-walk';
import { NumberRangeError, ParseError } from './parse-error';
import { decodeUtf8 } from './utf8';

/** A parsed body, with what a client is warned of or rejected for. */
export interface ParsedText {
  value: JsonValue;
  format: 'json' | 'yaml';
  /**
   * At most 100, in order of appearance. JSON: paths of duplicate fields (`spec.type`). YAML:
   * `line 5: key "type" already set in map`.
   */
  duplicates: string[];
  /** JSON only; `undefined` when no number has an unusual literal. */
  literals: NumberLiterals | undefined;
  /** The text of JSON with duplicates, for the order of errors (see {@link fieldErrors}). */
  text: string | undefined;
}

const parseText: (text: string) => JsonValue = JSON.parse;

/** Limit of nesting, as in Go's encoding/json. */
export const MAX_DEPTH = 10_000;

/** Duplicate objects are merged up to this depth; no kind allows a deeper object. */
const MERGED_DEPTH = 1000;

/**
 * Parses a JSON text; invalid UTF-8 becomes U+FFFD. The last of duplicate members counts. Throws ParseError with the
 * message of upstream, also for numbers beyond the range of a double.
 */
export function parseJson(bytes: Uint8Array): ParsedText {
  return runStepsSync(parseInSteps(bytes, 'last', 'finite'));
}

/**
 * Parses the body of an object in steps. Duplicate objects are merged; a number beyond the range of a double becomes
 * infinite, which the decoder of the object rejects.
 */
export const parseJsonInSteps = (bytes: Uint8Array): Steps<ParsedText> => parseInSteps(bytes, 'merged', 'any');

function* parseInSteps(bytes: Uint8Array, repeated: 'last' | 'merged', numbers: 'finite' | 'any'): Steps<ParsedText> {
  const text = decodeUtf8(bytes);
  // Before parsing: millions of nested lists would cost the parser far more than this scan.
  const facts = scanText(text);
  if (facts.depth > MAX_DEPTH) throw new ParseError(explainJson(bytes, MAX_DEPTH) ?? 'exceeded max depth');
  yield;
  let value: JsonValue;
  try {
    value = parseText(text);
  } catch {
    throw new ParseError(explainJson(bytes, MAX_DEPTH) ?? 'unexpected end of JSON input');
  }
  yield;
  const hasRepeats = facts.members !== countMembers(value);
  if (hasRepeats && repeated === 'merged' && facts.depth <= MERGED_DEPTH) value = parseMergingRepeats(text);
  let literals: NumberLiterals | undefined;
  if (facts.hasUnusualLiteral) ({ value, literals } = withLiterals(text, value, numbers));
  if (!hasRepeats) return { value, format: 'json', duplicates: [], literals, text: undefined };
  return { value, format: 'json', duplicates: repeatedMembers(text), literals, text };
}

/** The paths of repeated members. */
function repeatedMembers(text: string): string[] {
  const errors = new FieldErrorList();
  walkMembers(text, { member: (path, _, occurrence) => (occurrence === 'repeated' ? errors.add(path()) : undefined) });
  return errors.texts;
}

const QUOTE = 0x22;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const PLUS = 0x2b;
const MINUS = 0x2d;
const POINT = 0x2e;
const UPPER_E = 0x45;
const LOWER_E = 0x65;
const ZERO = 0x30;
const NINE = 0x39;
/** Literals of this many characters may be integers that a double cannot hold exactly. */
const LONG_LITERAL = 16;

interface TextFacts {
  members: number;
  depth: number;
  /** Whether a number has a fraction, an exponent or at least {@link LONG_LITERAL} characters. */
  hasUnusualLiteral: boolean;
}

/**
 * The facts are exact for valid JSON. For other texts the depth is at least that at the first error, which is enough for
 * the error message.
 */
function scanText(text: string): TextFacts {
  let members = 0;
  let open = 0;
  let depth = 0;
  let hasUnusualLiteral = false;
  const { length } = text;
  for (let i = 0; i < length; i += 1) {
    switch (text.charCodeAt(i)) {
      case QUOTE:
        i = endOfString(text, i);
        break;
      case COLON:
        members += 1;
        break;
      case OPEN_OBJECT:
      case OPEN_LIST:
        open += 1;
        if (open > depth) depth = open;
        break;
      case CLOSE_OBJECT:
      case CLOSE_LIST:
        open -= 1;
        break;
      // The first characters of numbers: the minus sign and all digits.
      case MINUS:
      case ZERO:
      case 0x31:
      case 0x32:
      case 0x33:
      case 0x34:
      case 0x35:
      case 0x36:
      case 0x37:
      case 0x38:
      case NINE: {
        const start = i;
        for (; i + 1 < length; i += 1) {
          const next = text.charCodeAt(i + 1);
          if (next >= ZERO && next <= NINE) continue;
          if (next !== POINT && next !== LOWER_E && next !== UPPER_E && next !== PLUS && next !== MINUS) break;
          hasUnusualLiteral = true;
        }
        if (i + 1 - start >= LONG_LITERAL) hasUnusualLiteral = true;
        break;
      }
    }
  }
  return { members, depth, hasUnusualLiteral };
}

/** The number of members at all depths. Not recursive, because clients choose the depth. */
function countMembers(value: JsonValue): number {
  let count = 0;
  const pending: JsonValue[] = [value];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    if (Array.isArray(next)) {
      for (const item of next) if (typeof item === 'object' && item !== null) pending.push(item);
      continue;
    }
    for (const member in next) {
      count += 1;
      const item = next[member];
      if (typeof item === 'object' && item !== null) pending.push(item);
    }
  }
  return count;
}

/**
 * Replaces integers that a double cannot hold exactly by bigints, and collects the literals that JavaScript would print
 * differently. Of duplicate members the last one counts: it replaces the literal of an earlier one, and the literal of a
 * number is ignored when the last value is no number.
 */
function withLiterals(text: string, value: JsonValue, numbers: 'finite' | 'any'): Pick<ParsedText, 'value' | 'literals'> {
  const checkRange = (literal: string): void => {
    if (numbers === 'finite' && !Number.isFinite(Number(literal))) throw new NumberRangeError(literal);
  };
  if (typeof value === 'number') {
    checkRange(text.trim());
    return { value: parseLongInteger(text.trim()) ?? value, literals: undefined };
  }
  const literals: NumberLiterals = new WeakMap();
  let hasLiterals = false;
  walkMembers(text, {
    root: value,
    number: (literal, container, key) => {
      checkRange(literal);
      if (container !== undefined && applyLiteral(literal, container, key, literals)) hasLiterals = true;
    },
  });
  return { value, literals: hasLiterals ? literals : undefined };
}

/** Applies one literal to the number at `key` of the container. Returns whether it was added to `literals`. */
function applyLiteral(literal: string, container: JsonObject | JsonArray, key: string | number, literals: NumberLiterals): boolean {
  const current = itemAt(container, key);
  if (typeof current !== 'number' && typeof current !== 'bigint') return false;
  literals.get(container)?.delete(key);
  const long = parseLongInteger(literal);
  if (long !== undefined) {
    replaceItem(container, key, long);
    return false;
  }
  // A bigint here is that of an earlier duplicate.
  if (typeof current === 'bigint') replaceItem(container, key, Number(literal));
  // The number -0 is printed as `-0` by stringifyJsonNumber, but not by String.
  if (String(Number(literal)) === literal || literal === '-0') return false;
  const containerLiterals = literals.get(container) ?? new Map<string | number, string>();
  literals.set(container, containerLiterals.set(key, literal));
  return true;
}

function itemAt(container: JsonObject | JsonArray, key: string | number): JsonValue | undefined {
  return Array.isArray(container) ? container[Number(key)] : ownMember(container, String(key));
}

function replaceItem(container: JsonObject | JsonArray, key: string | number, value: number | bigint): void {
  if (Array.isArray(container)) container[Number(key)] = value;
  else Object.defineProperty(container, key, { value, writable: true, enumerable: true, configurable: true });
}
