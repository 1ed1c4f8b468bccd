/**
 * Correlates the values of a new object with those of the old one, and compares them. Members are correlated by name,
 * and items of map lists (`x-kubernetes-list-type: map`) by their keys. Items of other lists have no old value, nor have
 * items without all keys. Members outside the schema count as changed.
 */
import { equalJson, isObject, ownMember, stringifyJson, type JsonArray, type JsonObject, type JsonValue } from '../../../values/json';
import type { SchemaNode } from '../schema-node';

/** The old value of a value; `undefined` when there is none. */
export type OldValue = JsonValue | undefined;

/**
 * The correlation of one pair of objects. Remembers what it compared, so that checks at several levels of an object
 * compare each value once.
 */
export class Correlation {
  /** By new value; each new value has at most one old value. */
  private readonly unchanged = new WeakMap<JsonObject | JsonArray, boolean>();
  /** By old map list, its items by their keys. */
  private readonly itemsByKeys = new WeakMap<JsonArray, ReadonlyMap<string, JsonObject>>();

  /** The old value of a member. */
  member(old: OldValue, name: string): OldValue {
    return isObject(old) ? ownMember(old, name) : undefined;
  }

  /** The old value of an item, where `node` and `old` are those of its list. */
  item(node: SchemaNode, old: OldValue, item: JsonValue): OldValue {
    if (node.listType !== 'map' || !Array.isArray(old) || !isObject(item)) return undefined;
    let items = this.itemsByKeys.get(old);
    if (items === undefined) this.itemsByKeys.set(old, (items = indexByKeys(node, old)));
    const keys = keysText(node, item);
    return keys === undefined ? undefined : items.get(keys);
  }

  /**
   * Whether a value equals its old value. The order of items in a map list does not matter. A value without an old value
   * counts as changed (upstream behaviour), and so does one without a node.
   */
  isUnchanged(node: SchemaNode | undefined, value: JsonValue, old: OldValue): boolean {
    if (old === undefined || node === undefined) return false;
    if (typeof value !== 'object' || value === null) return value === old;
    let isUnchanged = this.unchanged.get(value);
    if (isUnchanged === undefined) this.unchanged.set(value, (isUnchanged = this.equalsOld(node, value, old)));
    return isUnchanged;
  }

  private equalsOld(node: SchemaNode, value: JsonObject | JsonArray, old: JsonValue): boolean {
    if (Array.isArray(value)) {
      if (!Array.isArray(old) || old.length !== value.length) return false;
      if (node.listType !== 'map') return equalJson(value, old);
      return value.every((item) => this.isUnchanged(node.items, item, this.item(node, old, item)));
    }
    if (!isObject(old)) return false;
    const names = Object.keys(value);
    if (names.length !== Object.keys(old).length) return false;
    return names.every((name) => this.isUnchanged(memberNode(node, name), value[name] ?? null, this.member(old, name)));
  }
}

/** The schema of a member; `undefined` when the schema does not specify it. */
export function memberNode(node: SchemaNode, name: string): SchemaNode | undefined {
  const { additionalProperties } = node;
  return node.properties.get(name) ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
}

/** The first item with each combination of keys. */
function indexByKeys(node: SchemaNode, items: JsonArray): ReadonlyMap<string, JsonObject> {
  const itemsByKeys = new Map<string, JsonObject>();
  for (const item of items) {
    if (!isObject(item)) continue;
    const keys = keysText(node, item);
    if (keys !== undefined && !itemsByKeys.has(keys)) itemsByKeys.set(keys, item);
  }
  return itemsByKeys;
}

/** The key values of an item in a map list as text; `undefined` for an item without all keys. */
function keysText(node: SchemaNode, item: JsonObject): string | undefined {
  const keys = keysOf(node, item);
  return Object.keys(keys).length < node.listMapKeys.length ? undefined : stringifyJson(keys, 'sorted');
}

/** The key fields that an item has, with their values. */
export function keysOf(node: SchemaNode, item: JsonObject): JsonObject {
  const keys: JsonObject = {};
  for (const name of node.listMapKeys) {
    const value = ownMember(item, name);
    if (value !== undefined) keys[name] = value;
  }
  return keys;
}
