/**
 * JSON Merge Patch (RFC 7386): null removes, objects merge, any other value replaces. Does not modify the target; the
 * result shares unchanged parts with it. Unlike in the RFC, objects inside a list lose their nulls, unless the list
 * replaces an object (upstream behaviour).
 */
import { isObject, ownMember, setMember, type JsonObject, type JsonValue } from '../values/json';

/** Returns the patched value; `target` is `undefined` when there is no value yet. */
export function mergePatch(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (Array.isArray(patch)) return isObject(target) ? patch : withoutNulls(patch);
  if (!isObject(patch)) return patch;
  return mergeObject(isObject(target) ? target : {}, patch);
}

/** {@link mergePatch} of two objects. */
export function mergeObject(target: JsonObject, patch: JsonObject): JsonObject {
  const result: JsonObject = {};
  for (const member of Object.keys(target)) {
    if (!Object.hasOwn(patch, member)) setMember(result, member, target[member] ?? null);
    else if (patch[member] !== null) setMember(result, member, mergePatch(target[member], patch[member] ?? null));
  }
  for (const member of Object.keys(patch)) {
    if (patch[member] !== null && ownMember(target, member) === undefined)
      setMember(result, member, mergePatch(undefined, patch[member] ?? null));
  }
  return result;
}

/** Removes members that are null; null items of lists are kept. */
function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutNulls);
  return isObject(value) ? mergeObject({}, value) : value;
}
