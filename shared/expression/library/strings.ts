/**
 * Functions of strings: the standard ones and those of the strings extension (version 2). Indexes count characters, not UTF-16 units.
 */
import { SHORT_ESCAPES } from '../../values/quote';
import { ArrayList, Failure, type ListValue, sizeOf, type Value } from '../values/value';
import {
  binary,
  isInt,
  isList,
  isString,
  quaternary,
  ternary,
  traversal,
  traverses,
  unary,
  UNFIT,
  type Costs,
  type FunctionRow,
  type Sizes,
} from './function';
import { formatText } from './format';
import { findAllMatches, findMatch, matches } from './regex';
import { holdsForEitherSpelling, type Work } from '../values/equality';

/** Characters of a text by place; texts without surrogate pairs are not copied. */
class Characters {
  private readonly split: readonly string[] | undefined;

  constructor(
    private readonly text: string,
    work: Work,
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

  /** The place of a character from an offset in UTF-16 units, and back. */
  placeOf(offset: number): number {
    return this.split === undefined || offset < 0 ? offset : [...this.text.slice(0, offset)].length;
  }

  offsetOf(place: number): number {
    return this.split === undefined ? place : this.split.slice(0, place).join('').length;
  }
}

const outOfRange = (index: bigint): Failure => new Failure(`index out of range: ${index}`);

function charAt(text: string, index: bigint, work: Work): Value {
  const characters = new Characters(text, work);
  if (index < 0n || index > characters.length) return outOfRange(index);
  return characters.slice(Number(index), Number(index) + 1);
}

function indexOf(text: string, part: string, from: bigint, work: Work): Value {
  search(text, part, work);
  const characters = new Characters(text, work);
  if (part === '') return from;
  if (from < 0n || from >= characters.length) return outOfRange(from);
  return BigInt(characters.placeOf(text.indexOf(part, characters.offsetOf(Number(from)))));
}

/** Searching compares each place with all of what is searched for, at worst. */
function search(text: string, part: string, work: Work): void {
  work.spend(Math.ceil((text.length * Math.min(part.length, text.length)) / 256));
}

function firstIndexOf(text: string, part: string, work: Work): Value {
  return indexOf(text, part, 0n, work);
}

function lastIndexOf(text: string, part: string, from: bigint | undefined, work: Work): Value {
  search(text, part, work);
  const characters = new Characters(text, work);
  if (part === '') return from ?? BigInt(characters.length);
  const last = from ?? BigInt(characters.length - 1);
  if (last < 0n || last >= characters.length) return outOfRange(last);
  return BigInt(characters.placeOf(text.lastIndexOf(part, characters.offsetOf(Number(last)))));
}

function substring(text: string, start: bigint, end: bigint | undefined, work: Work): Value {
  const characters = new Characters(text, work);
  const last = end ?? BigInt(characters.length);
  if (end !== undefined && start > end) return new Failure(`invalid substring range. start: ${start}, end: ${end}`);
  if (start < 0n || start > characters.length) return outOfRange(start);
  if (last < 0n || last > characters.length) return outOfRange(last);
  return characters.slice(Number(start), Number(last));
}

function replaceTexts(text: string, from: string, to: string, most: bigint, work: Work): Value {
  if (most === 0n) return text;
  search(text, from, work);
  const pieces = from === '' ? [...text] : text.split(from);
  const limit = most < 0n ? pieces.length + 1 : Number(most);
  let result = from === '' ? '' : (pieces[0] ?? '');
  const replacements = from === '' ? Math.min(limit, pieces.length + 1) : Math.min(limit, pieces.length - 1);
  work.spend(Math.ceil((text.length + replacements * to.length) / 4));
  if (from === '') {
    pieces.forEach((piece, index) => {
      result += index < limit ? to + piece : piece;
    });
    return limit > pieces.length ? result + to : result;
  }
  for (let index = 1; index < pieces.length; index += 1) result += (index <= limit ? to : from) + (pieces[index] ?? '');
  return result;
}

function splitText(text: string, separator: string, most: bigint, work: Work): Value {
  search(text, separator, work);
  work.spend(text.length >> 3);
  if (most === 0n) return new ArrayList([]);
  const limit = most < 0n ? Infinity : Number(most);
  const pieces = separator === '' ? [...text] : text.split(separator);
  if (pieces.length <= limit) return new ArrayList(pieces);
  return new ArrayList([...pieces.slice(0, limit - 1), pieces.slice(limit - 1).join(separator)]);
}

function join(list: ListValue, separator: string, work: Work): Value | typeof UNFIT {
  const parts: string[] = [];
  for (const item of list) {
    if (typeof item !== 'string') return UNFIT;
    work.spend(1 + ((item.length + separator.length) >> 2));
    parts.push(item);
  }
  return parts.join(separator);
}

/** White space as Unicode has it, which is not quite what JavaScript trims. */
const SPACE = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

function trim(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && SPACE.test(text.charAt(start))) start += 1;
  while (end > start && SPACE.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

export const quoteText = (text: string): string =>
  `"${text.replace(/[\u0007\b\f\n\r\t\v\\"]/g, (character) => SHORT_ESCAPES[character] ?? character)}"`;

const lower = (text: string): string => text.replace(/[A-Z]+/g, (part) => part.toLowerCase());
const upper = (text: string): string => text.replace(/[a-z]+/g, (part) => part.toUpperCase());

const kept = (sizes: Sizes): number => sizes.size(0);
const WITH_PATTERN: Costs = {
  estimate: (sizes) => traversal(1 + sizes.size(0)) * Math.ceil(sizes.size(1) * 0.25),
};
const FOUND: Costs = { ...WITH_PATTERN, size: kept };
const SEARCHED: Costs = { estimate: (sizes) => traversal(sizes.size(0)) * traversal(sizes.size(1)) };
const AFFIX: Costs = { estimate: (sizes) => traversal(sizes.size(1)) };
/** What is written is counted in the estimate only. */
const WRITTEN: Costs = { charge: ([text = null]) => traversal(sizeOf(text)) };
/** Replacing by something longer makes the text longer, at most by as many as what is replaced fits in. */
const REPLACED: Costs = {
  ...WRITTEN,
  estimate: (sizes) => traversal(sizes.size(0)) * 2,
  size: (sizes) => Math.ceil((sizes.size(0) / Math.max(1, sizes.size(1))) * Math.max(1, sizes.size(2))),
};
const SPLIT: Costs = { ...traverses(2, kept), ...WRITTEN };
const SPLIT_LIMITED: Costs = {
  ...SPLIT,
  size: (sizes) => {
    const most = sizes.count(2) ?? -1;
    return most < 0 ? sizes.size(0) : most;
  },
};
const JOINED: Costs = {
  estimate: (sizes) => traversal(joinedSize(sizes)),
  size: joinedSize,
};

function joinedSize(sizes: Sizes): number {
  const items = sizes.size(0);
  return items * sizes.itemSize(0) + Math.max(0, items - 1) * sizes.size(1);
}

export const TEXT_ROWS: readonly FunctionRow[] = [
  binary('string.contains(string): bool', isString, isString, contains, SEARCHED),
  binary(
    'string.startsWith(string): bool',
    isString,
    isString,
    (text, part, work) => holdsForEitherSpelling(text, work, (name) => name.startsWith(part)),
    AFFIX,
  ),
  binary(
    'string.endsWith(string): bool',
    isString,
    isString,
    (text, part, work) => holdsForEitherSpelling(text, work, (name) => name.endsWith(part)),
    AFFIX,
  ),
  binary('string.matches(string): bool', isString, isString, matches, WITH_PATTERN),
  binary('matches(string, string): bool', isString, isString, matches, { estimate: () => 1 }),
  binary('string.find(string): string', isString, isString, findMatch, FOUND),
  binary(
    'string.findAll(string): list(string)',
    isString,
    isString,
    (text, pattern, work) => findAllMatches(text, pattern, -1n, work),
    FOUND,
  ),
  ternary('string.findAll(string, int): list(string)', [isString, isString, isInt], findAllMatches, FOUND),
  binary('string.charAt(int): string', isString, isInt, charAt),
  binary('string.indexOf(string): int', isString, isString, firstIndexOf, traverses()),
  ternary('string.indexOf(string, int): int', [isString, isString, isInt], indexOf, traverses()),
  binary(
    'string.lastIndexOf(string): int',
    isString,
    isString,
    (text, part, work) => lastIndexOf(text, part, undefined, work),
    traverses(),
  ),
  ternary('string.lastIndexOf(string, int): int', [isString, isString, isInt], lastIndexOf, traverses()),
  {
    ...unary('list(string).join(): string', isList, () => '', JOINED),
    call: ([list = null], work) => (isList(list) ? join(list, '', work) : UNFIT),
  },
  {
    ...binary('list(string).join(string): string', isList, isString, () => '', JOINED),
    call: ([list = null, separator = null], work) => (isList(list) && isString(separator) ? join(list, separator, work) : UNFIT),
  },
  unary('string.lowerAscii(): string', isString, lower, traverses(1, kept)),
  unary('string.upperAscii(): string', isString, upper, traverses(1, kept)),
  ternary(
    'string.replace(string, string): string',
    [isString, isString, isString],
    (text, from, to, work) => replaceTexts(text, from, to, -1n, work),
    REPLACED,
  ),
  quaternary('string.replace(string, string, int): string', [isString, isString, isString, isInt], replaceTexts, REPLACED),
  binary('string.split(string): list(string)', isString, isString, (text, separator, work) => splitText(text, separator, -1n, work), SPLIT),
  ternary('string.split(string, int): list(string)', [isString, isString, isInt], splitText, SPLIT_LIMITED),
  binary(
    'string.substring(int): string',
    isString,
    isInt,
    (text, start, work) => substring(text, start, undefined, work),
    traverses(1, kept),
  ),
  ternary('string.substring(int, int): string', [isString, isInt, isInt], substring, traverses(1, kept)),
  unary('string.trim(): string', isString, trim, traverses(1, kept)),
  binary('string.format(list(dyn)): string', isString, isList, formatText, traverses()),
  unary(
    'strings.quote(string): string',
    isString,
    quoteText,
    traverses(1, (sizes) => sizes.size(0) * 2 + 2),
  ),
];

function contains(text: string, part: string, work: Work): boolean {
  search(text, part, work);
  return holdsForEitherSpelling(text, work, (name) => name.includes(part));
}
