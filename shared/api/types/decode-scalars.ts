/**
 * Value readers of scalars and of types with a custom JSON form. Each returns the canonical form of a value. An invalid
 * value is recorded in the context, or stops the decoding with a {@link DecodeError}, as upstream does for its type.
 */
import { cloneJson, isDeeperThan, isObject, setMember, type JsonArray, type JsonObject, type JsonValue } from '../../values/json';
import { numberTooLargeMessage } from '../../values/number-literals';
import { Base64Error, canonicalBase64 } from '../../values/encoding/base64';
import type { DecodeContext, MemberLocation, ValueReader } from './decode-context';
import { DecodeError, jsonKindOf } from './decode-error';
import { canonicalQuantity, QuantityError } from '../../values/quantity';
import { canonicalMicroTime, canonicalTime, TimeError } from '../../values/time/time';
import type { Scalar } from './types';

/** Maximum nesting depth of free-form values (`raw`, `json`, `fields`). It allows code that walks them to recurse. */
export const MAX_RAW_DEPTH = 1000;

/**
 * A copy in which integers that fit in 64 bits are exact and all other numbers are doubles, as in Go. Throws
 * {@link DecodeError} for a number beyond the range of doubles. `container` and `key` identify the value's literal.
 */
function copyWithGoNumbers(value: JsonValue, context: DecodeContext, container: JsonObject | JsonArray, key: string | number): JsonValue {
  if (isNumber(value)) {
    const isInteger = typeof value === 'bigint' && value >= MIN_INT64 && value <= MAX_INT64;
    const number = isInteger ? value : Number(value);
    if (isInteger || Number.isFinite(number)) return number === 0 ? 0 : number;
    throw new DecodeError(numberTooLargeMessage(literalOf(value, context, container, key)));
  }
  if (Array.isArray(value)) return value.map((item, index) => copyWithGoNumbers(item, context, value, index));
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  for (const [member, item] of Object.entries(value)) setMember(copy, member, copyWithGoNumbers(item, context, value, member));
  return copy;
}

const MIN_INT32 = -2_147_483_648n;
const MAX_INT32 = 2_147_483_647n;
const MAX_UINT32 = 4_294_967_295n;
const MIN_INT64 = -(1n << 63n);
const MAX_INT64 = (1n << 63n) - 1n;

/** The reader of a scalar; `owner` is the field that holds it, for errors. */
export function scalarReader(scalar: Scalar, owner: MemberLocation): ValueReader {
  switch (scalar) {
    case 'string':
      return (value, context) => (typeof value === 'string' ? value : void context.recordMismatch(jsonKindOf(value), owner));
    case 'bool':
      return (value, context) => (typeof value === 'boolean' ? value : void context.recordMismatch(jsonKindOf(value), owner));
    case 'int32':
      return integerReader(owner, MIN_INT32, MAX_INT32);
    case 'uint32':
      return integerReader(owner, 0n, MAX_UINT32);
    case 'int64':
      return integerReader(owner, MIN_INT64, MAX_INT64);
    case 'float64':
      return doubleReader(owner);
    case 'bytes':
      return bytesReader(owner);
    case 'time':
      return textReader(owner, canonicalTime);
    case 'microTime':
      return textReader(owner, canonicalMicroTime);
    case 'duration':
      return textReader(owner, (value) => value);
    case 'quantity':
      return readQuantity;
    case 'intOrString':
      return intOrStringReader({ ...owner, goType: 'int32' });
    case 'raw':
      return (value, context, container, key) => {
        requireRawDepth(value);
        // Only rejects numbers outside the range of a double, which always have a recorded literal.
        if (context.literals !== undefined) copyWithGoNumbers(value, context, container, key);
        return cloneJson(value);
      };
    case 'fields':
      return (value) => {
        requireRawDepth(value);
        // Field sets are immutable and may be long, so they are shared with the request body.
        return value;
      };
    case 'json':
      return (value, context, container, key) => {
        requireRawDepth(value);
        return copyWithGoNumbers(value, context, container, key);
      };
    case 'strings':
      return stringListReader(owner);
  }
}

/** Reads a string or a number; upstream parses any other value as the text of its JSON type, which is an error. */
const readQuantity: ValueReader = (value, context, container, key) => {
  const text = isNumber(value) ? literalOf(value, context, container, key) : value;
  return withDecodeErrors(() => canonicalQuantity(typeof text === 'string' ? text : jsonKindOf(text)));
};

/** Throws {@link DecodeError} when the value is nested too deeply. */
function requireRawDepth(value: JsonValue): void {
  if (isDeeperThan(value, MAX_RAW_DEPTH)) throw new DecodeError('exceeded max depth');
}

function doubleReader(owner: MemberLocation): ValueReader {
  return (value, context, container, key) => {
    if (!isNumber(value)) return void context.recordMismatch(jsonKindOf(value), owner);
    const double = Number(value);
    return Number.isFinite(double) ? double : void context.recordMismatch(`number ${literalOf(value, context, container, key)}`, owner);
  };
}

/** A value that is neither an integer nor a string stops the decoding at once. */
function intOrStringReader(owner: MemberLocation): ValueReader {
  const read = integerReader(owner, MIN_INT32, MAX_INT32);
  return (value, context, container, key) => {
    if (typeof value === 'string') return value;
    const integer = isNumber(value) ? read(value, context, container, key) : undefined;
    if (integer !== undefined) return integer;
    throw context.mismatchError(isNumber(value) ? `number ${literalOf(value, context, container, key)}` : jsonKindOf(value), owner);
  };
}

function stringListReader(owner: MemberLocation): ValueReader {
  const item = { ...owner, goType: 'string' };
  return (value, context) => {
    if (!Array.isArray(value)) return void context.recordMismatch(jsonKindOf(value), owner);
    return value.map((element) => {
      if (typeof element === 'string') return element;
      if (element !== null) context.recordMismatch(jsonKindOf(element), item);
      return '';
    });
  };
}

/** Reads base64 or a list of byte values; upstream accepts both. */
function bytesReader(owner: MemberLocation): ValueReader {
  const item = integerReader({ ...owner, goType: 'uint8' }, 0n, 255n);
  return (value, context) => {
    if (Array.isArray(value)) {
      const bytes = value.map((element, index) => (element === null ? 0 : Number(item(element, context, value, index) ?? 0)));
      return Buffer.from(bytes).toString('base64');
    }
    if (typeof value !== 'string') return void context.recordMismatch(jsonKindOf(value), owner);
    try {
      return canonicalBase64(value);
    } catch (error) {
      if (!(error instanceof Base64Error)) throw error;
      context.firstError ??= new DecodeError(error.message);
      return undefined;
    }
  };
}

/**
 * Reads a string of a Go type that unmarshals itself, as a time does: an invalid string, or a value of another type, stops
 * the decoding at once. `canonical` returns the canonical text, or null for a text that counts as absent.
 */
function textReader(owner: MemberLocation, canonical: (value: string) => string | null): ValueReader {
  const wanted = { ...owner, goType: 'string' };
  return (value, context) => {
    if (typeof value !== 'string') throw context.mismatchError(jsonKindOf(value), wanted);
    return withDecodeErrors(() => canonical(value));
  };
}

/** Turns the errors of the parsers of times and quantities into a {@link DecodeError}. */
function withDecodeErrors<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof TimeError || error instanceof QuantityError) throw new DecodeError(error.message);
    throw error;
  }
}

function integerReader(owner: MemberLocation, min: bigint, max: bigint): ValueReader {
  const low = Number(min);
  const high = Number(max);
  return (value, context, container, key) => {
    if (typeof value === 'number') {
      const isExact = Number.isSafeInteger(value) && value >= low && value <= high;
      if (isExact && (context.literals === undefined || context.literals.get(container)?.get(key) === undefined))
        return value === 0 ? 0 : value;
    } else if (typeof value === 'bigint') {
      if (value >= min && value <= max) return Number.isSafeInteger(Number(value)) ? Number(value) : value;
    } else {
      return void context.recordMismatch(jsonKindOf(value), owner);
    }
    return void context.recordMismatch(`number ${literalOf(value, context, container, key)}`, owner);
  };
}

function isNumber(value: JsonValue): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** A number as it was written: its recorded literal, else the spelling of the value. */
function literalOf(value: number | bigint, context: DecodeContext, container: JsonObject | JsonArray, key: string | number): string {
  return context.literals?.get(container)?.get(key) ?? String(value);
}
