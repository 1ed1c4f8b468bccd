/** Decodes the metadata of custom resources and of embedded resources, which their schemas do not specify. */
import { isObject, setMember, sortedKeys, type JsonObject, type JsonValue } from '../../values/json';
import { DecodeError, decodeObject, jsonKindOf } from '../types';

/**
 * Returns a new canonical object; null counts as empty. `unknown` holds the unknown fields sorted by name. Throws
 * DecodeError with upstream's message.
 */
export function decodeObjectMeta(value: JsonValue): { readonly object: JsonObject; readonly unknown: readonly string[] } {
  if (value === null) return { object: {}, unknown: [] };
  if (!isObject(value)) throw new DecodeError(`json: cannot unmarshal ${jsonKindOf(value)} into Go value of type v1.ObjectMeta`);
  const decoded = decodeObject('meta.v1.ObjectMeta', sortMembers(value));
  if (decoded.object['creationTimestamp'] === null) delete decoded.object['creationTimestamp'];
  return decoded;
}

/** A copy with the members sorted by name at every depth: the order in which upstream decodes them and reports errors. */
function sortMembers<T extends JsonValue>(value: T): T;
function sortMembers(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((item) => sortMembers(item));
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  for (const name of sortedKeys(value)) setMember(copy, name, sortMembers(value[name] ?? null));
  return copy;
}
