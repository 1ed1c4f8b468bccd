/** JSON without a schema as values of the expression language: numbers are doubles, as upstream reads them. */
import { isObject, type JsonValue } from '../values/json';
import { ArrayList, EntryMap, type Value } from './values/value';

/** Its depth has been bounded by whoever parsed it. */
export function freeValue(value: JsonValue): Value {
  if (Array.isArray(value)) return new ArrayList(value.map(freeValue));
  if (isObject(value))
    return new EntryMap(new Map(Object.entries(value).map(([name, member]) => [name, [name, freeValue(member)] as const])));
  return typeof value === 'bigint' ? Number(value) : value;
}
