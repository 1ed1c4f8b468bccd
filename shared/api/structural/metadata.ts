/** The metadata of custom resources and of objects inside them, of which the schema says nothing. */
import { isObject, setMember, sortedKeys, type JsonObject, type JsonValue } from '../../values/json';
import { DecodeError, decodeObject, kindOf } from '../types';

/**
 * A fresh canonical object; null counts as empty. `unknown` holds the unknown members in the order of their names. Throws DecodeError with
 * upstream's text.
 */
export function decodeMetadata(value: JsonValue): { readonly object: JsonObject; readonly unknown: readonly string[] } {
  if (value === null) return { object: {}, unknown: [] };
  if (!isObject(value)) throw new DecodeError(`json: cannot unmarshal ${kindOf(value)} into Go value of type v1.ObjectMeta`);
  const decoded = decodeObject('meta.v1.ObjectMeta', sorted(value));
  if (decoded.object['creationTimestamp'] === null) delete decoded.object['creationTimestamp'];
  return decoded;
}

/** Upstream reads the members in this order. */
function sorted<T extends JsonValue>(value: T): T;
function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((item) => sorted(item));
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  for (const name of sortedKeys(value)) setMember(copy, name, sorted(value[name] ?? null));
  return copy;
}
