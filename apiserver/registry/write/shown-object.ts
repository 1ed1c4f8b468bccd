/**
 * A patched object as a refusal shows it: upstream keeps the order of members that a patch left alone and sorts those of every object that it went
 * into. Changes nothing.
 */
import { isObject, own, setMember, sortedKeys, type JsonObject, type JsonValue } from '../../../shared/api/json';
import type { Operation } from '../../../shared/patch/json-patch';

/** Where operations went, as an object of objects. */
export function touchedBy(operations: readonly Operation[]): JsonObject {
  const touched: JsonObject = {};
  for (const { path, from } of operations) {
    for (const pointer of [path, from]) if (pointer !== undefined) touch(touched, pointer.split('/').slice(1, -1));
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

/** The members in order where `touched` has an object; below arrays, `touched` names indexes. */
export function sortedWhere(value: JsonValue, touched: JsonValue | undefined): JsonValue {
  if (!isObject(touched)) return value;
  if (Array.isArray(value)) return value.map((item, index) => sortedWhere(item, own(touched, String(index))));
  if (!isObject(value)) return value;
  const sorted: JsonObject = {};
  for (const member of sortedKeys(value)) setMember(sorted, member, sortedWhere(value[member] ?? null, own(touched, member)));
  return sorted;
}
