/**
 * Type conversion functions, `type` and `dyn`. Converting a value that the target type cannot hold gives an error value
 * with upstream's message. Doubles are truncated to integers.
 */
import { Duration, ErrorValue, Timestamp, valueTypeName, TypeValue, Uint, type Value } from '../values/value';
import { INT_MAX, INT_MIN, MAX_TIMESTAMP, MIN_TIMESTAMP, UINT_MAX } from '../syntax/literals';
import {
  isAny,
  isBool,
  isBytes,
  isDouble,
  isDuration,
  isInt,
  isString,
  isTimestamp,
  isUint,
  traversalCosts,
  unary,
  type FunctionOverload,
} from './function';
import { printDouble, printDuration, printTimestamp, readDuration, readTimestamp } from './printing';

const OVERFLOW = new ErrorValue('integer overflow');
const UNSIGNED_OVERFLOW = new ErrorValue('unsigned integer overflow');
const NANOS_PER_SECOND = 1_000_000_000n;
const conversionError = (type: string): ErrorValue => new ErrorValue(`type conversion error from 'string' to '${type}'`);

const toInt = (value: bigint): Value => (value < INT_MIN || value > INT_MAX ? OVERFLOW : value);
const toUint = (value: bigint): Value => (value < 0n || value > UINT_MAX ? UNSIGNED_OVERFLOW : new Uint(value));

/** Upstream rejects -2^63 too, although an int can hold it. */
function doubleToInt(value: number): Value {
  return !Number.isFinite(value) || value <= -(2 ** 63) || value >= 2 ** 63 ? OVERFLOW : BigInt(Math.trunc(value));
}

function doubleToUint(value: number): Value {
  return !Number.isFinite(value) || value < 0 || value >= 2 ** 64 ? UNSIGNED_OVERFLOW : new Uint(BigInt(Math.trunc(value)));
}

/** More digits than any 64-bit integer has, so that parsing takes a bounded time. */
const INTEGER = /^[+-]?\d{1,40}$/;
const UNSIGNED_INTEGER = /^\d{1,40}$/;

function stringToInt(text: string): Value {
  if (!INTEGER.test(text)) return conversionError('int');
  const value = BigInt(text.replace(/^\+/, ''));
  return value < INT_MIN || value > INT_MAX ? conversionError('int') : value;
}

function stringToUint(text: string): Value {
  if (!UNSIGNED_INTEGER.test(text)) return conversionError('uint');
  const value = BigInt(text);
  return value > UINT_MAX ? conversionError('uint') : new Uint(value);
}

/** For example `-1.5e3`, `.5` or `1.`. */
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
/** A hexadecimal number with a binary exponent: `-0x1.8p3`. */
const HEXADECIMAL = /^([+-]?)0[xX]([0-9a-fA-F]+)(?:\.([0-9a-fA-F]*))?[pP]([+-]?\d{1,5})$/;
/** Texts of doubles that are not finite, in lower case. */
const NON_FINITE: ReadonlyMap<string, number> = new Map([
  ['inf', Infinity],
  ['+inf', Infinity],
  ['-inf', -Infinity],
  ['infinity', Infinity],
  ['+infinity', Infinity],
  ['-infinity', -Infinity],
  ['nan', NaN],
]);

/** Longer texts are no doubles, so that parsing takes a bounded time. */
const MAX_DOUBLE_LENGTH = 2000;
/** An underscore between digits, which Go permits: `1_000`. */
const DIGIT_SEPARATOR = /(?<=[\dxX])_(?=[\da-fA-F])/g;

function stringToDouble(text: string): Value {
  if (text.length > MAX_DOUBLE_LENGTH) return conversionError('double');
  const nonFinite = NON_FINITE.get(text.toLowerCase());
  if (nonFinite !== undefined) return nonFinite;
  const digits = text.replace(DIGIT_SEPARATOR, '');
  const value = NUMBER.test(digits) ? Number(digits) : readHexadecimal(digits);
  return Number.isFinite(value) ? value : conversionError('double');
}

/** `0x1.8p3` -> 12; NaN when the text is malformed. A digit of the fraction divides the number by 16, which is 2^4. */
function readHexadecimal(text: string): number {
  const match = HEXADECIMAL.exec(text);
  if (match === null) return NaN;
  const [, sign, whole = '', fraction = '', power = '0'] = match;
  return (sign === '-' ? -1 : 1) * Number(BigInt(`0x${whole}${fraction}`)) * 2 ** (Number(power) - 4 * fraction.length);
}

// The texts that Go's strconv.ParseBool accepts.
const TRUE = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
const FALSE = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);

function stringToBool(text: string): Value {
  if (TRUE.has(text)) return true;
  return FALSE.has(text) ? false : conversionError('bool');
}

function bytesToString(bytes: Uint8Array): Value {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return new ErrorValue('invalid UTF-8 in bytes, cannot convert to string');
  }
}

/** The seconds since 1970, rounded down. */
function wholeSeconds({ nanos }: Timestamp): bigint {
  const fraction = ((nanos % NANOS_PER_SECOND) + NANOS_PER_SECOND) % NANOS_PER_SECOND;
  return (nanos - fraction) / NANOS_PER_SECOND;
}

function secondsToTimestamp(seconds: bigint): Value {
  const nanos = seconds * NANOS_PER_SECOND;
  return nanos < MIN_TIMESTAMP || nanos > MAX_TIMESTAMP ? new ErrorValue('timestamp overflow') : new Timestamp(nanos);
}

/** The overloads, each with its signature, its checks of arguments, its function and its costs. */
export const CONVERSION_FUNCTIONS: readonly FunctionOverload[] = [
  unary('bool(bool): bool', isBool, (value) => value),
  unary('bool(string): bool', isString, stringToBool),
  unary('bytes(bytes): bytes', isBytes, (value) => value),
  unary(
    'bytes(string): bytes',
    isString,
    (text) => new Uint8Array(Buffer.from(text, 'utf8')),
    traversalCosts(1, (sizes) => sizes.size(0) * 4),
  ),
  unary('double(double): double', isDouble, (value) => value),
  unary('double(int): double', isInt, Number),
  unary('double(string): double', isString, stringToDouble),
  unary('double(uint): double', isUint, ({ value }) => Number(value)),
  unary('duration(duration): duration', isDuration, (value) => value),
  unary('duration(string): duration', isString, (text) => readDuration(text) ?? conversionError('google.protobuf.Duration')),
  unary('duration(int): duration', isInt, (value) => new Duration(value)),
  unary('int(int): int', isInt, (value) => value),
  unary('int(double): int', isDouble, doubleToInt),
  unary('int(duration): int', isDuration, ({ nanos }) => nanos),
  unary('int(string): int', isString, stringToInt),
  unary('int(timestamp): int', isTimestamp, wholeSeconds),
  unary('int(uint): int', isUint, ({ value }) => toInt(value)),
  unary('string(string): string', isString, (value) => value),
  unary('string(bool): string', isBool, String),
  unary(
    'string(bytes): string',
    isBytes,
    bytesToString,
    traversalCosts(1, (sizes) => sizes.size(0)),
  ),
  unary('string(double): string', isDouble, printDouble),
  unary('string(duration): string', isDuration, printDuration),
  unary('string(int): string', isInt, String),
  unary('string(timestamp): string', isTimestamp, printTimestamp),
  unary('string(uint): string', isUint, ({ value }) => String(value)),
  unary('timestamp(timestamp): timestamp', isTimestamp, (value) => value),
  unary('timestamp(int): timestamp', isInt, secondsToTimestamp),
  unary('timestamp(string): timestamp', isString, (text) => readTimestamp(text) ?? conversionError('google.protobuf.Timestamp')),
  unary('uint(uint): uint', isUint, (value) => value),
  unary('uint(double): uint', isDouble, doubleToUint),
  unary('uint(int): uint', isInt, toUint),
  unary('uint(string): uint', isString, stringToUint),
  unary('type(A): type(A)', isAny, (value) => new TypeValue(valueTypeName(value))),
  unary('dyn(A): dyn', isAny, (value) => value),
];
