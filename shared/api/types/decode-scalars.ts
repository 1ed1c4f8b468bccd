/** Readers of scalars and of the types with a JSON form of their own: each takes its canonical spelling, or says why it cannot be read. */
import { cloneJson, isDeeperThan, isObject, setMember, type JsonArray, type JsonObject, type JsonValue } from '../../values/json';
import { numberTooLargeMessage } from '../../values/number-literals';
import { Base64Fault, canonicalBase64 } from '../../values/base64';
import type { Context, MemberPlace, ValueReader } from './decode-context';
import { DecodeError, kindOf } from './decode-error';
import { canonicalQuantity, QuantityFault } from '../../values/quantity';
import { canonicalMicroTime, canonicalTime, TimeFault } from '../../values/time';
import type { Scalar } from './types';

/** Free-form values may be this deep; what walks them later may then do so without a loop of its own. */
export const MAX_RAW_DEPTH = 1000;

/** A copy with 64-bit integers and floats as upstream tells them apart. */
function plainJson(value: JsonValue, context: Context, container: JsonObject | JsonArray, key: string | number): JsonValue {
  if (isNumber(value)) {
    const isInteger = typeof value === 'bigint' && value >= -(1n << 63n) && value < 1n << 63n;
    const number = isInteger ? value : Number(value);
    if (isInteger || Number.isFinite(number)) return number === 0 ? 0 : number;
    throw new DecodeError(numberTooLargeMessage(spelling(value, context, container, key)));
  }
  if (Array.isArray(value)) return value.map((item, index) => plainJson(item, context, value, index));
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  for (const [member, item] of Object.entries(value)) setMember(copy, member, plainJson(item, context, value, member));
  return copy;
}

export function scalarReader(scalar: Scalar, owner: MemberPlace): ValueReader {
  switch (scalar) {
    case 'string':
      return (value, context) => (typeof value === 'string' ? value : void context.note(kindOf(value), owner));
    case 'bool':
      return (value, context) => (typeof value === 'boolean' ? value : void context.note(kindOf(value), owner));
    case 'int32':
      return integer(owner, -2_147_483_648n, 2_147_483_647n);
    case 'uint32':
      return integer(owner, 0n, 4_294_967_295n);
    case 'int64':
      return integer(owner, -(1n << 63n), (1n << 63n) - 1n);
    case 'float64':
      return doubleReader(owner);
    case 'bytes':
      return bytesReader(owner);
    case 'time':
      return text(owner, canonicalTime);
    case 'microTime':
      return text(owner, canonicalMicroTime);
    case 'duration':
      return text(owner, (value) => value);
    case 'quantity':
      return (value, context, container, key) => {
        const spelled = typeof value === 'string' ? value : isNumber(value) ? spelling(value, context, container, key) : kindOf(value);
        return refusing(() => canonicalQuantity(spelled));
      };
    case 'intOrString':
      return intOrStringReader({ ...owner, goType: 'int32' });
    case 'raw':
      return (value, context, container, key) => {
        const kept = shallow(value);
        // Refuses numbers that no double holds, which are always spelled oddly.
        if (context.literals !== undefined) plainJson(kept, context, container, key);
        return cloneJson(kept);
      };
    // Sets of fields are never changed once made, and may be long: they are shared with what was sent.
    case 'fields':
      return shallow;
    case 'json':
      return (value, context, container, key) => {
        return plainJson(shallow(value), context, container, key);
      };
    case 'strings':
      return textsReader(owner);
  }
}

/** The value, if it is not too deep to be kept as it is. */
function shallow(value: JsonValue): JsonValue {
  if (isDeeperThan(value, MAX_RAW_DEPTH)) throw new DecodeError('exceeded max depth');
  return value;
}

function doubleReader(owner: MemberPlace): ValueReader {
  return (value, context, container, key) => {
    if (!isNumber(value)) return void context.note(kindOf(value), owner);
    const double = Number(value);
    return Number.isFinite(double) ? double : void context.note(`number ${spelling(value, context, container, key)}`, owner);
  };
}

/** Whatever is neither stops the decoding at once. */
function intOrStringReader(owner: MemberPlace): ValueReader {
  const read = integer(owner, -2_147_483_648n, 2_147_483_647n);
  return (value, context, container, key) => {
    if (typeof value === 'string') return value;
    const found = isNumber(value) ? read(value, context, container, key) : undefined;
    if (found !== undefined) return found;
    throw context.mismatch(isNumber(value) ? `number ${spelling(value, context, container, key)}` : kindOf(value), owner);
  };
}

function textsReader(owner: MemberPlace): ValueReader {
  const item = { ...owner, goType: 'string' };
  return (value, context) => {
    if (!Array.isArray(value)) return void context.note(kindOf(value), owner);
    return value.map((found) => {
      if (typeof found === 'string') return found;
      if (found !== null) context.note(kindOf(found), item);
      return '';
    });
  };
}

/** Base64, or what upstream also takes: a list of byte values. */
function bytesReader(owner: MemberPlace): ValueReader {
  const item = integer({ ...owner, goType: 'uint8' }, 0n, 255n);
  return (value, context) => {
    if (Array.isArray(value)) {
      const bytes = value.map((found, index) => (found === null ? 0 : Number(item(found, context, value, index) ?? 0)));
      return Buffer.from(bytes).toString('base64');
    }
    if (typeof value !== 'string') return void context.note(kindOf(value), owner);
    try {
      return canonicalBase64(value);
    } catch (error) {
      if (!(error instanceof Base64Fault)) throw error;
      context.firstFault ??= new DecodeError(error.message);
      return undefined;
    }
  };
}

/** A text that a type of its own reads: anything wrong with it stops the decoding at once. */
function text(owner: MemberPlace, canonical: (value: string) => string | null): ValueReader {
  const wanted = { ...owner, goType: 'string' };
  return (value, context) => {
    if (typeof value !== 'string') throw context.mismatch(kindOf(value), wanted);
    return refusing(() => canonical(value));
  };
}

function refusing<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof TimeFault || error instanceof QuantityFault) throw new DecodeError(error.message);
    throw error;
  }
}

function integer(owner: MemberPlace, least: bigint, most: bigint): ValueReader {
  const low = Number(least);
  const high = Number(most);
  return (value, context, container, key) => {
    if (typeof value === 'number') {
      const isExact = Number.isSafeInteger(value) && value >= low && value <= high;
      if (isExact && (context.literals === undefined || context.literals.get(container)?.get(key) === undefined))
        return value === 0 ? 0 : value;
    } else if (typeof value === 'bigint') {
      if (value >= least && value <= most) return Number.isSafeInteger(Number(value)) ? Number(value) : value;
    } else {
      return void context.note(kindOf(value), owner);
    }
    return void context.note(`number ${spelling(value, context, container, key)}`, owner);
  };
}

function isNumber(value: JsonValue): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

function spelling(value: number | bigint, context: Context, container: JsonObject | JsonArray, key: string | number): string {
  return context.literals?.get(container)?.get(key) ?? String(value);
}
