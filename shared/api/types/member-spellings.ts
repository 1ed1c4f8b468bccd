/**
 * Brings the members of a document to the spelling in which they are stored (`x-platform-validations` → `x-kubernetes-validations`), where it is a type's
 * schema that says which members these are. For documents that are not decoded by themselves: applied configurations and patches.
 */
import { neutralSchemaMember } from '../../names/dialect';
import { equalJson, isObject, setMember, type JsonObject, type JsonValue } from '../../values/json';
import { DecodeError } from './decode-error';
import { hasSchema, schemaOf } from './tables';
import type { FieldType } from './types';

/** Members with two spellings, and members that lead to some. */
interface Members {
  readonly renamed: ReadonlyMap<string, string>;
  readonly below: ReadonlyMap<string, FieldType>;
}

const known = new Map<string, Members>();

/** Throws {@link DecodeError} for a member that is there in both spellings with different values. Returns the same object for types without such members. */
export function canonicalMembers(type: string, value: JsonObject): JsonObject {
  return leadsToRenamed(type, new Set()) ? struct(type, value) : value;
}

/** Of one object of the type: `x-platform-validations` and `x-kubernetes-validations` must not differ. */
export function refuseDifferentSpellings(value: JsonObject, neutral: string, member: string): void {
  if (value[member] !== undefined && !equalJson(value[member], value[neutral]))
    throw new DecodeError(`${neutral} and ${member} are two spellings of one member and differ`);
}

function struct(type: string, value: JsonObject): JsonObject {
  const { renamed, below } = membersOf(type);
  const object: JsonObject = {};
  let isChanged = false;
  for (const [member, found] of Object.entries(value)) {
    const name = renamed.get(member) ?? member;
    if (name !== member) refuseDifferentSpellings(value, member, name);
    const inner = below.get(name);
    const made = inner === undefined ? found : within(inner, found);
    isChanged ||= name !== member || made !== found;
    setMember(object, name, made);
  }
  return isChanged ? object : value;
}

function within(type: FieldType, value: JsonValue): JsonValue {
  switch (type.kind) {
    case 'scalar':
      return value;
    case 'object':
      return isObject(value) ? struct(type.type, value) : value;
    case 'either':
      if (Array.isArray(value)) return value.map((item) => (isObject(item) ? struct(type.object, item) : item));
      return isObject(value) ? struct(type.object, value) : value;
    case 'list':
      return Array.isArray(value) ? value.map((item) => within(type.of, item)) : value;
    case 'map':
      return isObject(value) ? mapped(type.of, value) : value;
  }
}

function mapped(of: FieldType, value: JsonObject): JsonObject {
  const object: JsonObject = {};
  for (const [key, item] of Object.entries(value)) setMember(object, key, within(of, item));
  return object;
}

function membersOf(type: string): Members {
  let members = known.get(type);
  if (members === undefined) known.set(type, (members = derive(type)));
  return members;
}

function derive(type: string): Members {
  const fields = schemaOf(type).fields;
  const renamed = fields.flatMap(({ name }) => {
    const neutral = neutralSchemaMember(name);
    return neutral === undefined ? [] : [[neutral, name] as const];
  });
  const below = fields.flatMap((field) => {
    const inner = innermost(field.type);
    return inner !== undefined && leadsToRenamed(inner, new Set()) ? [[field.name, field.type] as const] : [];
  });
  return { renamed: new Map(renamed), below: new Map(below) };
}

const leading = new Map<string, boolean>();

/** `above`: the types that are being looked at, which may hold themselves. */
function leadsToRenamed(type: string, above: ReadonlySet<string>): boolean {
  const found = leading.get(type);
  if (found !== undefined) return found;
  if (!hasSchema(type) || above.has(type)) return false;
  const inside = new Set([...above, type]);
  const leads = schemaOf(type).fields.some((field) => {
    const inner = innermost(field.type);
    return neutralSchemaMember(field.name) !== undefined || (inner !== undefined && leadsToRenamed(inner, inside));
  });
  // What a type above it holds is not known yet.
  if (leads || above.size === 0) leading.set(type, leads);
  return leads;
}

function innermost(type: FieldType): string | undefined {
  switch (type.kind) {
    case 'scalar':
      return undefined;
    case 'either':
      return type.object;
    case 'object':
      return type.type;
    case 'list':
    case 'map':
      return innermost(type.of);
  }
}
