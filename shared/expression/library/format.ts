/**
 * `string.format`: the clauses `%s`, `%d`, `%f`, `%e`, `%b`, `%o`, `%x` and `%X`, with a precision for doubles (`%.2f`).
 * Texts are those of cel-go.
 */
import type { WorkContext } from '../values/equality';
import { Duration, ErrorValue, ListValue, MapValue, Timestamp, valueTypeName, TypeValue, Uint, type Value } from '../values/value';
import { printDouble, printDuration, printTimestamp } from './printing';

/** An argument is missing, is an error, or is not accepted by its clause. */
class FormatError extends Error {}

/** `%%`, or the precision and the letter of a clause: `.2` and `f` of `%.2f`. */
const CLAUSE = /%(?:%|(\.\d+)?(.?))/gsu;
const CLAUSE_LETTER = /[sdfebxXo]/;

/** The error in the clauses themselves, regardless of the values; `undefined` when they are valid. */
export function findClauseError(format: string): string | undefined {
  for (const match of format.matchAll(CLAUSE)) {
    if (match[0] === '%%') continue;
    const kind = match[2] ?? '';
    if (kind === '') return 'unexpected end of string';
    if (!CLAUSE_LETTER.test(kind)) return `could not parse formatting clause: unrecognized formatting clause "${kind}"`;
  }
  return undefined;
}

/** The letters of the clauses of a format, in order. */
export const clausesOf = (format: string): string[] =>
  [...format.matchAll(CLAUSE)].filter((match) => match[0] !== '%%').map((match) => match[2] ?? '');

/** Replaces each clause by the next argument; an error value when a clause is invalid or does not accept its argument. */
export function formatString(format: string, args: ListValue, work: WorkContext): Value {
  const reason = findClauseError(format);
  if (reason !== undefined) return new ErrorValue(reason);
  let next = 0;
  try {
    return format.replace(CLAUSE, (clause: string, precision: string | undefined, kind: string | undefined) => {
      if (clause === '%%') return '%';
      if (next >= args.size) throw new FormatError(`index ${next} out of range`);
      const value = args.at(next);
      next += 1;
      const printed = formatClause(kind ?? '', precision === undefined ? undefined : Number(precision.slice(1)), value, work);
      // A step for the clause, and one for four characters of its text, so that long results use up the work limit.
      work.spend(1 + (printed.length >> 2));
      return printed;
    });
  } catch (error) {
    if (error instanceof FormatError) return new ErrorValue(error.message);
    throw error;
  }
}

function formatClause(kind: string, precision: number | undefined, value: Value, work: WorkContext): string {
  if (value instanceof ErrorValue) throw new FormatError(value.message);
  switch (kind) {
    case 's':
      return printString(value, work);
    case 'd':
      return printDecimal(value);
    case 'f':
      return printFixed(value, precision ?? 6);
    case 'e':
      return printScientific(value, precision ?? 6);
    case 'b':
      return printBinary(value);
    case 'o':
      return requireInteger(value, 'octal clause can only be used on integers').toString(8);
    case 'X':
      return printHex(value).toUpperCase();
    // `x`: the format has no other letters (findClauseError).
    default:
      return printHex(value);
  }
}

const failFormat = (message: string): never => {
  throw new FormatError(`error during formatting: ${message}`);
};

function requireInteger(value: Value, message: string): bigint {
  if (typeof value === 'bigint') return value;
  if (value instanceof Uint) return value.value;
  return failFormat(`${message}, was given ${valueTypeName(value)}`);
}

function printBinary(value: Value): string {
  if (typeof value === 'boolean') return value ? '1' : '0';
  return requireInteger(value, 'only integers and bools can be formatted as binary').toString(2);
}

function printDecimal(value: Value): string {
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  return requireInteger(value, 'decimal clause can only be used on integers').toString();
}

/** The number to print. As in cel-go, the texts of numbers that are not finite are accepted too. */
function requireDouble(value: Value, message: string): number {
  if (typeof value === 'number') return value;
  if (value === 'NaN' || value === 'Infinity' || value === '-Infinity') return Number(value);
  return failFormat(`${message} clause can only be used on doubles, was given ${valueTypeName(value)}`);
}

function printFixed(value: Value, precision: number): string {
  const number = requireDouble(value, 'fixed-point');
  return Number.isFinite(number) ? groupThousands(toFixedExact(number, Math.min(precision, 100))) : nonFiniteSymbol(number);
}

/** `NaN`, `∞` or `-∞`. */
const nonFiniteSymbol = (value: number): string => String(value).replace('Infinity', '∞');

/** Adds a comma before each group of three digits of the integral part. */
function groupThousands(text: string): string {
  const [number = '', sign = '', whole = ''] = /^(-?)(\d*)/.exec(text) ?? [];
  const groups: string[] = [];
  for (let end = whole.length; end > 0; end -= 3) groups.push(whole.slice(Math.max(0, end - 3), end));
  return `${sign}${groups.reverse().join(',')}${text.slice(number.length)}`;
}

/**
 * Prints a number with `digits` digits after the decimal point, rounding exact halves to the even digit as Go does: 2.5
 * is `2` without digits, and 0.375 is `0.38` with two. `toFixed` differs in two cases:
 * - From 1e21 on it prints an exponent. Such a number is an integer.
 * - It rounds exact halves away from zero. An exact half is a number with a single further digit, 5. When `toFixed` then
 *   ends in an odd digit (`3` for 2.5), the digits before the 5 (`2`) are the even ones.
 */
function toFixedExact(value: number, digits: number): string {
  if (Math.abs(value) >= 1e21) return `${BigInt(value)}${digits === 0 ? '' : `.${'0'.repeat(digits)}`}`;
  const rounded = value.toFixed(digits);
  // 60 further digits show whether it is an exact half: with up to 40 digits, any other number differs from one by at least
  // 2⁻⁵⁴ · 5⁻⁴⁰ (6e-45) units of the last digit. 100 is the most digits that toFixed prints. Because of the lookbehind a match
  // starts only at the first of several zeros, so the search takes linear time.
  const exact = value.toFixed(Math.min(100, digits + 60)).replace(/(?<!0)0+$/, '');
  // What follows the rounded digits in an exact half: `.5` when these have no decimal point, `5` otherwise.
  const halfLength = digits === 0 ? 2 : 1;
  const isExactHalf = exact.length === rounded.length + halfLength && exact.endsWith('5');
  const isEven = /[02468]$/.test(rounded);
  return isExactHalf && !isEven ? exact.slice(0, -halfLength) : rounded;
}

/** The characters of an exponent. */
const SUPERSCRIPTS: Readonly<Record<string, string>> = {
  ...Object.fromEntries([...'⁰¹²³⁴⁵⁶⁷⁸⁹'].map((character, digit) => [String(digit), character])),
  '-': '⁻',
};

/** Digits after the point of a mantissa. */
const MANTISSA_DIGITS = 6;

/** Wider results are not padded further, so that a short expression does not fill the memory. */
const MAX_SCIENTIFIC_WIDTH = 1_000;

/** cel-go formats with `%6e` where `%.6e` is meant: the precision is a width, and the mantissa always has six digits. */
function printScientific(value: Value, precision: number): string {
  const number = requireDouble(value, 'scientific');
  return (Number.isFinite(number) ? scientificText(number) : nonFiniteSymbol(number)).padStart(Math.min(precision, MAX_SCIENTIFIC_WIDTH));
}

function scientificText(number: number): string {
  const [mantissa = '', power = ''] = number.toExponential(MANTISSA_DIGITS).split('e');
  const exponent = power
    .replace(/\d+/, (digits) => digits.padStart(2, '0'))
    .replace(/[-+\d]/g, (character) => SUPERSCRIPTS[character] ?? '');
  return `${mantissa}\u202f×\u202f10${exponent}`;
}

function printHex(value: Value): string {
  if (typeof value === 'string') return Buffer.from(value, 'utf8').toString('hex');
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return requireInteger(value, 'only integers, byte buffers, and strings can be formatted as hex').toString(16);
}

const STRING_CLAUSE_MESSAGE =
  'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps';

const decodeUtf8 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');
/** A number in a list or map, where one that is not finite is quoted. */
const printNested = (value: number): string => (Number.isFinite(value) ? toFixedExact(value, 6) : `"${printDouble(value)}"`);

/** `isNested`: whether the value is in a list or map, where texts are quoted and times have the name of their type. */
function printString(value: Value, work: WorkContext, isNested = false): string {
  work.spend(1);
  if (typeof value === 'string') return isNested ? JSON.stringify(value) : value;
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return isNested ? printNested(value) : printDouble(value);
  if (value === null) return 'null';
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Uint8Array) return isNested ? `b${JSON.stringify(decodeUtf8(value))}` : decodeUtf8(value);
  if (value instanceof Timestamp) return isNested ? `timestamp(${JSON.stringify(printTimestamp(value))})` : printTimestamp(value);
  if (value instanceof Duration) return isNested ? `duration("${printDuration(value)}")` : printDuration(value);
  if (value instanceof TypeValue) return value.name;
  if (value instanceof ListValue) return `[${[...value].map((item) => printString(item, work, true)).join(', ')}]`;
  if (value instanceof MapValue) {
    const print = (inner: Value): string => printString(inner, work, true);
    const entries = [...value.keys()].map((key) => `${print(key)}:${print(value.find(key) ?? null)}`);
    return `{${entries.sort().join(', ')}}`;
  }
  return failFormat(`${STRING_CLAUSE_MESSAGE}, was given ${valueTypeName(value)}`);
}
