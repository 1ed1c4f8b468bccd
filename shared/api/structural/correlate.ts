/**
 * Which part of an old object a part of the new one came from, and whether the two are equal. Members are found by name, items of keyed lists by
 * their keys; items of other lists come from nowhere, and so do items without all their keys and members that the schema does not name. Made for one
 * pair of objects.
 */
import { equalJson, isObject, own, stringifyJson, type JsonArray, type JsonObject, type JsonValue } from '../../values/json';
import type { SchemaNode } from './schema-node';

/** What a value came from: undefined = unknown. */
export type Old = JsonValue | undefined;

export class Correlation {
  /** By new value; each new value comes from one old value at most. */
  private readonly equal = new WeakMap<JsonObject | JsonArray, boolean>();
  private readonly keyed = new WeakMap<JsonArray, ReadonlyMap<string, JsonObject>>();

  member(old: Old, name: string): Old {
    return isObject(old) ? own(old, name) : undefined;
  }

  item(node: SchemaNode, old: Old, item: JsonValue): Old {
    if (node.listType !== 'map' || !Array.isArray(old) || !isObject(item)) return undefined;
    let items = this.keyed.get(old);
    if (items === undefined) this.keyed.set(old, (items = byKeys(node, old)));
    const keys = keysText(node, item);
    return keys === undefined ? undefined : items.get(keys);
  }

  /** Items of keyed lists may stand in any order. What came from nowhere has changed (upstream behaviour). */
  isUnchanged(node: SchemaNode | undefined, value: JsonValue, old: Old): boolean {
    if (old === undefined || node === undefined) return false;
    if (typeof value !== 'object' || value === null) return value === old;
    let equal = this.equal.get(value);
    if (equal === undefined) this.equal.set(value, (equal = this.compare(node, value, old)));
    return equal;
  }

  private compare(node: SchemaNode, value: JsonObject | JsonArray, old: JsonValue): boolean {
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

/** The schema of a member; undefined where nothing is known of it. */
export function memberNode(node: SchemaNode, name: string): SchemaNode | undefined {
  const { additionalProperties } = node;
  return node.properties.get(name) ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
}

/** The first item of each set of keys. */
function byKeys(node: SchemaNode, items: JsonArray): ReadonlyMap<string, JsonObject> {
  const found = new Map<string, JsonObject>();
  for (const item of items) {
    if (!isObject(item)) continue;
    const keys = keysText(node, item);
    if (keys !== undefined && !found.has(keys)) found.set(keys, item);
  }
  return found;
}

/** What identifies an item of a keyed list, as text; undefined for an item without all its keys. */
function keysText(node: SchemaNode, item: JsonObject): string | undefined {
  const keys = keysOf(node, item);
  return Object.keys(keys).length < node.listMapKeys.length ? undefined : stringifyJson(keys, 'sorted');
}

/** Those of its keys that an item has. */
export function keysOf(node: SchemaNode, item: JsonObject): JsonObject {
  const keys: JsonObject = {};
  for (const name of node.listMapKeys) {
    const value = own(item, name);
    if (value !== undefined) keys[name] = value;
  }
  return keys;
}
