/**
 * Lists under a strategic merge patch: items found by their merge key (or, where they are no objects, by themselves), taken away, united and put
 * in order. How two items with the same key become one is the caller's. Time is linear in the lists' lengths.
 */
import { isObject, own, stringifyJson, type JsonArray, type JsonObject, type JsonValue } from '../../api/json';
import { modeOf, PATCH } from './directives';
import { unsuitable } from './fault';
import { goText } from './go-text';

/** What tells an item from the others. Throws a fault for an item without it. */
type KeyOf = (item: JsonValue, index: number) => string;

type MergeItems = (original: JsonObject, patch: JsonObject) => JsonObject;

/** Unites the lists; `order` is what `$setElementOrder` says. */
export function mergeLists(
  original: JsonArray,
  patch: JsonArray,
  order: JsonArray | undefined,
  mergeKey: string | undefined,
  merge: MergeItems,
): JsonArray {
  if (patch.length === 0) return order === undefined ? original : arrange(original, order, original, mergeKey);
  requireOneKind(original, patch);
  if (!patch.every(isObject)) return uniteValues(original, patch, order);
  const keyOf = itemKey(mergeKey);
  const { items, deleted, replaces } = readItems(patch, keyOf);
  if (replaces) return items;
  const kept = deleted.size === 0 ? original : original.filter((item) => !deleted.has(storedKey(item, mergeKey)));
  const merged: JsonArray = [...kept];
  const places = new Map<string, number>();
  kept.forEach((item, index) => {
    const key = storedKey(item, mergeKey);
    if (!places.has(key)) places.set(key, index);
  });
  items.forEach((item, index) => {
    const key = keyOf(item, index);
    const place = places.get(key);
    const found = place === undefined ? undefined : merged[place];
    if (place !== undefined && isObject(found)) merged[place] = merge(found, item);
    else places.set(key, merged.push(item) - 1);
  });
  // Under an order, new items count as standing where deletions made room (upstream behaviour).
  return order === undefined ? arrange(merged, items, kept, mergeKey) : arrange(merged, order, merged.slice(0, original.length), mergeKey);
}

function uniteValues(original: JsonArray, patch: JsonArray, order: JsonArray | undefined): JsonArray {
  const seen = new Set<string>();
  const merged = [...original, ...patch].filter((item) => {
    const key = valueKey(item);
    return !seen.has(key) && seen.add(key);
  });
  return arrange(merged, order ?? patch, original, undefined);
}

/** The list without the values; the values may be anything that is of one kind with the list's. */
export function withoutValues(list: JsonArray, values: JsonArray): JsonArray {
  requireOneKind(list, values);
  const gone = new Set(values.map(valueKey));
  return list.filter((item) => !gone.has(valueKey(item)));
}

/**
 * Items that the order names stand in its order. Between them go the others, each before the next named item that stood behind it in the
 * `baseline`; what the baseline does not have comes as early as the order lets it (upstream behaviour).
 */
export function arrange(list: JsonArray, order: JsonArray, baseline: JsonArray, mergeKey: string | undefined): JsonArray {
  if (order.length === 0 || list.length === 0) return list;
  if (!list.some(isObject) && order.some(isObject)) requireOneKind(list, order);
  const byKey = list.some(isObject);
  const keyOf: KeyOf = byKey ? itemKey(mergeKey) : valueKey;
  const stored = (item: JsonValue): string => (byKey ? storedKey(item, mergeKey) : valueKey(item));
  const ranks = firstPlaces(order.map(keyOf));
  const places = firstPlaces(baseline.map(stored));
  const named: { readonly item: JsonValue; readonly rank: number; readonly place: number }[] = [];
  const others: { readonly item: JsonValue; readonly place: number }[] = [];
  for (const item of list) {
    const key = stored(item);
    const rank = ranks.get(key);
    const place = places.get(key) ?? -1;
    if (rank === undefined) others.push({ item, place });
    else named.push({ item, rank, place });
  }
  named.sort((a, b) => a.rank - b.rank);
  const result: JsonArray = [];
  let next = 0;
  for (const { item, place } of named) {
    for (let other = others[next]; other !== undefined && other.place < place; other = others[next]) {
      result.push(other.item);
      next += 1;
    }
    result.push(item);
  }
  return [...result, ...others.slice(next).map((other) => other.item)];
}

/** What the patch's list holds must follow the order's; items that only direct do not count. */
export function checkOrder(patch: JsonArray, order: JsonArray, mergeKey: string | undefined): void {
  if (order.length === 0) return;
  const items = patch.filter((item) => !isObject(item) || !Object.hasOwn(item, PATCH));
  const byKey = mergeKey !== undefined && [...items, ...order].some(isObject);
  const keyOf = byKey ? itemKey(mergeKey) : valueKey;
  const keys = items.map(keyOf);
  let matched = 0;
  for (const key of order.map(keyOf)) if (key === keys[matched]) matched += 1;
  if (matched < keys.length) {
    throw unsuitable(`The order in patch list:\n${goText(patch)}\n doesn't match $setElementOrder list:\n${goText(order)}\n`);
  }
}

interface Items {
  readonly items: JsonObject[];
  /** Keys. */
  readonly deleted: ReadonlySet<string>;
  readonly replaces: boolean;
}

/** Parts the items that direct from those that are meant to be in the list. */
function readItems(patch: readonly JsonObject[], keyOf: KeyOf): Items {
  const items: JsonObject[] = [];
  const deleted = new Set<string>();
  let replaces = false;
  patch.forEach((item, index) => {
    if (!Object.hasOwn(item, PATCH)) {
      keyOf(item, index);
      items.push(item);
      return;
    }
    if (own(item, PATCH) === 'merge') throw unsuitable('merging lists cannot yet be specified in the patch');
    if (modeOf(item) === 'delete') deleted.add(keyOf(item, index));
    else replaces = true;
  });
  return { items, deleted, replaces };
}

const valueKey = (item: JsonValue): string => stringifyJson(item, 'sorted');

const itemKey =
  (mergeKey = ''): KeyOf =>
  (item, index) => {
    if (!isObject(item)) throw unsuitable(`value for key ${index} is not a map`);
    const key = own(item, mergeKey);
    if (key === undefined) throw unsuitable(`map: ${goText(item)} does not contain declared merge key: ${mergeKey}`);
    return valueKey(key);
  };

/** A stored item may be without its key; then nothing finds it. */
function storedKey(item: JsonValue, mergeKey = ''): string {
  const key = isObject(item) ? own(item, mergeKey) : undefined;
  return key === undefined ? '' : valueKey(key);
}

function firstPlaces(keys: readonly string[]): Map<string, number> {
  const places = new Map<string, number>();
  keys.forEach((key, index) => {
    if (!places.has(key)) places.set(key, index);
  });
  return places;
}

function requireOneKind(original: JsonArray, patch: JsonArray): void {
  const kinds = new Set([...original, ...patch].map(kindOf));
  if (kinds.size > 1) throw unsuitable(`list element types are not identical: ${goText([original, patch])}`);
}

function kindOf(item: JsonValue): string {
  if (item === null) return 'null';
  if (Array.isArray(item)) return 'list';
  return typeof item === 'bigint' ? 'number' : typeof item;
}
