/**
 * Strategic merge patch: like a merge patch, but lists are merged as the kind tables say, and directives in the patch
 * replace, delete, order and retain. Changes neither the object nor the patch; the result shares what it takes over with both.
 * Decodes nothing: what the patch brings in is as it was sent, directives that nothing consumed included.
 */
import { isDeeperThan, isObject, own, setMember, type JsonArray, type JsonObject, type JsonValue } from '../../values/json';
import type { FieldType } from '../../api/types';
import { modeOf, notAList, PATCH, readLevel, type MemberPatch } from './directives';
import { nothingToOrder, unsuitable, withoutKey } from './strategic-merge-error';
import { arrange, checkOrder, mergeLists, withoutValues } from './lists';
import { itemType, memberOf, type MemberShape } from './merge-rule';

export { StrategicFault } from './strategic-merge-error';
export { goText } from './go-format';
export { misfit } from './type-error';

/** Patches may be this deep, so that everything can walk them. */
const MAX_DEPTH = 1000;

/** `type` = the object's name in the type tables. Throws StrategicFault, and nothing else, whatever the patch holds. */
export function strategicMerge(type: string, original: JsonObject, patch: JsonObject): JsonObject {
  if (isDeeperThan(patch, MAX_DEPTH)) throw unsuitable('exceeded max depth');
  return mergeObjects({ kind: 'object', type }, original, patch);
}

function mergeObjects(type: FieldType, original: JsonObject, patch: JsonObject): JsonObject {
  switch (modeOf(patch)) {
    case 'replace':
      return copyOf(patch, (member) => member !== PATCH);
    case 'delete':
      return {};
    case undefined:
      break;
  }
  const { retained, changes } = readLevel(patch);
  const result = copyOf(original, (member) => retained?.has(member) !== false);
  for (const [member, change] of changes) {
    const value = mergeMember(type, member, own(result, member), change);
    if (value === undefined) delete result[member];
    else setMember(result, member, value);
  }
  return result;
}

/** The member's new value; undefined = it is gone. */
function mergeMember(type: FieldType, member: string, original: JsonValue | undefined, change: MemberPatch): JsonValue | undefined {
  const { value, order, deletions } = change;
  if (deletions === null || (value === null && order === undefined)) return undefined;
  const takeAway = (list: JsonValue | undefined): JsonValue | undefined => afterDeletion(type, member, list, deletions);
  return order === undefined
    ? mergeValue(type, member, takeAway(original), value)
    : takeAway(mergeOrdered(memberOf(type, member), original, value, order));
}

/** A list with an order of its own: the patch's items must follow it, and it counts before values are taken away (upstream behaviour). */
function mergeOrdered(
  shape: MemberShape,
  original: JsonValue | undefined,
  value: JsonValue | undefined,
  order: JsonArray,
): JsonValue | undefined {
  if (value !== undefined) {
    if (!Array.isArray(value)) throw notAList(value);
    if (value.length === 0 && (original === undefined || (Array.isArray(original) && original.length === 0))) throw nothingToOrder();
    checkOrder(value, order, shape.mergeKey);
  }
  if (original === undefined) return value === undefined ? undefined : asNew(value);
  if (!Array.isArray(original)) throw notAList(original);
  return value === undefined ? arrange(original, order, original, shape.mergeKey) : mergeList(shape, original, value, order);
}

function mergeValue(type: FieldType, member: string, current: JsonValue | undefined, value: JsonValue | undefined): JsonValue | undefined {
  if (value === undefined) return current;
  if (value === null) return undefined;
  if (isObject(value) && isObject(current)) {
    const { type: inner, isReplaced } = memberOf(type, member);
    return isReplaced ? value : mergeObjects(inner, current, value);
  }
  if (Array.isArray(value) && Array.isArray(current)) return mergeList(memberOf(type, member), current, value, undefined);
  return asNew(value);
}

function mergeList(shape: MemberShape, original: JsonArray, patch: JsonArray, order: JsonArray | undefined): JsonArray {
  if (!shape.isMerged) return order === undefined ? patch : arrange(patch, order, original, shape.mergeKey);
  const inner = itemType(shape.type);
  return mergeLists(original, patch, order, shape.mergeKey, (item, change) => mergeObjects(inner, item, change));
}

function afterDeletion(
  type: FieldType,
  member: string,
  original: JsonValue | undefined,
  deletions: JsonValue | undefined,
): JsonValue | undefined {
  if (!Array.isArray(deletions) || !Array.isArray(original)) return original;
  const left = withoutValues(original, deletions);
  if ([...original, ...deletions].some(isObject) && memberOf(type, member).mergeKey === undefined) throw withoutKey();
  return left;
}

/** What the patch brings where there is nothing to merge with: without nulls, and without objects that only direct. Undefined = nothing. */
function asNew(value: JsonValue): JsonValue | undefined {
  if (Array.isArray(value)) return value.map(asNew).filter((item) => item !== undefined);
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, PATCH)) return undefined;
  const result: JsonObject = {};
  for (const [member, inner] of Object.entries(value)) {
    const found = inner === null ? undefined : asNew(inner);
    if (found !== undefined) setMember(result, member, found);
  }
  return result;
}

function copyOf(object: JsonObject, keeps: (member: string) => boolean): JsonObject {
  const copy: JsonObject = {};
  for (const [member, value] of Object.entries(object)) if (keeps(member)) setMember(copy, member, value);
  return copy;
}
