/**
 * Where objects of a type have metadata: their own, and that of the templates in them (pods, claims, jobs). Derived from the type tables. Also finds the labels and
 * annotations there that carry both spellings of one name with different values; what is done about them is for the caller to decide.
 */
import { spellingConflicts } from '../../names/spellings';
import { isObject, objectAt, own, type JsonObject, type JsonValue } from '../../values/json';
import { invalidValue, type FieldError } from '../errors/field-error';
import { hasSchema, schemaOf } from './tables';
import type { FieldType } from './types';

export interface MetadataFields {
  /** Members that are metadata. */
  readonly here: readonly string[];
  /** Members that lead to metadata: an object, or a list of objects. */
  readonly below: readonly { readonly member: string; readonly fields: MetadataFields }[];
}

const METADATA = 'meta.v1.ObjectMeta';
const NOTHING: MetadataFields = { here: [], below: [] };
/** Of kinds that have a schema of their own. */
export const OWN_METADATA: MetadataFields = { here: ['metadata'], below: [] };
const known = new Map<string, MetadataFields>();

export function metadataFieldsOf(type: string): MetadataFields {
  let fields = known.get(type);
  if (fields === undefined) {
    // A type that holds itself ends here.
    known.set(type, NOTHING);
    known.set(type, (fields = derive(type)));
  }
  return fields;
}

function derive(type: string): MetadataFields {
  if (!hasSchema(type)) return NOTHING;
  const here: string[] = [];
  const below: { member: string; fields: MetadataFields }[] = [];
  for (const field of schemaOf(type).fields) {
    const inner = objectTypeOf(field.type);
    if (inner === undefined) continue;
    const fields = inner === METADATA ? NOTHING : metadataFieldsOf(inner);
    if (inner === METADATA) here.push(field.name);
    else if (fields.here.length + fields.below.length > 0) below.push({ member: field.name, fields });
  }
  return here.length + below.length === 0 ? NOTHING : { here, below };
}

function objectTypeOf(type: FieldType): string | undefined {
  if (type.kind === 'object') return type.type;
  return type.kind === 'list' ? objectTypeOf(type.of) : undefined;
}

/** Conflicts in `object`. Those that `old` has too, value by value, are left out: it was stored before they were refused, and must remain changeable and deletable. */
export function spellingErrors(object: JsonObject, old: JsonObject | undefined, fields: MetadataFields): readonly FieldError[] {
  const errors: FieldError[] = [];
  collect(object, old, fields, '', errors);
  return errors;
}

function collect(object: JsonObject, old: JsonObject | undefined, fields: MetadataFields, place: string, errors: FieldError[]): void {
  for (const member of fields.here) collectFrom(objectAt(object, member), objectAt(old, member), `${place}${member}`, errors);
  for (const { member, fields: inner } of fields.below) {
    const [value, before] = [own(object, member), old === undefined ? undefined : own(old, member)];
    if (Array.isArray(value))
      value.forEach((item, at) => collectBelow(item, itemAt(before, at), inner, `${place}${member}[${at}].`, errors));
    else if (value !== undefined) collectBelow(value, before, inner, `${place}${member}.`, errors);
  }
}

function collectBelow(value: JsonValue, old: JsonValue | undefined, fields: MetadataFields, place: string, errors: FieldError[]): void {
  if (isObject(value)) collect(value, isObject(old) ? old : undefined, fields, place, errors);
}

const itemAt = (list: JsonValue | undefined, at: number): JsonValue | undefined => (Array.isArray(list) ? list[at] : undefined);

function collectFrom(metadata: JsonObject | undefined, old: JsonObject | undefined, place: string, errors: FieldError[]): void {
  for (const member of ['labels', 'annotations']) {
    const map = objectAt(metadata, member);
    if (map === undefined) continue;
    const before = objectAt(old, member);
    for (const { key, other, value } of spellingConflicts(map)) {
      const isUnchanged = before !== undefined && own(before, key) === map[key] && own(before, other) === map[other];
      if (!isUnchanged)
        errors.push(invalidValue(`${place}.${member}[${key}]`, value, `must be the same as ${other}, which is the same name`));
    }
  }
}
