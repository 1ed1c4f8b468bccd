/** JSON without a schema as values of the expression language: whole numbers of 64 bits are integers, as upstream reads them. */
import { isObject, type JsonValue } from '../values/json';
import { ArrayList, EntryMap, Failure, type Value } from './values/value';

/** No expression that anybody writes looks deeper. */
const DEEPEST = 200;

export function freeValue(value: JsonValue, depth = 0): Value {
  if (depth > DEEPEST) return new Failure(`deeper than ${DEEPEST} levels`);
  if (Array.isArray(value)) return new ArrayList(value.map((item) => freeValue(item, depth + 1)));
  if (isObject(value))
    return new EntryMap(new Map(Object.entries(value).map(([name, member]) => [name, [name, freeValue(member, depth + 1)] as const])));
  return typeof value === 'number' || typeof value === 'bigint' ? freeNumber(value) : value;
}

function freeNumber(value: number | bigint): Value {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  return BigInt.asIntN(64, value) === value ? value : Number(value);
}
