/**
 * Orders the members of a patched object in error messages as upstream does. Upstream's patch library parses only the
 * objects that a patch changes, and encodes them as Go maps, with sorted members; it copies the text of all others.
 */
import { isObject, ownMember, setMember, sortedKeys, type JsonObject, type JsonValue } from '../../../shared/values/json';
import type { JsonPatchOperation } from '../../../shared/patch/json-patch';

/** The objects that the operations change, as nested objects: the path `/spec/ports/0/name` leads to `{spec: {ports: {0: {}}}}`. */
export function touchedByJsonPatch(operations: readonly JsonPatchOperation[]): JsonObject {
  const touched: JsonObject = {};
  for (const { path, from } of operations) {
    for (const pointer of [path, from]) if (pointer !== undefined) touch(touched, pointer.split('/').slice(1, -1));
  }
  return touched;
}

/** The objects that a merge patch changes, as nested objects: all in the patch, except those in a list that replaces an object. */
export function touchedByMergePatch(target: JsonValue | undefined, patch: JsonObject): JsonObject {
  const touched: JsonObject = {};
  for (const member of Object.keys(patch)) {
    const old = isObject(target) ? ownMember(target, member) : undefined;
    const value = ownMember(patch, member) ?? null;
    if (isObject(value)) setMember(touched, member, touchedByMergePatch(old, value));
    else if (Array.isArray(value) && !isObject(old)) setMember(touched, member, value);
  }
  return touched;
}

function touch(root: JsonObject, containers: readonly string[]): void {
  let node = root;
  for (const token of containers) {
    const member = token.replaceAll('~1', '/').replaceAll('~0', '~');
    const next = ownMember(node, member);
    const child: JsonObject = isObject(next) ? next : {};
    if (child !== next) setMember(node, member, child);
    node = child;
  }
}

/**
 * Sorts the members of every object that `touched` contains. For an array in `value`, `touched` has an object with
 * indexes as members, if a JSON patch changed items. It has the array itself, if a merge patch set the array; then the
 * members of all objects in it are sorted.
 */
export function sortTouched(value: JsonObject, touched: JsonValue | undefined): JsonObject;
export function sortTouched(value: JsonValue, touched: JsonValue | undefined): JsonValue;
export function sortTouched(value: JsonValue, touched: JsonValue | undefined): JsonValue {
  if (Array.isArray(value)) {
    if (Array.isArray(touched)) return value.map((item) => sortTouched(item, item));
    return isObject(touched) ? value.map((item, index) => sortTouched(item, ownMember(touched, String(index)))) : value;
  }
  if (!isObject(value) || !isObject(touched)) return value;
  const sorted: JsonObject = {};
  for (const member of sortedKeys(value)) setMember(sorted, member, sortTouched(value[member] ?? null, ownMember(touched, member)));
  return sorted;
}
