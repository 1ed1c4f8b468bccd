/**
 * Orders the members of a patched object in error messages as upstream does: objects that the patch changed are
 * sorted, others keep their order.
 */
import { isObject, ownMember, setMember, sortedKeys, type JsonObject, type JsonValue } from '../../../shared/values/json';
import type { JsonPatchOperation } from '../../../shared/patch/json-patch';

/** The objects that the operations change, as nested objects. */
export function touchedByJsonPatch(operations: readonly JsonPatchOperation[]): JsonObject {
  const touched: JsonObject = {};
  for (const { path, from } of operations) {
    for (const pointer of [path, from]) if (pointer !== undefined) touch(touched, pointer.split('/').slice(1, -1));
  }
  return touched;
}

/** The objects that a merge patch changes: all in the patch, except those within a list that replaces an object. */
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
 * Sorts the members of every object that `touched` contains; below arrays `touched` has indexes. Arrays from the
 * patch are sorted completely.
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
