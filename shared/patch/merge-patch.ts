/**
 * JSON Merge Patch (RFC 7386): null removes, objects merge, everything else replaces. The target is left as it is; the result shares what the
 * patch does not touch. Unlike the RFC's, objects inside a list lose their nulls, unless the list takes the place of an object (upstream behaviour).
 */
import { isObject, own, setMember, type JsonObject, type JsonValue } from '../values/json';

export function mergePatch(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (Array.isArray(patch)) return isObject(target) ? patch : withoutNulls(patch);
  if (!isObject(patch)) return patch;
  return mergeObject(isObject(target) ? target : {}, patch);
}

/** The same where both are known to be objects. */
export function mergeObject(target: JsonObject, patch: JsonObject): JsonObject {
  const result: JsonObject = {};
  for (const member of Object.keys(target)) {
    if (!Object.hasOwn(patch, member)) setMember(result, member, target[member] ?? null);
    else if (patch[member] !== null) setMember(result, member, mergePatch(target[member], patch[member] ?? null));
  }
  for (const member of Object.keys(patch)) {
    if (patch[member] !== null && own(target, member) === undefined)
      setMember(result, member, mergePatch(undefined, patch[member] ?? null));
  }
  return result;
}

/** Items may be null, members may not. */
function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutNulls);
  return isObject(value) ? mergeObject({}, value) : value;
}
