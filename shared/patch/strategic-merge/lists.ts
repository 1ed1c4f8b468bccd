/**
 * Merges, deletes and orders the items of lists in a strategic merge patch. Objects are identified by their merge key,
 * other items by their value. The caller passes the function that merges two objects with the same key. Beyond sorting,
 * the time is linear in the lengths of the lists.
 */
import { isObject, ownMember, stringifyJson, type JsonArray, type JsonObject, type JsonValue } from '../../values/json';
import { patchModeOf, PATCH_DIRECTIVE } from './directives';
import { unsuitablePatch } from './strategic-merge-error';
import { formatGoValue } from './go-format';

/** The merge key or the value of an item: a scalar itself, or the JSON text of a list or object ({@link valueKey}). */
type ItemKey = Exclude<JsonValue, JsonArray | JsonObject>;

/** Returns the key of an item; throws StrategicMergeError for an item without one. */
type ItemKeyOf = (item: JsonValue, index: number) => ItemKey;

/** The patch of a list. */
export interface ListPatch {
  readonly patch: JsonArray;
  /** The list of `$setElementOrder`; `undefined` without this directive. */
  readonly order: JsonArray | undefined;
  /** The member that identifies an object of the list; `undefined` when the type tables name none. */
  readonly mergeKey: string | undefined;
  /** Merges an object of the patch into the object of the list with the same key. */
  readonly mergeItems: (original: JsonObject, patch: JsonObject) => JsonObject;
}

/** Returns the merged list, which may share items with the original. Throws StrategicMergeError. */
export function mergeLists(original: JsonArray, { patch, order, mergeKey, mergeItems }: ListPatch): JsonArray {
  if (patch.length === 0) return order === undefined ? original : orderItems(original, { order, baseline: original, mergeKey });
  requireSameType(original, patch);
  if (!patch.every(isObject)) return unionValues(original, patch, order);
  const keyOf = itemKey(mergeKey);
  const { items, deleted, isReplacement } = classifyItems(patch, keyOf);
  if (isReplacement) return items;
  const retained = deleted.size === 0 ? original : original.filter((item) => !deleted.has(storedKey(item, mergeKey)));
  const merged: JsonArray = [...retained];
  const firstIndexes = new Map<ItemKey | undefined, number>();
  // By index in `retained`: the position of the first item with the same key.
  const positions = retained.map((item, index) => firstIndexOf(firstIndexes, storedKey(item, mergeKey), index));
  // By index in `merged`: the position in the patch of the first item that was merged there.
  const ranks: (number | undefined)[] = retained.map(() => undefined);
  items.forEach((item, rank) => {
    const position = firstIndexOf(firstIndexes, keyOf(item, rank), merged.length);
    const existing = merged[position];
    merged[position] = isObject(existing) ? mergeItems(existing, item) : item;
    ranks[position] ??= rank;
  });
  // With an order, new items count as being in the positions that deletions freed (upstream behaviour).
  if (order !== undefined) return orderItems(merged, { order, baseline: merged.slice(0, original.length), mergeKey });
  return arrangeByRank(merged, {
    rankOf: (index) => ranks[positions[index] ?? index],
    positionOf: (index) => positions[index] ?? NOT_IN_BASELINE,
  });
}

/** The values of both lists, each once. */
function unionValues(original: JsonArray, patch: JsonArray, order: JsonArray | undefined): JsonArray {
  const merged: JsonArray = [];
  const firstIndexes = new Map<ItemKey | undefined, number>();
  for (const item of original) if (firstIndexOf(firstIndexes, valueKey(item), merged.length) === merged.length) merged.push(item);
  const originalCount = merged.length;
  // By index in `merged`: the position in the patch of the first item with this value.
  const ranks: (number | undefined)[] = merged.map(() => undefined);
  patch.forEach((item, rank) => {
    const position = firstIndexOf(firstIndexes, valueKey(item), merged.length);
    if (position === merged.length) merged.push(item);
    ranks[position] ??= rank;
  });
  if (order !== undefined) return orderItems(merged, { order, baseline: original, mergeKey: undefined });
  return arrangeByRank(merged, {
    rankOf: (index) => ranks[index],
    positionOf: (index) => (index < originalCount ? index : NOT_IN_BASELINE),
  });
}

/** The list without the given values. Throws StrategicMergeError unless all items and values have the same type. */
export function removeValues(list: JsonArray, values: JsonArray): JsonArray {
  requireSameType(list, values);
  const removed = new Set(values.map(valueKey));
  return list.filter((item) => !removed.has(valueKey(item)));
}

/** The order that a patch requests. */
export interface ListOrder {
  /** The list of `$setElementOrder`: values, or objects with the merge key. */
  readonly order: JsonArray;
  /** The list that decides where items stand that `order` does not name. */
  readonly baseline: JsonArray;
  readonly mergeKey: string | undefined;
}

/**
 * Puts the items that `order` names into that order. The other items stay in the order of `list`; each stands before the
 * first named item that comes later in `baseline`. An item that is not in `baseline` comes as early as that permits
 * (upstream behaviour). For example, the list and baseline `[a, b, c, d]` with the order `[d, b]` give `[a, c, d, b]`.
 */
export function orderItems(list: JsonArray, { order, baseline, mergeKey }: ListOrder): JsonArray {
  if (order.length === 0 || list.length === 0) return list;
  if (!list.some(isObject) && order.some(isObject)) requireSameType(list, order);
  const hasKeys = list.some(isObject);
  const keyOf: ItemKeyOf = hasKeys ? itemKey(mergeKey) : valueKey;
  const keyOfStored = (item: JsonValue): ItemKey | undefined => (hasKeys ? storedKey(item, mergeKey) : valueKey(item));
  const ranks = new Map<ItemKey | undefined, number>();
  const positions = new Map<ItemKey | undefined, number>();
  order.forEach((item, index) => firstIndexOf(ranks, keyOf(item, index), index));
  baseline.forEach((item, index) => firstIndexOf(positions, keyOfStored(item), index));
  const keys = list.map(keyOfStored);
  return arrangeByRank(list, {
    rankOf: (index) => ranks.get(keys[index]),
    positionOf: (index) => positions.get(keys[index]) ?? NOT_IN_BASELINE,
  });
}

/** The position of an item that the baseline does not have: before all others. */
const NOT_IN_BASELINE = -1;

/** Both functions take the index of an item in the list that is arranged. */
interface Arrangement {
  /** The position of the item in the requested order; `undefined` when the order does not name it. */
  readonly rankOf: (index: number) => number | undefined;
  /** The position of the item in the baseline ({@link ListOrder}), or {@link NOT_IN_BASELINE}. */
  readonly positionOf: (index: number) => number;
}

/** Merges the named items, sorted by rank, with the others, as {@link orderItems} describes. */
function arrangeByRank(list: JsonArray, { rankOf, positionOf }: Arrangement): JsonArray {
  const named: { readonly item: JsonValue; readonly rank: number; readonly position: number }[] = [];
  const others: { readonly item: JsonValue; readonly position: number }[] = [];
  list.forEach((item, index) => {
    const rank = rankOf(index);
    const position = positionOf(index);
    if (rank === undefined) others.push({ item, position });
    else named.push({ item, rank, position });
  });
  named.sort((a, b) => a.rank - b.rank);
  const result: JsonArray = [];
  let next = 0;
  for (const { item, position } of named) {
    for (let other = others[next]; other !== undefined && other.position < position; other = others[next]) {
      result.push(other.item);
      next += 1;
    }
    result.push(item);
  }
  for (; next < others.length; next += 1) result.push(others[next]?.item ?? null);
  return result;
}

/** Throws unless the items of the patch follow the order. Items with a `$patch` directive are ignored. */
export function checkOrder(patch: JsonArray, order: JsonArray, mergeKey: string | undefined): void {
  if (order.length === 0) return;
  const items = patch.filter((item) => !isObject(item) || !Object.hasOwn(item, PATCH_DIRECTIVE));
  const hasKeys = mergeKey !== undefined && [...items, ...order].some(isObject);
  const keyOf = hasKeys ? itemKey(mergeKey) : valueKey;
  const keys = items.map(keyOf);
  let matched = 0;
  for (const key of order.map(keyOf)) if (key === keys[matched]) matched += 1;
  if (matched < keys.length) {
    throw unsuitablePatch(
      `The order in patch list:\n${formatGoValue(patch)}\n doesn't match $setElementOrder list:\n${formatGoValue(order)}\n`,
    );
  }
}

/** The items of a patch by what they do. */
interface PatchItems {
  /** The items to merge or add. */
  readonly items: JsonObject[];
  /** Keys of deleted items. */
  readonly deleted: ReadonlySet<ItemKey | undefined>;
  /** Whether the items replace the list. */
  readonly isReplacement: boolean;
}

/** Separates items with a `$patch` directive from those to merge or add. Throws for an item of the latter without a key. */
function classifyItems(patch: readonly JsonObject[], keyOf: ItemKeyOf): PatchItems {
  const items: JsonObject[] = [];
  const deleted = new Set<ItemKey | undefined>();
  let isReplacement = false;
  patch.forEach((item, index) => {
    if (!Object.hasOwn(item, PATCH_DIRECTIVE)) {
      keyOf(item, index);
      items.push(item);
      return;
    }
    if (ownMember(item, PATCH_DIRECTIVE) === 'merge') throw unsuitablePatch('merging lists cannot yet be specified in the patch');
    if (patchModeOf(item) === 'delete') deleted.add(keyOf(item, index));
    else isReplacement = true;
  });
  return { items, deleted, isReplacement };
}

/** The prefix `\0` distinguishes the text of a list or object from a string with the same characters. */
const valueKey = (item: JsonValue): ItemKey => (typeof item === 'object' && item !== null ? `\0${stringifyJson(item, 'sorted')}` : item);

const itemKey =
  (mergeKey = ''): ItemKeyOf =>
  (item, index) => {
    if (!isObject(item)) throw unsuitablePatch(`value for key ${index} is not a map`);
    const key = ownMember(item, mergeKey);
    if (key === undefined) throw unsuitablePatch(`map: ${formatGoValue(item)} does not contain declared merge key: ${mergeKey}`);
    return valueKey(key);
  };

/** The key of an item of the stored list; `undefined` for one without, which no item of the patch matches. */
function storedKey(item: JsonValue, mergeKey = ''): ItemKey | undefined {
  const key = isObject(item) ? ownMember(item, mergeKey) : undefined;
  return key === undefined ? undefined : valueKey(key);
}

/** The index that `firstIndexes` has for the key. A new key is entered with `index`. */
function firstIndexOf(firstIndexes: Map<ItemKey | undefined, number>, key: ItemKey | undefined, index: number): number {
  const known = firstIndexes.get(key);
  if (known === undefined) firstIndexes.set(key, index);
  return known ?? index;
}

function requireSameType(original: JsonArray, patch: JsonArray): void {
  const kinds = new Set<string>();
  for (const list of [original, patch]) for (const item of list) kinds.add(elementTypeOf(item));
  if (kinds.size > 1) throw unsuitablePatch(`list element types are not identical: ${formatGoValue([original, patch])}`);
}

function elementTypeOf(item: JsonValue): string {
  if (item === null) return 'null';
  if (Array.isArray(item)) return 'list';
  return typeof item === 'bigint' ? 'number' : typeof item;
}
