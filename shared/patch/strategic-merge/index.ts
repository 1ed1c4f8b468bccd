/**
 * Strategic merge patch: like a JSON merge patch, but lists are merged by the patch strategies of the type tables
 * (shared/api/types), and directives in the patch (directives.ts) replace, delete, order and retain. Modifies neither
 * the object nor the patch; the result shares parts with both. Does not decode: values of the patch are in the result
 * as they were sent, with directives that nothing read, such as those in a list that replaces another.
 */
import { isDeeperThan, isObject, ownMember, setMember, type JsonArray, type JsonObject, type JsonValue } from '../../values/json';
import type { FieldType } from '../../api/types';
import { patchModeOf, notAListError, PATCH_DIRECTIVE, readObjectPatch, type MemberPatch } from './directives';
import { noItemsToOrder, unsuitablePatch, missingMergeKey } from './strategic-merge-error';
import { orderItems, checkOrder, mergeLists, removeValues } from './lists';
import { itemTypeOf, memberMergeRule, type MemberMergeRule } from './merge-rule';

export { StrategicMergeError } from './strategic-merge-error';
export { formatGoValue } from './go-format';
export { findTypeError } from './type-error';

/** Maximum depth of a patch, so that code that walks the result may recurse. */
const MAX_DEPTH = 1000;

/**
 * Returns the patched object. `type` is the name of its type in the type tables: `core.v1.Pod`. Throws
 * StrategicMergeError, and no other error, when the patch is malformed or does not fit the object.
 */
export function strategicMerge(type: string, original: JsonObject, patch: JsonObject): JsonObject {
  if (isDeeperThan(patch, MAX_DEPTH)) throw unsuitablePatch('exceeded max depth');
  return mergeObjects({ kind: 'object', type }, original, patch);
}

function mergeObjects(type: FieldType, original: JsonObject, patch: JsonObject): JsonObject {
  switch (patchModeOf(patch)) {
    case 'replace':
      return copyMembers(patch, (member) => member !== PATCH_DIRECTIVE);
    case 'delete':
      return {};
    case undefined:
      break;
  }
  const { retained, changes } = readObjectPatch(patch);
  const result = copyMembers(original, (member) => retained?.has(member) !== false);
  for (const [member, change] of changes) {
    const value = mergeMember(type, member, ownMember(result, member), change);
    if (value === undefined) delete result[member];
    else setMember(result, member, value);
  }
  return result;
}

/** The new value of a field; `undefined` when it is removed. */
function mergeMember(type: FieldType, member: string, original: JsonValue | undefined, change: MemberPatch): JsonValue | undefined {
  const { value, order, deletions } = change;
  if (deletions === null || (value === null && order === undefined)) return undefined;
  const deleteValues = (list: JsonValue | undefined): JsonValue | undefined => withoutDeleted(type, member, list, deletions);
  return order === undefined
    ? mergeValue(type, member, deleteValues(original), value)
    : deleteValues(mergeOrdered(memberMergeRule(type, member), original, value, order));
}

/**
 * The value of a list field with a `$setElementOrder` in its patch. `value`, the patch's list, must follow that order. The
 * caller deletes values afterwards (upstream behaviour).
 */
function mergeOrdered(
  rule: MemberMergeRule,
  original: JsonValue | undefined,
  value: JsonValue | undefined,
  order: JsonArray,
): JsonValue | undefined {
  if (value !== undefined) {
    if (!Array.isArray(value)) throw notAListError(value);
    const isOriginalEmpty = original === undefined || (Array.isArray(original) && original.length === 0);
    if (value.length === 0 && isOriginalEmpty) throw noItemsToOrder();
    checkOrder(value, order, rule.mergeKey);
  }
  if (original === undefined) return value === undefined ? undefined : withoutDirectives(value);
  if (!Array.isArray(original)) throw notAListError(original);
  return value === undefined
    ? orderItems(original, { order, baseline: original, mergeKey: rule.mergeKey })
    : mergeList(rule, original, value, order);
}

function mergeValue(type: FieldType, member: string, current: JsonValue | undefined, value: JsonValue | undefined): JsonValue | undefined {
  if (value === undefined) return current;
  if (value === null) return undefined;
  if (isObject(value) && isObject(current)) {
    const { type: inner, isReplaced } = memberMergeRule(type, member);
    return isReplaced ? value : mergeObjects(inner, current, value);
  }
  if (Array.isArray(value) && Array.isArray(current)) return mergeList(memberMergeRule(type, member), current, value, undefined);
  return withoutDirectives(value);
}

/** Merges two lists, or replaces one when its field has no merge strategy. */
function mergeList(rule: MemberMergeRule, original: JsonArray, patch: JsonArray, order: JsonArray | undefined): JsonArray {
  const { mergeKey } = rule;
  if (!rule.isMerged) return order === undefined ? patch : orderItems(patch, { order, baseline: original, mergeKey });
  const itemType = itemTypeOf(rule.type);
  return mergeLists(original, { patch, order, mergeKey, mergeItems: (item, change) => mergeObjects(itemType, item, change) });
}

/** A list without the values of `$deleteFromPrimitiveList`; any other value unchanged. */
function withoutDeleted(
  type: FieldType,
  member: string,
  original: JsonValue | undefined,
  deletions: JsonValue | undefined,
): JsonValue | undefined {
  if (!Array.isArray(deletions) || !Array.isArray(original)) return original;
  const remaining = removeValues(original, deletions);
  if ([...original, ...deletions].some(isObject) && memberMergeRule(type, member).mergeKey === undefined) throw missingMergeKey();
  return remaining;
}

/**
 * A value of the patch that has nothing to merge with: without members that are null, and without objects that have a
 * `$patch` directive. `undefined` when `value` is such an object itself.
 */
function withoutDirectives(value: JsonValue): JsonValue | undefined {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, PATCH_DIRECTIVE)) return undefined;
  const result: JsonObject = {};
  for (const [member, inner] of Object.entries(value)) {
    const cleaned = inner === null ? undefined : withoutDirectives(inner);
    if (cleaned !== undefined) setMember(result, member, cleaned);
  }
  return result;
}

function copyMembers(object: JsonObject, shouldKeep: (member: string) => boolean): JsonObject {
  const copy: JsonObject = {};
  for (const [member, value] of Object.entries(object)) if (shouldKeep(member)) setMember(copy, member, value);
  return copy;
}
