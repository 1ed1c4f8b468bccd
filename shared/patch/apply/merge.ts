/**
 * The two ways in which an apply changes an object: merging the applied configuration into it, and taking
 * fields out of it. Both make new values and leave those that they are given as they are.
 */
import { isEmptyObject, isObject, own, setMember, type JsonArray, type JsonObject, type JsonValue } from '../../values/json';
import { fieldElement, isEmptySet, isMember, nodeAt, type FieldSet, type PathElement } from './field-set';
import { itemElement, memberShape, partition, shapeFor, type ItemShape, type Shape } from './merge-shape';

/** The live object with the configuration laid over it. */
export function mergeApplied(shape: Shape, live: JsonObject, applied: JsonObject): JsonObject {
  return mergeMembers(shape, live, applied);
}

function mergeValue(declared: Shape, live: JsonValue | undefined, applied: JsonValue | undefined): JsonValue {
  if (applied === undefined) return live ?? null;
  if (live === undefined) return applied;
  const shape = shapeFor(declared, live, applied);
  switch (partition(shape)) {
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

function mergeMembers(shape: Shape, live: JsonObject, applied: JsonObject): JsonObject {
  const merged: JsonObject = {};
  for (const name of Object.keys(live)) setMember(merged, name, mergeMember(shape, name, live, applied));
  for (const name of Object.keys(applied)) {
    if (own(live, name) === undefined) setMember(merged, name, mergeMember(shape, name, live, applied));
  }
  return merged;
}

function mergeMember(shape: Shape, name: string, live: JsonObject, applied: JsonObject): JsonValue {
  const [mine, other] = [own(live, name), own(applied, name)];
  const member = memberShape(shape, name);
  return member === undefined ? (other ?? mine ?? null) : mergeValue(member, mine, other);
}

/**
 * Applied items stand in their own order. Of the live ones that were not applied, each keeps its place before or after the applied items around it.
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
    return live.map((item, index) => mergeValue(shape.of, item, applied[index]));
  const liveItems = new Map<PathElement, JsonValue>();
  liveElements.forEach((element, index) => {
    if (!liveItems.has(element)) liveItems.set(element, live[index] ?? null);
  });
  const shared = appliedElements.filter((element) => liveItems.has(element));
  let nextShared = 0;
  const done = new Set<PathElement>();
  const merged: JsonArray = [];
  let l = 0;
  let a = 0;
  const take = (element: PathElement): void => {
    merged.push(mergeValue(shape.of, liveItems.get(element), applied[a]));
    done.add(element);
    if (shared[nextShared] === element) nextShared += 1;
    a += 1;
  };
  while (l < live.length || a < applied.length) {
    const mine = liveElements[l];
    const other = appliedElements[a];
    if (mine !== undefined && other !== undefined) {
      if (mine === other) {
        take(other);
        l += 1;
        continue;
      }
      // An item of both, but not the next one of both: it will stand where the configuration puts it.
      if (isApplied.has(mine) && shared[nextShared] !== undefined && shared[nextShared] !== mine) {
        l += 1;
        continue;
      }
    }
    if (mine !== undefined) {
      if (!isApplied.has(mine)) {
        merged.push(live[l] ?? null);
        l += 1;
        continue;
      }
      if (done.has(mine)) {
        l += 1;
        continue;
      }
    }
    if (other !== undefined) take(other);
    else l += 1;
  }
  return merged;
}

/** The object without the given fields. A nested object or list that loses its last field becomes empty. */
export function removeFields(shape: Shape, object: JsonObject, fields: FieldSet): JsonObject {
  if (isEmptySet(fields)) return object;
  const left = removeFrom(shape, object, fields);
  return isObject(left) ? left : {};
}

function removeFrom(declared: Shape, value: JsonValue, fields: FieldSet): JsonValue {
  const shape = shapeFor(declared, value);
  switch (partition(shape)) {
    case 'leaf':
      return value !== null && typeof value === 'object' ? null : value;
    case 'members': {
      if (!isObject(value)) return null;
      const left: JsonObject = {};
      for (const name of Object.keys(value)) {
        const member = memberShape(shape, name);
        const kept = keep(member, own(value, name) ?? null, nodeAt(fields, fieldElement(name)));
        if (kept !== undefined) setMember(left, name, kept);
      }
      return left;
    }
    case 'items': {
      if (!Array.isArray(value) || (shape.kind !== 'set' && shape.kind !== 'keyed')) return null;
      const left: JsonArray = [];
      for (const item of value) {
        const kept = keep(shape.of, item, nodeAt(fields, itemElement(shape, item)));
        if (kept !== undefined) left.push(kept);
      }
      return left;
    }
  }
}

/** undefined = it goes. */
function keep(shape: Shape | undefined, value: JsonValue, node: FieldSet | undefined): JsonValue | undefined {
  if (node === undefined) return value;
  if (isMember(node)) return undefined;
  return shape === undefined ? value : removeFrom(shape, value, node);
}

/** Replaces empty objects and lists by null where the configuration states null. */
export function restoreNulls(shape: Shape, object: JsonObject, applied: JsonObject): JsonObject {
  const restored = restoreNullsIn(shape, object, applied);
  return isObject(restored) ? restored : object;
}

function restoreNullsIn(declared: Shape, value: JsonValue, applied: JsonValue): JsonValue {
  if (applied === null) return isEmpty(value) ? null : value;
  const shape = shapeFor(declared, value, applied);
  if (isObject(value) && isObject(applied) && partition(shape) === 'members') {
    let restored: JsonObject | undefined;
    for (const name of Object.keys(applied)) {
      const [member, was, stated] = [memberShape(shape, name), own(value, name), own(applied, name)];
      if (member === undefined || was === undefined || stated === undefined) continue;
      const now = restoreNullsIn(member, was, stated);
      if (now !== was) setMember((restored ??= { ...value }), name, now);
    }
    return restored ?? value;
  }
  if (!Array.isArray(value) || !Array.isArray(applied) || shape.kind !== 'keyed') return value;
  const stated = new Map(applied.map((item) => [itemElement(shape, item), item]));
  return value.map((item) => restoreNullsIn(shape.of, item, stated.get(itemElement(shape, item)) ?? item));
}

function isEmpty(value: JsonValue): boolean {
  return isObject(value) ? isEmptyObject(value) : Array.isArray(value) && value.length === 0;
}
