/**
 * Finds the metadata in objects of a type: that of the object and of the templates in it (pods, claims, jobs), derived
 * from the type tables. Also reports labels and annotations that have both spellings of a name (shared/names/spellings.ts)
 * with different values; the caller decides whether to reject the object.
 */
import { spellingConflicts } from '../../names/spellings';
import { isObject, objectAt, ownMember, type JsonObject, type JsonValue } from '../../values/json';
import { invalidValue, type FieldError } from '../errors/field-error';
import { hasSchema, schemaOf } from './tables';
import type { FieldType } from './types';

/** Where the objects of a type hold metadata. */
export interface MetadataFields {
  /** Fields that hold metadata. */
  readonly direct: readonly string[];
  /** Fields that contain metadata at some depth. Each is an object, or a list of objects at any depth. */
  readonly nested: readonly { readonly member: string; readonly fields: MetadataFields }[];
}

const METADATA_TYPE = 'meta.v1.ObjectMeta';
/** The members of metadata with qualified names as keys. */
const METADATA_MAPS = ['labels', 'annotations'];
const NO_FIELDS: MetadataFields = { direct: [], nested: [] };
/** For custom kinds, which have no type table. */
export const OWN_METADATA: MetadataFields = { direct: ['metadata'], nested: [] };
const fieldsByType = new Map<string, MetadataFields>();

/** The fields of a type, such as `apps.v1.Deployment`. */
export function metadataFieldsOf(type: string): MetadataFields {
  let fields = fieldsByType.get(type);
  if (fields === undefined) {
    // Ends the recursion for a type that contains itself.
    fieldsByType.set(type, NO_FIELDS);
    fieldsByType.set(type, (fields = deriveMetadataFields(type)));
  }
  return fields;
}

function deriveMetadataFields(type: string): MetadataFields {
  if (!hasSchema(type)) return NO_FIELDS;
  const direct: string[] = [];
  const nested: { member: string; fields: MetadataFields }[] = [];
  for (const field of schemaOf(type).fields) {
    const inner = objectTypeOf(field.type);
    if (inner === undefined) continue;
    const fields = inner === METADATA_TYPE ? NO_FIELDS : metadataFieldsOf(inner);
    if (inner === METADATA_TYPE) direct.push(field.name);
    else if (fields.direct.length + fields.nested.length > 0) nested.push({ member: field.name, fields });
  }
  return direct.length + nested.length === 0 ? NO_FIELDS : { direct, nested };
}

function objectTypeOf(type: FieldType): string | undefined {
  if (type.kind === 'object') return type.type;
  return type.kind === 'list' ? objectTypeOf(type.element) : undefined;
}

/**
 * The spelling conflicts of `object`, except those that `old` has with the same values: an object that was stored with
 * them must remain writable and deletable.
 */
export function spellingErrors(object: JsonObject, old: JsonObject | undefined, fields: MetadataFields): readonly FieldError[] {
  const errors: FieldError[] = [];
  appendErrors(object, { old, fields, path: '', errors });
  return errors;
}

/** The search of one object, at any depth. */
interface Search {
  /** The value at the same path of the stored object. */
  readonly old: JsonValue | undefined;
  readonly fields: MetadataFields;
  /** The path of the object with a dot at its end; empty for the root. */
  readonly path: string;
  /** The list that errors are appended to. Nearly all writes have none, so lists of each object would be a waste. */
  readonly errors: FieldError[];
}

function appendErrors(value: JsonValue | undefined, { old, fields, path, errors }: Search): void {
  if (!isObject(value)) return;
  for (const member of fields.direct) {
    appendConflicts(objectAt(value, member), memberOf(old, member), { path: `${path}${member}`, errors });
  }
  for (const { member, fields: inner } of fields.nested) {
    const nested = ownMember(value, member);
    const oldNested = memberOf(old, member);
    if (!Array.isArray(nested)) appendErrors(nested, { old: oldNested, fields: inner, path: `${path}${member}.`, errors });
    else {
      for (const [index, item] of nested.entries()) {
        const oldItem = Array.isArray(oldNested) ? oldNested[index] : undefined;
        appendErrors(item, { old: oldItem, fields: inner, path: `${path}${member}[${index}].`, errors });
      }
    }
  }
}

function memberOf(value: JsonValue | undefined, member: string): JsonValue | undefined {
  return isObject(value) ? ownMember(value, member) : undefined;
}

/** `path` is that of the metadata, without a dot at its end. */
function appendConflicts(
  metadata: JsonObject | undefined,
  old: JsonValue | undefined,
  { path, errors }: Pick<Search, 'path' | 'errors'>,
): void {
  if (metadata === undefined) return;
  for (const member of METADATA_MAPS) {
    const map = objectAt(metadata, member);
    if (map === undefined) continue;
    const oldMap = memberOf(old, member);
    for (const { key, other, value } of spellingConflicts(map)) {
      const isUnchanged = isObject(oldMap) && memberOf(oldMap, key) === map[key] && memberOf(oldMap, other) === map[other];
      if (isUnchanged) continue;
      errors.push(invalidValue(`${path}.${member}[${key}]`, value, `must be the same as ${other}, which is the same name`));
    }
  }
}
