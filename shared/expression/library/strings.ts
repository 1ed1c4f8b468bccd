/**
 * String functions of the standard library and of the strings extension (version 2). Indexes count code points, not
 * UTF-16 units. Functions spend work (run/meter.ts) in proportion to their time: `>> 8` is a step for 256 characters.
 */
import { SHORT_ESCAPES } from '../../values/text/quote';
import { ArrayList, ErrorValue, type ListValue, valueSize, type Value } from '../values/value';
import {
  binary,
  isInt,
  isList,
  isString,
  quaternary,
  ternary,
  traversalCost,
  traversalCosts,
  unary,
  NO_MATCH,
  type FunctionCosts,
  type FunctionOverload,
  type ArgumentSizes,
} from './function';
import { formatString } from './format';
import { findAllMatches, findMatch, matchesPattern } from './regex';
import { holdsForEitherSpelling, type WorkContext } from '../values/equality';

/** Access to the code points of a text; texts without surrogate pairs are not copied. */
class Characters {
  private readonly split: readonly string[] | undefined;

  constructor(
    private readonly text: string,
    work: WorkContext,
  ) {
    const isPlain = !/[\ud800-\udbff]/.test(text);
    work.spend(isPlain ? text.length >> 8 : text.length);
    this.split = isPlain ? undefined : [...text];
  }

  get length(): number {
    return this.split?.length ?? this.text.length;
  }

  slice(start: number, end: number): string {
    return this.split === undefined ? this.text.slice(start, end) : this.split.slice(start, end).join('');
  }

  /** Converts an offset in UTF-16 units to a code point index. */
  indexOfOffset(offset: number): number {
    return this.split === undefined || offset < 0 ? offset : [...this.text.slice(0, offset)].length;
  }

  /** Converts a code point index to an offset in UTF-16 units. */
  offsetOf(index: number): number {
    return this.split === undefined ? index : this.split.slice(0, index).join('').length;
  }
}

const outOfRange = (index: bigint): ErrorValue => new ErrorValue(`index out of range: ${index}`);

function charAt(text: string, index: bigint, work: WorkContext): Value {
  const characters = new Characters(text, work);
  if (index < 0n || index > characters.length) return outOfRange(index);
  return characters.slice(Number(index), Number(index) + 1);
}

/** The index of the first occurrence at or after `from`; -1 when there is none. An empty `part` occurs at `from`. */
function indexOf(text: string, part: string, from: bigint, work: WorkContext): Value {
  chargeSearch(text, part, work);
  const characters = new Characters(text, work);
  if (part === '') return from;
  if (from < 0n || from >= characters.length) return outOfRange(from);
  return BigInt(characters.indexOfOffset(text.indexOf(part, characters.offsetOf(Number(from)))));
}

/** Spends the work of a search, which in the worst case compares all of `part` at each position of the text. */
function chargeSearch(text: string, part: string, work: WorkContext): void {
  work.spend(Math.ceil((text.length * Math.min(part.length, text.length)) / 256));
}

function firstIndexOf(text: string, part: string, work: WorkContext): Value {
  return indexOf(text, part, 0n, work);
}

/** The index of the last occurrence at or before `from`, by default the end; -1 when there is none. */
function lastIndexOf(text: string, part: string, from: bigint | undefined, work: WorkContext): Value {
  chargeSearch(text, part, work);
  const characters = new Characters(text, work);
  if (part === '') return from ?? BigInt(characters.length);
  const last = from ?? BigInt(characters.length - 1);
  if (last < 0n || last >= characters.length) return outOfRange(last);
  return BigInt(characters.indexOfOffset(text.lastIndexOf(part, characters.offsetOf(Number(last)))));
}

/** The characters from `start` up to and without `end`, by default the end of the text. */
function substring(text: string, start: bigint, end: bigint | undefined, work: WorkContext): Value {
  const characters = new Characters(text, work);
  const last = end ?? BigInt(characters.length);
  if (end !== undefined && start > end) return new ErrorValue(`invalid substring range. start: ${start}, end: ${end}`);
  if (start < 0n || start > characters.length) return outOfRange(start);
  if (last < 0n || last > characters.length) return outOfRange(last);
  return characters.slice(Number(start), Number(last));
}

/** Replaces the first `maxCount` occurrences; all when it is negative. An empty `from` occurs around each code point. */
function replaceTexts(text: string, from: string, to: string, maxCount: bigint, work: WorkContext): Value {
  if (maxCount === 0n) return text;
  chargeSearch(text, from, work);
  const limit = maxCount < 0n ? Infinity : Number(maxCount);
  return from === '' ? insertAroundCharacters(text, to, limit, work) : replaceOccurrences(text, { from, to, limit }, work);
}

/** Inserts a text before each of the first characters and, if the limit permits, after the last one. */
function insertAroundCharacters(text: string, inserted: string, limit: number, work: WorkContext): string {
  const characters = [...text];
  const count = Math.min(limit, characters.length + 1);
  work.spend(Math.ceil((text.length + count * inserted.length) / 4));
  let result = '';
  characters.forEach((character, index) => {
    result += index < count ? inserted + character : character;
  });
  return count > characters.length ? result + inserted : result;
}

interface Replacement {
  readonly from: string;
  readonly to: string;
  /** Maximum number of replaced occurrences. */
  readonly limit: number;
}

function replaceOccurrences(text: string, { from, to, limit }: Replacement, work: WorkContext): string {
  const pieces = text.split(from);
  const count = Math.min(limit, pieces.length - 1);
  work.spend(Math.ceil((text.length + count * to.length) / 4));
  let result = pieces[0] ?? '';
  for (let index = 1; index < pieces.length; index += 1) result += (index <= count ? to : from) + (pieces[index] ?? '');
  return result;
}

/** Splits into at most `maxCount` texts, the last of which has the rest; at each separator when it is negative. */
function splitText(text: string, separator: string, maxCount: bigint, work: WorkContext): Value {
  chargeSearch(text, separator, work);
  work.spend(text.length >> 3);
  if (maxCount === 0n) return new ArrayList([]);
  const limit = maxCount < 0n ? Infinity : Number(maxCount);
  const pieces = separator === '' ? [...text] : text.split(separator);
  if (pieces.length <= limit) return new ArrayList(pieces);
  return new ArrayList([...pieces.slice(0, limit - 1), pieces.slice(limit - 1).join(separator)]);
}

/** {@link NO_MATCH} when an item is no string. */
function join(list: ListValue, separator: string, work: WorkContext): Value | typeof NO_MATCH {
  const parts: string[] = [];
  for (const item of list) {
    if (typeof item !== 'string') return NO_MATCH;
    work.spend(1 + ((item.length + separator.length) >> 2));
    parts.push(item);
  }
  return parts.join(separator);
}

/** White space as Unicode defines it, which differs from `String.prototype.trim`. */
const SPACE = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

function trim(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && SPACE.test(text.charAt(start))) start += 1;
  while (end > start && SPACE.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** The text in double quotes, with control characters that have a short escape, backslashes and quotes escaped. */
export const quoteText = (text: string): string =>
  `"${text.replace(/[\u0007\b\f\n\r\t\v\\"]/g, (character) => SHORT_ESCAPES[character] ?? character)}"`;

/** Only ASCII letters change, as the names of the functions state. */
const lowerAscii = (text: string): string => text.replace(/[A-Z]+/g, (part) => part.toLowerCase());
const upperAscii = (text: string): string => text.replace(/[a-z]+/g, (part) => part.toUpperCase());

/** The size of a result that is as long as the first argument. */
const firstSize = (sizes: ArgumentSizes): number => sizes.size(0);
const PATTERN_COSTS: FunctionCosts = {
  // A pass over the text for every four characters of the pattern.
  estimate: (sizes) => traversalCost(1 + sizes.size(0)) * Math.ceil(sizes.size(1) * 0.25),
};
const FIND_COSTS: FunctionCosts = { ...PATTERN_COSTS, size: firstSize };
const SEARCH_COSTS: FunctionCosts = { estimate: (sizes) => traversalCost(sizes.size(0)) * traversalCost(sizes.size(1)) };
const AFFIX_COSTS: FunctionCosts = { estimate: (sizes) => traversalCost(sizes.size(1)) };
/** At run time one pass over the text is charged, although the estimates of these functions have two. */
const OUTPUT_COSTS: FunctionCosts = { charge: ([text = null]) => traversalCost(valueSize(text)) };
/** A longer replacement makes the text longer, at most once per non-overlapping occurrence. */
const REPLACE_COSTS: FunctionCosts = {
  ...OUTPUT_COSTS,
  estimate: (sizes) => traversalCost(sizes.size(0)) * 2,
  size: (sizes) => Math.ceil((sizes.size(0) / Math.max(1, sizes.size(1))) * Math.max(1, sizes.size(2))),
};
const SPLIT_COSTS: FunctionCosts = { ...traversalCosts(2, firstSize), ...OUTPUT_COSTS };
const LIMITED_SPLIT_COSTS: FunctionCosts = {
  ...SPLIT_COSTS,
  size: (sizes) => {
    const maxParts = sizes.count(2) ?? -1;
    return maxParts < 0 ? sizes.size(0) : maxParts;
  },
};
const JOIN_COSTS: FunctionCosts = {
  estimate: (sizes) => traversalCost(joinedSize(sizes)),
  size: joinedSize,
};

function joinedSize(sizes: ArgumentSizes): number {
  const items = sizes.size(0);
  return items * sizes.itemSize(0) + Math.max(0, items - 1) * sizes.size(1);
}

/**
 * The overloads, each with its signature, its checks of arguments, its function and its costs. `join` replaces the `call`
 * of its helper, because it may find that an item is no string and then does not accept its arguments.
 */
export const STRING_FUNCTIONS: readonly FunctionOverload[] = [
  binary('string.contains(string): bool', [isString, isString], contains, SEARCH_COSTS),
  binary(
    'string.startsWith(string): bool',
    [isString, isString],
    (text, part, work) => holdsForEitherSpelling(text, work, (name) => name.startsWith(part)),
    AFFIX_COSTS,
  ),
  binary(
    'string.endsWith(string): bool',
    [isString, isString],
    (text, part, work) => holdsForEitherSpelling(text, work, (name) => name.endsWith(part)),
    AFFIX_COSTS,
  ),
  binary('string.matches(string): bool', [isString, isString], matchesPattern, PATTERN_COSTS),
  binary('matches(string, string): bool', [isString, isString], matchesPattern, { estimate: () => 1 }),
  binary('string.find(string): string', [isString, isString], findMatch, FIND_COSTS),
  binary(
    'string.findAll(string): list(string)',
    [isString, isString],
    (text, pattern, work) => findAllMatches(text, pattern, -1n, work),
    FIND_COSTS,
  ),
  ternary('string.findAll(string, int): list(string)', [isString, isString, isInt], findAllMatches, FIND_COSTS),
  binary('string.charAt(int): string', [isString, isInt], charAt),
  binary('string.indexOf(string): int', [isString, isString], firstIndexOf, traversalCosts()),
  ternary('string.indexOf(string, int): int', [isString, isString, isInt], indexOf, traversalCosts()),
  binary(
    'string.lastIndexOf(string): int',
    [isString, isString],
    (text, part, work) => lastIndexOf(text, part, undefined, work),
    traversalCosts(),
  ),
  ternary('string.lastIndexOf(string, int): int', [isString, isString, isInt], lastIndexOf, traversalCosts()),
  {
    ...unary('list(string).join(): string', isList, () => '', JOIN_COSTS),
    call: ([list = null], work) => (isList(list) ? join(list, '', work) : NO_MATCH),
  },
  {
    ...binary('list(string).join(string): string', [isList, isString], () => '', JOIN_COSTS),
    call: ([list = null, separator = null], work) => (isList(list) && isString(separator) ? join(list, separator, work) : NO_MATCH),
  },
  unary('string.lowerAscii(): string', isString, lowerAscii, traversalCosts(1, firstSize)),
  unary('string.upperAscii(): string', isString, upperAscii, traversalCosts(1, firstSize)),
  ternary(
    'string.replace(string, string): string',
    [isString, isString, isString],
    (text, from, to, work) => replaceTexts(text, from, to, -1n, work),
    REPLACE_COSTS,
  ),
  quaternary('string.replace(string, string, int): string', [isString, isString, isString, isInt], replaceTexts, REPLACE_COSTS),
  binary(
    'string.split(string): list(string)',
    [isString, isString],
    (text, separator, work) => splitText(text, separator, -1n, work),
    SPLIT_COSTS,
  ),
  ternary('string.split(string, int): list(string)', [isString, isString, isInt], splitText, LIMITED_SPLIT_COSTS),
  binary(
    'string.substring(int): string',
    [isString, isInt],
    (text, start, work) => substring(text, start, undefined, work),
    traversalCosts(1, firstSize),
  ),
  ternary('string.substring(int, int): string', [isString, isInt, isInt], substring, traversalCosts(1, firstSize)),
  unary('string.trim(): string', isString, trim, traversalCosts(1, firstSize)),
  binary('string.format(list(dyn)): string', [isString, isList], formatString, traversalCosts()),
  unary(
    'strings.quote(string): string',
    isString,
    quoteText,
    traversalCosts(1, (sizes) => sizes.size(0) * 2 + 2),
  ),
];

function contains(text: string, part: string, work: WorkContext): boolean {
  chargeSearch(text, part, work);
  return holdsForEitherSpelling(text, work, (name) => name.includes(part));
}
