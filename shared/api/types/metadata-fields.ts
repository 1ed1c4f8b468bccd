/**
 * Finds the metadata in objects of a type: that of the object and of the templates in it (pods, claims, jobs), derived
 * from the type tables. Also reports labels and annotations that have both spellings of a name with different values;
 * the caller decides whether to reject the object.
 */
import { spellingConflicts } from '../../names/spellings';
import { isObject, objectAt, ownMember, type JsonObject, type JsonValue } from '../../values/json';
import { invalidValue, type FieldError } from '../errors/field-error';
import { hasSchema, schemaOf } from './tables';
import type { FieldType } from './types';

export interface MetadataFields {
  /** Fields that hold metadata. */
  readonly here: readonly string[];
  /** Fields that contain metadata at some depth: an object or a list of objects. */
  readonly below: readonly { readonly member: string; readonly fields: MetadataFields }[];
}

const METADATA_TYPE = 'meta.v1.ObjectMeta';
const NO_FIELDS: MetadataFields = { here: [], below: [] };
/** For custom kinds, which have no type table. */
export const OWN_METADATA: MetadataFields = { here: ['metadata'], below: [] };
const known = new Map<string, MetadataFields>();

export function metadataFieldsOf(type: string): MetadataFields {
  let fields = known.get(type);
  if (fields === undefined) {
    // Ends the recursion for a type that contains itself.
    known.set(type, NO_FIELDS);
    known.set(type, (fields = deriveMetadataFields(type)));
  }
  return fields;
}

function deriveMetadataFields(type: string): MetadataFields {
  if (!hasSchema(type)) return NO_FIELDS;
  const here: string[] = [];
  const below: { member: string; fields: MetadataFields }[] = [];
  for (const field of schemaOf(type).fields) {
    const inner = objectTypeOf(field.type);
    if (inner === undefined) continue;
    const fields = inner === METADATA_TYPE ? NO_FIELDS : metadataFieldsOf(inner);
    if (inner === METADATA_TYPE) here.push(field.name);
    else if (fields.here.length + fields.below.length > 0) below.push({ member: field.name, fields });
  }
  return here.length + below.length === 0 ? NO_FIELDS : { here, below };
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
  collect(object, old, fields, '', errors);
  return errors;
}

function collect(object: JsonObject, old: JsonObject | undefined, fields: MetadataFields, path: string, errors: FieldError[]): void {
  for (const member of fields.here) collectFrom(objectAt(object, member), objectAt(old, member), `${path}${member}`, errors);
  for (const { member, fields: inner } of fields.below) {
    const value = ownMember(object, member);
    const before = old === undefined ? undefined : ownMember(old, member);
    if (Array.isArray(value))
      value.forEach((item, index) => collectBelow(item, itemAt(before, index), inner, `${path}${member}[${index}].`, errors));
    else if (value !== undefined) collectBelow(value, before, inner, `${path}${member}.`, errors);
  }
}

function collectBelow(value: JsonValue, old: JsonValue | undefined, fields: MetadataFields, path: string, errors: FieldError[]): void {
  if (isObject(value)) collect(value, isObject(old) ? old : undefined, fields, path, errors);
}

const itemAt = (list: JsonValue | undefined, index: number): JsonValue | undefined => (Array.isArray(list) ? list[index] : undefined);

function collectFrom(metadata: JsonObject | undefined, old: JsonObject | undefined, path: string, errors: FieldError[]): void {
  for (const member of ['labels', 'annotations']) {
    const map = objectAt(metadata, member);
    if (map === undefined) continue;
    const before = objectAt(old, member);
    for (const { key, other, value } of spellingConflicts(map)) {
      const isUnchanged = before !== undefined && ownMember(before, key) === map[key] && ownMember(before, other) === map[other];
      if (!isUnchanged)
        errors.push(invalidValue(`${path}.${member}[${key}]`, value, `must be the same as ${other}, which is the same name`));
    }
  }
}
