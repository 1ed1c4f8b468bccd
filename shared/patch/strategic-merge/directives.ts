/**
 * Reads and checks the directives of one object in a strategic merge patch:
 * - `$patch`: whether the object is replaced, deleted or merged
 * - `$retainKeys`: which of its fields stay
 * - `$deleteFromPrimitiveList/<field>`: which values to delete from a list
 * - `$setElementOrder/<field>`: the order of a list
 *
 * All other members are the new values of fields.
 */
import { ownMember, type JsonArray, type JsonObject, type JsonValue } from '../../values/json';
import { malformedDirective, unsuitablePatch } from './strategic-merge-error';
import { formatGoValue, goTypeName } from './go-format';

/** The member that states how an object of a patch is merged. */
export const PATCH_DIRECTIVE = '$patch';
const RETAIN_KEYS = '$retainKeys';
const SET_ELEMENT_ORDER = '$setElementOrder';
const DELETE_FROM_PRIMITIVE_LIST = '$deleteFromPrimitiveList';

/** The parts of the patch for one field; at least one is present. */
export interface MemberPatch {
  /** The value to merge into the field; null removes the field. */
  value?: JsonValue;
  /** The list of `$setElementOrder`. */
  order?: JsonArray;
  /** The value of `$deleteFromPrimitiveList`. Null removes the whole list; any value but a list is ignored (upstream behaviour). */
  deletions?: JsonValue;
}

/** The patch of one object, sorted by field. */
export interface ObjectPatch {
  /** The fields that stay, of `$retainKeys`; `undefined` when all do. */
  readonly retained: ReadonlySet<JsonValue> | undefined;
  /** The patch of each field, by its name. */
  readonly changes: ReadonlyMap<string, MemberPatch>;
}

/** The `$patch` directive of an object; `undefined` to merge it. Throws StrategicMergeError for an unknown directive. */
export function patchModeOf(patch: JsonObject): 'replace' | 'delete' | undefined {
  const mode = ownMember(patch, PATCH_DIRECTIVE);
  if (mode === undefined) return undefined;
  if (mode === 'replace' || mode === 'delete') return mode;
  const text = typeof mode === 'string' ? mode : `%!s(${mode === null ? '<nil>' : `${goTypeName(mode)}=${formatGoValue(mode)}`})`;
  throw unsuitablePatch(`unknown patch type: ${text} in map: ${formatGoValue(patch)}`);
}

/** Reads all members but `$patch`. Throws StrategicMergeError for a malformed directive. */
export function readObjectPatch(patch: JsonObject): ObjectPatch {
  const changes = new Map<string, MemberPatch>();
  const patchOf = (member: string): MemberPatch => {
    const memberPatch = changes.get(member) ?? {};
    changes.set(member, memberPatch);
    return memberPatch;
  };
  for (const [member, value] of Object.entries(patch)) {
    if (member === PATCH_DIRECTIVE || member === RETAIN_KEYS) continue;
    if (member.startsWith(SET_ELEMENT_ORDER)) {
      if (!Array.isArray(value)) throw notAListError(value);
      patchOf(fieldNameOf(member, SET_ELEMENT_ORDER, 'setElementOrder list')).order = value;
    } else if (member.startsWith(DELETE_FROM_PRIMITIVE_LIST)) {
      patchOf(fieldNameOf(member, DELETE_FROM_PRIMITIVE_LIST, 'primitive list')).deletions = value;
    } else {
      patchOf(member).value = value;
    }
  }
  return { retained: readRetainedKeys(patch, changes), changes };
}

/** The error of a value that stands where the patch or the object must have a list. */
export const notAListError = (value: JsonValue): Error => unsuitablePatch(`expected a []interface {}, but received a ${goTypeName(value)}`);

/** `$setElementOrder/containers` -> `containers`. */
function fieldNameOf(member: string, directive: string, listName: 'setElementOrder list' | 'primitive list'): string {
  if (member.charAt(directive.length) !== '/') throw malformedDirective(listName);
  return member.slice(directive.length + 1);
}

/**
 * The names in `$retainKeys`, which must include every field that the patch sets; `undefined` without the directive.
 */
function readRetainedKeys(patch: JsonObject, changes: ReadonlyMap<string, MemberPatch>): ReadonlySet<JsonValue> | undefined {
  const list = ownMember(patch, RETAIN_KEYS);
  if (list === undefined) return undefined;
  if (!Array.isArray(list)) throw malformedDirective('retainKeys');
  const retained = new Set(list);
  for (const [member, { value }] of changes) {
    if (value !== undefined && value !== null && !retained.has(member)) throw malformedDirective('retainKeys');
  }
  return retained;
}
