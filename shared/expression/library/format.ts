/** `string.format`: the clauses `%s`, `%d`, `%f`, `%e`, `%b`, `%o`, `%x` and `%X`, with a precision for doubles. */
import type { WorkContext } from '../values/equality';
import { Duration, ErrorValue, ListValue, MapValue, Timestamp, valueTypeName, TypeValue, Uint, type Value } from '../values/value';
import { printDouble, printDuration, printTimestamp } from './printing';

/** An argument is missing, is an error, or is not accepted by its clause. */
class FormatError extends Error {}

/** `%%`, or the precision and the letter of a clause: `.2` and `f` of `%.2f`. */
const CLAUSE = /%(?:%|(\.\d+)?(.?))/gsu;

/** The error in the clauses themselves, regardless of the values; `undefined` when they are valid. */
export function findClauseError(format: string): string | undefined {
  for (const match of format.matchAll(CLAUSE)) {
    if (match[0] === '%%') continue;
    const kind = match[2] ?? '';
    if (kind === '') return 'unexpected end of string';
    if (!/[sdfebxXo]/.test(kind)) return `could not parse formatting clause: unrecognized formatting clause "${kind}"`;
  }
  return undefined;
}

/** The clauses of a format in order, without `%%`. */
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
      // A clause costs 1, and its text 1 for every four characters, so that long results use up the budget of an
      // expression.
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

/** The texts of values that are not finite are accepted as doubles too, as in cel-go. */
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
 * Exact rounding with halves to even: 2.5 is 2 with no digits, 0.375 is 0.38 with two. `toFixed` switches to an
 * exponent from 1e21 and rounds halves away from zero. So a value is printed with more digits: where only a 5 follows
 * the requested ones (`2.5`), it is an exact half, and where `toFixed` then ends in an odd digit (`3`), the truncated
 * text (`2`) is even.
 */
function toFixedExact(value: number, digits: number): string {
  if (Math.abs(value) >= 1e21) return `${BigInt(value)}${digits === 0 ? '' : `.${'0'.repeat(digits)}`}`;
  const text = value.toFixed(digits);
  const exact = value.toFixed(Math.min(100, digits + 60)).replace(/(?<!0)0+$/, '');
  const isExactHalf = exact.length === text.length + (digits === 0 ? 2 : 1) && exact.endsWith('5');
  if (!isExactHalf || /[02468]$/.test(text)) return text;
  return exact.slice(0, digits === 0 ? -2 : -1);
}

const SUPERSCRIPTS: Readonly<Record<string, string>> = {
  ...Object.fromEntries([...'⁰¹²³⁴⁵⁶⁷⁸⁹'].map((character, digit) => [String(digit), character])),
  '-': '⁻',
};

function printScientific(value: Value, precision: number): string {
  const number = requireDouble(value, 'scientific');
  // cel-go prints with `%6e`, not `%.6e`: the precision is a width, to which a value that is not finite is padded.
  if (!Number.isFinite(number)) return nonFiniteSymbol(number).padStart(Math.min(precision, 100));
  const [mantissa = '', power = ''] = number.toExponential(Math.min(precision, 100)).split('e');
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

const STRINGS = 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps';

const decodeUtf8 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');
const printNested = (value: number): string => (Number.isFinite(value) ? toFixedExact(value, 6) : `"${printDouble(value)}"`);

function printString(value: Value, work: WorkContext, { isNested } = { isNested: false }): string {
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
  if (value instanceof ListValue) return `[${[...value].map((item) => printString(item, work, { isNested: true })).join(', ')}]`;
  if (value instanceof MapValue) {
    const print = (inner: Value): string => printString(inner, work, { isNested: true });
    const entries = [...value.keys()].map((key) => `${print(key)}:${print(value.find(key) ?? null)}`);
    return `{${entries.sort().join(', ')}}`;
  }
  return failFormat(`${STRINGS}, was given ${valueTypeName(value)}`);
}
