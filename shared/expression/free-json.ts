/** JSON without a schema as values of the expression language: whole numbers of 64 bits are integers, as upstream reads them. */
import { isObject, type JsonValue } from '../values/json';
import { ArrayList, EntryMap, type Value } from './values/value';

/** Its depth has been bounded by whoever parsed it. */
export function freeValue(value: JsonValue): Value {
  if (Array.isArray(value)) return new ArrayList(value.map(freeValue));
  if (isObject(value))
    return new EntryMap(new Map(Object.entries(value).map(([name, member]) => [name, [name, freeValue(member)] as const])));
  return typeof value === 'number' || typeof value === 'bigint' ? freeNumber(value) : value;
}

function freeNumber(value: number | bigint): Value {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  return BigInt.asIntN(64, value) === value ? value : Number(value);
}
