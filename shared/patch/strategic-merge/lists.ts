/**
 * Lists under a strategic merge patch: items found by their merge key (or, where they are no objects, by themselves), taken away, united and put
 * in order. How two items with the same key become one is the caller's. Time is linear in the lists' lengths.
 */
import { isObject, own, stringifyJson, type JsonArray, type JsonObject, type JsonValue } from '../../values/json';
import { modeOf, PATCH } from './directives';
import { unsuitable } from './strategic-merge-error';
import { goText } from './go-format';

/** What tells one item from another: a plain value as it is, of a list or an object its text. */
type Key = Exclude<JsonValue, JsonArray | JsonObject>;

/** The key of an item. Throws a fault for an item without one. */
type KeyOf = (item: JsonValue, index: number) => Key;

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
  const firsts = new Map<Key | undefined, number>();
  const places = kept.map((item, index) => firstPlace(firsts, storedKey(item, mergeKey), index));
  const ranks: (number | undefined)[] = kept.map(() => undefined);
  items.forEach((item, rank) => {
    const place = firstPlace(firsts, keyOf(item, rank), merged.length);
    const found = merged[place];
    merged[place] = isObject(found) ? merge(found, item) : item;
    ranks[place] ??= rank;
  });
  // Under an order, new items count as standing where deletions made room (upstream behaviour).
  if (order !== undefined) return arrange(merged, order, merged.slice(0, original.length), mergeKey);
  return arranged(
    merged,
    (index) => ranks[places[index] ?? index],
    (index) => places[index] ?? -1,
  );
}

function uniteValues(original: JsonArray, patch: JsonArray, order: JsonArray | undefined): JsonArray {
  const merged: JsonArray = [];
  const firsts = new Map<Key | undefined, number>();
  for (const item of original) if (firstPlace(firsts, valueKey(item), merged.length) === merged.length) merged.push(item);
  const known = merged.length;
  const ranks: (number | undefined)[] = merged.map(() => undefined);
  patch.forEach((item, rank) => {
    const place = firstPlace(firsts, valueKey(item), merged.length);
    if (place === merged.length) merged.push(item);
    ranks[place] ??= rank;
  });
  if (order !== undefined) return arrange(merged, order, original, undefined);
  return arranged(
    merged,
    (index) => ranks[index],
    (index) => (index < known ? index : -1),
  );
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
  const stored = (item: JsonValue): Key | undefined => (byKey ? storedKey(item, mergeKey) : valueKey(item));
  const [ranks, places] = [new Map<Key | undefined, number>(), new Map<Key | undefined, number>()];
  order.forEach((item, index) => firstPlace(ranks, keyOf(item, index), index));
  baseline.forEach((item, index) => firstPlace(places, stored(item), index));
  const keys = list.map(stored);
  return arranged(
    list,
    (index) => ranks.get(keys[index]),
    (index) => places.get(keys[index]) ?? -1,
  );
}

/** `rankOf` = the place in the order, `placeOf` = the one in the baseline, of the item at an index. */
function arranged(list: JsonArray, rankOf: (index: number) => number | undefined, placeOf: (index: number) => number): JsonArray {
  const named: { readonly item: JsonValue; readonly rank: number; readonly place: number }[] = [];
  const others: { readonly item: JsonValue; readonly place: number }[] = [];
  list.forEach((item, index) => {
    const rank = rankOf(index);
    const place = placeOf(index);
    if (rank === undefined) others.push({ item, place });
    else named.push({ item, rank, place });
  });
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
  for (; next < others.length; next += 1) result.push(others[next]?.item ?? null);
  return result;
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
  readonly deleted: ReadonlySet<Key | undefined>;
  readonly replaces: boolean;
}

/** Parts the items that direct from those that are meant to be in the list. */
function readItems(patch: readonly JsonObject[], keyOf: KeyOf): Items {
  const items: JsonObject[] = [];
  const deleted = new Set<Key | undefined>();
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

/** Behind a character that no such text begins with. */
const valueKey = (item: JsonValue): Key => (typeof item === 'object' && item !== null ? `\0${stringifyJson(item, 'sorted')}` : item);

const itemKey =
  (mergeKey = ''): KeyOf =>
  (item, index) => {
    if (!isObject(item)) throw unsuitable(`value for key ${index} is not a map`);
    const key = own(item, mergeKey);
    if (key === undefined) throw unsuitable(`map: ${goText(item)} does not contain declared merge key: ${mergeKey}`);
    return valueKey(key);
  };

/** A stored item may be without its key; then nothing finds it. */
function storedKey(item: JsonValue, mergeKey = ''): Key | undefined {
  const key = isObject(item) ? own(item, mergeKey) : undefined;
  return key === undefined ? undefined : valueKey(key);
}

/** The index under which a key was met first: this one, if it is new. */
function firstPlace(places: Map<Key | undefined, number>, key: Key | undefined, index: number): number {
  const known = places.get(key);
  if (known === undefined) places.set(key, index);
  return known ?? index;
}

function requireOneKind(original: JsonArray, patch: JsonArray): void {
  const kinds = new Set<string>();
  for (const list of [original, patch]) for (const item of list) kinds.add(kindOf(item));
  if (kinds.size > 1) throw unsuitable(`list element types are not identical: ${goText([original, patch])}`);
}

function kindOf(item: JsonValue): string {
  if (item === null) return 'null';
  if (Array.isArray(item)) return 'list';
  return typeof item === 'bigint' ? 'number' : typeof item;
}
