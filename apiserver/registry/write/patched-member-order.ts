/**
 * A patched object as a refusal shows it: upstream keeps the order of members that a patch left alone and sorts those of every object that it went
 * into. Changes nothing.
 */
import { isObject, own, setMember, sortedKeys, type JsonObject, type JsonValue } from '../../../shared/values/json';
import type { JsonPatchOperation } from '../../../shared/patch/json-patch';

/** Where operations went, as an object of objects. */
export function touchedBy(operations: readonly JsonPatchOperation[]): JsonObject {
  const touched: JsonObject = {};
  for (const { path, from } of operations) {
    for (const pointer of [path, from]) if (pointer !== undefined) touch(touched, pointer.split('/').slice(1, -1));
  }
  return touched;
}

/** Where a merge patch went: everywhere but into lists that took the place of objects. */
export function touchedByMerge(target: JsonValue | undefined, patch: JsonObject): JsonObject {
  const touched: JsonObject = {};
  for (const member of Object.keys(patch)) {
    const [old, value] = [isObject(target) ? own(target, member) : undefined, own(patch, member) ?? null];
    if (isObject(value)) setMember(touched, member, touchedByMerge(old, value));
    else if (Array.isArray(value) && !isObject(old)) setMember(touched, member, value);
  }
  return touched;
}

function touch(root: JsonObject, containers: readonly string[]): void {
  let node = root;
  for (const token of containers) {
    const member = token.replaceAll('~1', '/').replaceAll('~0', '~');
    const next = own(node, member);
    const below: JsonObject = isObject(next) ? next : {};
    if (below !== next) setMember(node, member, below);
    node = below;
  }
}

/** The members in order where `touched` has an object; below arrays, `touched` names indexes. An array of the patch's own is in order all the way. */
export function sortedWhere(value: JsonObject, touched: JsonValue | undefined): JsonObject;
export function sortedWhere(value: JsonValue, touched: JsonValue | undefined): JsonValue;
export function sortedWhere(value: JsonValue, touched: JsonValue | undefined): JsonValue {
  if (Array.isArray(value)) {
    if (Array.isArray(touched)) return value.map((item) => sortedWhere(item, item));
    return isObject(touched) ? value.map((item, index) => sortedWhere(item, own(touched, String(index)))) : value;
  }
  if (!isObject(value) || !isObject(touched)) return value;
  const sorted: JsonObject = {};
  for (const member of sortedKeys(value)) setMember(sorted, member, sortedWhere(value[member] ?? null, own(touched, member)));
  return sorted;
}
