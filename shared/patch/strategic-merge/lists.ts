/**
 * Merges lists in a strategic merge patch: identifies items by their merge key (or, unless they are objects, by value),
 * deletes, merges and orders them. The caller merges two items with the same key. The time is linear in the lengths of
 * the lists.
 */
import { isObject, ownMember, stringifyJson, type JsonArray, type JsonObject, type JsonValue } from '../../values/json';
import { patchModeOf, PATCH_DIRECTIVE } from './directives';
import { unsuitablePatch } from './strategic-merge-error';
import { formatGoValue } from './go-format';

/** The identity of an item: a scalar value itself, or the text of a list or object. */
type ItemKey = Exclude<JsonValue, JsonArray | JsonObject>;

/** Returns the key of an item; throws StrategicMergeError for an item without one. */
type ItemKeyOf = (item: JsonValue, index: number) => ItemKey;

type MergeItems = (original: JsonObject, patch: JsonObject) => JsonObject;

/** The patch of a list. `mergeKey`: undefined when the list has none. */
export interface ListPatch {
  readonly patch: JsonArray;
  /** The list of `$setElementOrder`; `undefined` without this directive. */
  readonly order: JsonArray | undefined;
  readonly mergeKey: string | undefined;
  readonly mergeItems: MergeItems;
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
  const positions = retained.map((item, index) => firstIndexOf(firstIndexes, storedKey(item, mergeKey), index));
  const ranks: (number | undefined)[] = retained.map(() => undefined);
  items.forEach((item, rank) => {
    const position = firstIndexOf(firstIndexes, keyOf(item, rank), merged.length);
    const existing = merged[position];
    merged[position] = isObject(existing) ? mergeItems(existing, item) : item;
    ranks[position] ??= rank;
  });
  // With an order, new items count as being in the positions that deletions freed (upstream behaviour).
  if (order !== undefined) return orderItems(merged, { order, baseline: merged.slice(0, original.length), mergeKey });
  return arrangeByRank(
    merged,
    (index) => ranks[positions[index] ?? index],
    (index) => positions[index] ?? -1,
  );
}

/** The values of both lists, each once. */
function unionValues(original: JsonArray, patch: JsonArray, order: JsonArray | undefined): JsonArray {
  const merged: JsonArray = [];
  const firstIndexes = new Map<ItemKey | undefined, number>();
  for (const item of original) if (firstIndexOf(firstIndexes, valueKey(item), merged.length) === merged.length) merged.push(item);
  const originalCount = merged.length;
  const ranks: (number | undefined)[] = merged.map(() => undefined);
  patch.forEach((item, rank) => {
    const position = firstIndexOf(firstIndexes, valueKey(item), merged.length);
    if (position === merged.length) merged.push(item);
    ranks[position] ??= rank;
  });
  if (order !== undefined) return orderItems(merged, { order, baseline: original, mergeKey: undefined });
  return arrangeByRank(
    merged,
    (index) => ranks[index],
    (index) => (index < originalCount ? index : -1),
  );
}

/** The list without the values, which must have the same type as its items. */
export function removeValues(list: JsonArray, values: JsonArray): JsonArray {
  requireSameType(list, values);
  const removed = new Set(values.map(valueKey));
  return list.filter((item) => !removed.has(valueKey(item)));
}

/** The order that a patch requests. `baseline`: the list that gives the other items their order. */
export interface ListOrder {
  readonly order: JsonArray;
  readonly baseline: JsonArray;
  readonly mergeKey: string | undefined;
}

/**
 * Puts the items that `order` names into that order. The others stay between them, each before the next named item that
 * followed it in `baseline`; an item that is not in `baseline` comes as early as the order permits (upstream
 * behaviour).
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
  return arrangeByRank(
    list,
    (index) => ranks.get(keys[index]),
    (index) => positions.get(keys[index]) ?? -1,
  );
}

/** `rankOf` returns the position of the item at an index in the order, `positionOf` its position in the baseline. */
function arrangeByRank(list: JsonArray, rankOf: (index: number) => number | undefined, positionOf: (index: number) => number): JsonArray {
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

/** Throws unless the items of the patch follow the order; items that consist of directives are ignored. */
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

interface PatchItems {
  readonly items: JsonObject[];
  /** Keys of deleted items. */
  readonly deleted: ReadonlySet<ItemKey | undefined>;
  /** Whether the items replace the list. */
  readonly isReplacement: boolean;
}

/** Separates items that consist of directives from items of the list. */
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

/** The prefix distinguishes the text of a list or object from a string. */
const valueKey = (item: JsonValue): ItemKey => (typeof item === 'object' && item !== null ? `\0${stringifyJson(item, 'sorted')}` : item);

const itemKey =
  (mergeKey = ''): ItemKeyOf =>
  (item, index) => {
    if (!isObject(item)) throw unsuitablePatch(`value for key ${index} is not a map`);
    const key = ownMember(item, mergeKey);
    if (key === undefined) throw unsuitablePatch(`map: ${formatGoValue(item)} does not contain declared merge key: ${mergeKey}`);
    return valueKey(key);
  };

/** A stored item may lack its key and then matches no item. */
function storedKey(item: JsonValue, mergeKey = ''): ItemKey | undefined {
  const key = isObject(item) ? ownMember(item, mergeKey) : undefined;
  return key === undefined ? undefined : valueKey(key);
}

/** The first index of the key: `index`, when the key is new. */
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
