/**
 * Merges an applied configuration into an object and removes fields from an object. Creates new values and does not
 * modify its arguments.
 */
import { isEmptyObject, isObject, ownMember, setMember, type JsonArray, type JsonObject, type JsonValue } from '../../values/json';
import { fieldElement, isEmptySet, isMember, nodeAt, type FieldSet, type PathElement } from './field-set';
import { itemElement, memberShape, partitionOf, resolveShape, type ItemShape, type MergeShape } from './merge-shape';

/** The live object merged with the configuration. */
export function mergeConfiguration(shape: MergeShape, live: JsonObject, applied: JsonObject): JsonObject {
  return mergeMembers(shape, live, applied);
}

function mergeValue(declared: MergeShape, live: JsonValue | undefined, applied: JsonValue | undefined): JsonValue {
  if (applied === undefined) return live ?? null;
  if (live === undefined) return applied;
  const shape = resolveShape(declared, live, applied);
  switch (partitionOf(shape)) {
    case 'leaf':
      return applied;
    case 'members': {
      const [old, now] = [isObject(live) ? live : {}, isObject(applied) ? applied : {}];
      return isEmptyObject(old) && isEmptyObject(now) ? applied : mergeMembers(shape, old, now);
    }
    case 'items': {
      const [old, now] = [Array.isArray(live) ? live : [], Array.isArray(applied) ? applied : []];
      if ((old.length === 0 && now.length === 0) || (shape.kind !== 'set' && shape.kind !== 'keyed')) return applied;
      return mergeItems(shape, old, now);
    }
  }
}

function mergeMembers(shape: MergeShape, live: JsonObject, applied: JsonObject): JsonObject {
  const merged: JsonObject = {};
  for (const name of Object.keys(live)) setMember(merged, name, mergeMember(shape, name, live, applied));
  for (const name of Object.keys(applied)) {
    if (ownMember(live, name) === undefined) setMember(merged, name, mergeMember(shape, name, live, applied));
  }
  return merged;
}

function mergeMember(shape: MergeShape, name: string, live: JsonObject, applied: JsonObject): JsonValue {
  const [liveValue, appliedValue] = [ownMember(live, name), ownMember(applied, name)];
  const member = memberShape(shape, name);
  return member === undefined ? (appliedValue ?? liveValue ?? null) : mergeValue(member, liveValue, appliedValue);
}

/**
 * Applied items are in their own order. Each live item that is not applied keeps its position relative to the applied
 * items around it.
 */
function mergeItems(shape: ItemShape, live: JsonArray, applied: JsonArray): JsonArray {
  const liveElements = live.map((item) => itemElement(shape, item));
  const appliedElements = applied.map((item) => itemElement(shape, item));
  const isApplied = new Set(appliedElements);
  if (
    isApplied.size === live.length &&
    live.length === applied.length &&
    liveElements.every((element, index) => element === appliedElements[index])
  )
    return live.map((item, index) => mergeValue(shape.element, item, applied[index]));
  const liveItems = new Map<PathElement, JsonValue>();
  liveElements.forEach((element, index) => {
    if (!liveItems.has(element)) liveItems.set(element, live[index] ?? null);
  });
  const shared = appliedElements.filter((element) => liveItems.has(element));
  let nextShared = 0;
  const mergedElements = new Set<PathElement>();
  const merged: JsonArray = [];
  let l = 0;
  let a = 0;
  const takeApplied = (element: PathElement): void => {
    merged.push(mergeValue(shape.element, liveItems.get(element), applied[a]));
    mergedElements.add(element);
    if (shared[nextShared] === element) nextShared += 1;
    a += 1;
  };
  while (l < live.length || a < applied.length) {
    const liveElement = liveElements[l];
    const appliedElement = appliedElements[a];
    if (liveElement !== undefined && appliedElement !== undefined) {
      if (liveElement === appliedElement) {
        takeApplied(appliedElement);
        l += 1;
        continue;
      }
      // The item is in both lists, but is not the next shared one: it is placed where the configuration has it.
      if (isApplied.has(liveElement) && shared[nextShared] !== undefined && shared[nextShared] !== liveElement) {
        l += 1;
        continue;
      }
    }
    if (liveElement !== undefined) {
      if (!isApplied.has(liveElement)) {
        merged.push(live[l] ?? null);
        l += 1;
        continue;
      }
      if (mergedElements.has(liveElement)) {
        l += 1;
        continue;
      }
    }
    if (appliedElement !== undefined) takeApplied(appliedElement);
    else l += 1;
  }
  return merged;
}

/** The object without the given fields. A nested object or list that loses its last field becomes empty. */
export function removeFields(shape: MergeShape, object: JsonObject, fields: FieldSet): JsonObject {
  if (isEmptySet(fields)) return object;
  const remaining = removeFromValue(shape, object, fields);
  return isObject(remaining) ? remaining : {};
}

function removeFromValue(declared: MergeShape, value: JsonValue, fields: FieldSet): JsonValue {
  const shape = resolveShape(declared, value);
  switch (partitionOf(shape)) {
    case 'leaf':
      return value !== null && typeof value === 'object' ? null : value;
    case 'members': {
      if (!isObject(value)) return null;
      const remaining: JsonObject = {};
      for (const name of Object.keys(value)) {
        const member = memberShape(shape, name);
        const retained = withoutNode(member, ownMember(value, name) ?? null, nodeAt(fields, fieldElement(name)));
        if (retained !== undefined) setMember(remaining, name, retained);
      }
      return remaining;
    }
    case 'items': {
      if (!Array.isArray(value) || (shape.kind !== 'set' && shape.kind !== 'keyed')) return null;
      const remaining: JsonArray = [];
      for (const item of value) {
        const retained = withoutNode(shape.element, item, nodeAt(fields, itemElement(shape, item)));
        if (retained !== undefined) remaining.push(retained);
      }
      return remaining;
    }
  }
}

/** `undefined` when the field is removed. */
function withoutNode(shape: MergeShape | undefined, value: JsonValue, node: FieldSet | undefined): JsonValue | undefined {
  if (node === undefined) return value;
  if (isMember(node)) return undefined;
  return shape === undefined ? value : removeFromValue(shape, value, node);
}

/** Replaces empty objects and lists by null where the configuration sets null. */
export function restoreNulls(shape: MergeShape, object: JsonObject, applied: JsonObject): JsonObject {
  const restored = restoreNullsIn(shape, object, applied);
  return isObject(restored) ? restored : object;
}

function restoreNullsIn(declared: MergeShape, value: JsonValue, applied: JsonValue): JsonValue {
  if (applied === null) return isEmpty(value) ? null : value;
  const shape = resolveShape(declared, value, applied);
  if (isObject(value) && isObject(applied) && partitionOf(shape) === 'members') {
    let restored: JsonObject | undefined;
    for (const name of Object.keys(applied)) {
      const [member, was, stated] = [memberShape(shape, name), ownMember(value, name), ownMember(applied, name)];
      if (member === undefined || was === undefined || stated === undefined) continue;
      const now = restoreNullsIn(member, was, stated);
      if (now !== was) setMember((restored ??= { ...value }), name, now);
    }
    return restored ?? value;
  }
  if (!Array.isArray(value) || !Array.isArray(applied) || shape.kind !== 'keyed') return value;
  const stated = new Map(applied.map((item) => [itemElement(shape, item), item]));
  return value.map((item) => restoreNullsIn(shape.element, item, stated.get(itemElement(shape, item)) ?? item));
}

function isEmpty(value: JsonValue): boolean {
  return isObject(value) ? isEmptyObject(value) : Array.isArray(value) && value.length === 0;
}
