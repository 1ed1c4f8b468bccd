/**
 * Renames the fields of a document to their canonical spelling, in which they are stored (`x-platform-validations` →
 * `x-kubernetes-validations`). Used for documents that are merged before they are decoded: applied configurations and
 * patches. Other bodies are renamed by the decoder (decode.ts). The type tables determine which fields have two spellings.
 */
import { neutralSchemaMember } from '../../names/dialect';
import { equalJson, isObject, setMember, type JsonObject, type JsonValue } from '../../values/json';
import { DecodeError } from './decode-error';
import { hasSchema, innermostObjectType, schemaOf } from './tables';
import type { FieldType } from './types';

/** The fields of a type that have two spellings, or contain such fields at any depth. */
interface SpelledMembers {
  /** Canonical names of fields with two spellings, by neutral name. */
  readonly canonicalNames: ReadonlyMap<string, string>;
  /** The types of fields that contain such fields. */
  readonly nested: ReadonlyMap<string, FieldType>;
}

const membersByType = new Map<string, SpelledMembers>();

/**
 * Returns a document of the type with its fields renamed. `value` is not changed; it is itself the result for a type
 * without such fields, and may be when nothing is renamed. Throws {@link DecodeError} when a field has both spellings with
 * different values.
 */
export function canonicalMembers(type: string, value: JsonObject): JsonObject {
  return leadsToRenamed(type, new Set()) ? renameMembers(type, value) : value;
}

/**
 * Throws {@link DecodeError} when the object has both spellings of a field, with different values. `neutral` is the
 * spelling with `x-platform-`, `canonical` the other one.
 */
export function rejectDifferentSpellings(value: JsonObject, neutral: string, canonical: string): void {
  if (value[canonical] !== undefined && !equalJson(value[canonical], value[neutral]))
    throw new DecodeError(`${neutral} and ${canonical} are two spellings of the same field and differ`);
}

function renameMembers(type: string, value: JsonObject): JsonObject {
  const { canonicalNames, nested } = membersOf(type);
  const object: JsonObject = {};
  let isChanged = false;
  for (const [member, item] of Object.entries(value)) {
    const canonical = canonicalNames.get(member) ?? member;
    if (canonical !== member) rejectDifferentSpellings(value, member, canonical);
    const inner = nested.get(canonical);
    const renamedItem = inner === undefined ? item : renameBelow(inner, item);
    isChanged ||= canonical !== member || renamedItem !== item;
    setMember(object, canonical, renamedItem);
  }
  return isChanged ? object : value;
}

function renameBelow(type: FieldType, value: JsonValue): JsonValue {
  switch (type.kind) {
    case 'scalar':
      return value;
    case 'object':
      return isObject(value) ? renameMembers(type.type, value) : value;
    case 'either':
      if (Array.isArray(value)) return value.map((item) => (isObject(item) ? renameMembers(type.object, item) : item));
      return isObject(value) ? renameMembers(type.object, value) : value;
    case 'list':
      return Array.isArray(value) ? value.map((item) => renameBelow(type.element, item)) : value;
    case 'map':
      return isObject(value) ? renameInMap(type.element, value) : value;
  }
}

function renameInMap(element: FieldType, value: JsonObject): JsonObject {
  const object: JsonObject = {};
  for (const [key, item] of Object.entries(value)) setMember(object, key, renameBelow(element, item));
  return object;
}

function membersOf(type: string): SpelledMembers {
  let members = membersByType.get(type);
  if (members === undefined) membersByType.set(type, (members = deriveMembers(type)));
  return members;
}

function deriveMembers(type: string): SpelledMembers {
  const fields = schemaOf(type).fields;
  const canonicalNames = fields.flatMap(({ name }) => {
    const neutral = neutralSchemaMember(name);
    return neutral === undefined ? [] : [[neutral, name] as const];
  });
  const nested = fields.flatMap((field) => {
    const inner = innermostObjectType(field.type);
    return inner !== undefined && leadsToRenamed(inner, new Set()) ? [[field.name, field.type] as const] : [];
  });
  return { canonicalNames: new Map(canonicalNames), nested: new Map(nested) };
}

const leadsToRenamedByType = new Map<string, boolean>();

/**
 * Whether objects of the type have fields with two spellings at any depth. `above` are the types that contain this one and
 * are being examined: a type that contains itself is not examined again.
 */
function leadsToRenamed(type: string, above: ReadonlySet<string>): boolean {
  const cached = leadsToRenamedByType.get(type);
  if (cached !== undefined) return cached;
  if (!hasSchema(type) || above.has(type)) return false;
  const inside = new Set([...above, type]);
  const leads = schemaOf(type).fields.some((field) => {
    const inner = innermostObjectType(field.type);
    return neutralSchemaMember(field.name) !== undefined || (inner !== undefined && leadsToRenamed(inner, inside));
  });
  // A negative result below a recursive type is not final: the types above are still being examined.
  if (leads || above.size === 0) leadsToRenamedByType.set(type, leads);
  return leads;
}
