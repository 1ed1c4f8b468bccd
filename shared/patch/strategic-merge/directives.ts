/**
 * The directives of one level of a strategic merge patch, read and checked: how to treat the object (`$patch`), which of its members stay
 * (`$retainKeys`), which values leave a list (`$deleteFromPrimitiveList/<field>`), and in which order a list goes (`$setElementOrder/<field>`).
 * Everything else is a plain member. Knows no kinds.
 */
import { own, type JsonArray, type JsonObject, type JsonValue } from '../../values/json';
import { malformed, unsuitable } from './strategic-merge-error';
import { goText, goType } from './go-format';

export const PATCH = '$patch';
const RETAIN = '$retainKeys';
const ORDER = '$setElementOrder';
const DELETE = '$deleteFromPrimitiveList';

/** What the patch says about one member. */
export interface MemberPatch {
  /** Absent = nothing; null removes. */
  value?: JsonValue;
  order?: JsonArray;
  /** Null = the whole list goes; anything but a list is ignored (upstream behaviour). */
  deletions?: JsonValue;
}

export interface Level {
  /** The members that stay; undefined = all. */
  readonly retained: ReadonlySet<JsonValue> | undefined;
  readonly changes: ReadonlyMap<string, MemberPatch>;
}

/** What `$patch` says of an object that is there; undefined = merge it. Throws a fault for any other text. */
export function modeOf(patch: JsonObject): 'replace' | 'delete' | undefined {
  const mode = own(patch, PATCH);
  if (mode === undefined) return undefined;
  if (mode === 'replace' || mode === 'delete') return mode;
  const text = typeof mode === 'string' ? mode : `%!s(${mode === null ? '<nil>' : `${goType(mode)}=${goText(mode)}`})`;
  throw unsuitable(`unknown patch type: ${text} in map: ${goText(patch)}`);
}

export function readLevel(patch: JsonObject): Level {
  const changes = new Map<string, MemberPatch>();
  const change = (member: string): MemberPatch => {
    let found = changes.get(member);
    if (found === undefined) changes.set(member, (found = {}));
    return found;
  };
  for (const [member, value] of Object.entries(patch)) {
    if (member === PATCH || member === RETAIN) continue;
    if (member.startsWith(ORDER)) {
      if (!Array.isArray(value)) throw notAList(value);
      change(fieldOf(member, ORDER, 'setElementOrder list')).order = value;
    } else if (member.startsWith(DELETE)) {
      change(fieldOf(member, DELETE, 'primitive list')).deletions = value;
    } else {
      change(member).value = value;
    }
  }
  return { retained: retainedBy(patch, changes), changes };
}

export const notAList = (value: JsonValue): Error => unsuitable(`expected a []interface {}, but received a ${goType(value)}`);

function fieldOf(member: string, directive: string, what: 'setElementOrder list' | 'primitive list'): string {
  if (member.charAt(directive.length) !== '/') throw malformed(what);
  return member.slice(directive.length + 1);
}

/** What the patch sets must be among what stays. */
function retainedBy(patch: JsonObject, changes: ReadonlyMap<string, MemberPatch>): ReadonlySet<JsonValue> | undefined {
  const list = own(patch, RETAIN);
  if (list === undefined) return undefined;
  if (!Array.isArray(list)) throw malformed('retainKeys');
  const retained = new Set(list);
  for (const [member, { value }] of changes) {
    if (value !== undefined && value !== null && !retained.has(member)) throw malformed('retainKeys');
  }
  return retained;
}
