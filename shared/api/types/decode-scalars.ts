/**
 * Value readers of scalars and of types with a custom JSON form. Each returns the canonical spelling of a value, or
 * reports why the value is invalid.
 */
import { cloneJson, isDeeperThan, isObject, setMember, type JsonArray, type JsonObject, type JsonValue } from '../../values/json';
import { numberTooLargeMessage } from '../../values/number-literals';
import { Base64Error, canonicalBase64 } from '../../values/encoding/base64';
import type { DecodeContext, MemberLocation, ValueReader } from './decode-context';
import { DecodeError, jsonKindOf } from './decode-error';
import { canonicalQuantity, QuantityError } from '../../values/quantity';
import { canonicalMicroTime, canonicalTime, TimeError } from '../../values/time/time';
import type { Scalar } from './types';

/** Maximum nesting depth of free-form values. The limit allows code that walks such a value to recurse. */
export const MAX_RAW_DEPTH = 1000;

/** A copy in which numbers are 64-bit integers or floats, distinguished as upstream does. */
function copyWithGoNumbers(value: JsonValue, context: DecodeContext, container: JsonObject | JsonArray, key: string | number): JsonValue {
  if (isNumber(value)) {
    const isInteger = typeof value === 'bigint' && value >= -(1n << 63n) && value < 1n << 63n;
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

/** The reader of a scalar; `owner` is the field that holds it, for errors. */
export function scalarReader(scalar: Scalar, owner: MemberLocation): ValueReader {
  switch (scalar) {
    case 'string':
      return (value, context) => (typeof value === 'string' ? value : void context.recordMismatch(jsonKindOf(value), owner));
    case 'bool':
      return (value, context) => (typeof value === 'boolean' ? value : void context.recordMismatch(jsonKindOf(value), owner));
    case 'int32':
      return integerReader(owner, -2_147_483_648n, 2_147_483_647n);
    case 'uint32':
      return integerReader(owner, 0n, 4_294_967_295n);
    case 'int64':
      return integerReader(owner, -(1n << 63n), (1n << 63n) - 1n);
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
        const checked = checkRawDepth(value);
        // Rejects numbers outside the range of a double; these always have a recorded literal.
        if (context.literals !== undefined) copyWithGoNumbers(checked, context, container, key);
        return cloneJson(checked);
      };
    // Field sets are immutable and may be long, so they are shared with the request body.
    case 'fields':
      return checkRawDepth;
    case 'json':
      return (value, context, container, key) => {
        return copyWithGoNumbers(checkRawDepth(value), context, container, key);
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

/** Returns the value unchanged; throws when it is nested too deeply. */
function checkRawDepth(value: JsonValue): JsonValue {
  if (isDeeperThan(value, MAX_RAW_DEPTH)) throw new DecodeError('exceeded max depth');
  return value;
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
  const read = integerReader(owner, -2_147_483_648n, 2_147_483_647n);
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

/** Reads a string that a Go type unmarshals itself: an invalid string stops the decoding at once. */
function textReader(owner: MemberLocation, canonical: (value: string) => string | null): ValueReader {
  const wanted = { ...owner, goType: 'string' };
  return (value, context) => {
    if (typeof value !== 'string') throw context.mismatchError(jsonKindOf(value), wanted);
    return withDecodeErrors(() => canonical(value));
  };
}

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

/** A number as it was written. */
function literalOf(value: number | bigint, context: DecodeContext, container: JsonObject | JsonArray, key: string | number): string {
  return context.literals?.get(container)?.get(key) ?? String(value);
}
