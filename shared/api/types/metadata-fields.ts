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
  readonly direct: readonly string[];
  /** Fields that contain metadata at some depth: an object or a list of objects. */
  readonly nested: readonly { readonly member: string; readonly fields: MetadataFields }[];
}

const METADATA_TYPE = 'meta.v1.ObjectMeta';
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
  return errorsBelow(fields, { value: object, old, path: '' });
}

/** A value with its path, and the stored value at the same place. */
interface LocatedValue {
  readonly value: JsonValue | undefined;
  readonly old: JsonValue | undefined;
  readonly path: string;
}

function errorsBelow(fields: MetadataFields, { value, old, path }: LocatedValue): readonly FieldError[] {
  if (!isObject(value)) return [];
  const memberOf = (member: string): LocatedValue => ({
    value: ownMember(value, member),
    old: isObject(old) ? ownMember(old, member) : undefined,
    path: path === '' ? member : `${path}.${member}`,
  });
  return [
    ...fields.direct.flatMap((member) => metadataErrors(memberOf(member))),
    ...fields.nested.flatMap(({ member, fields: inner }) => itemsOf(memberOf(member)).flatMap((item) => errorsBelow(inner, item))),
  ];
}

/** The items of a list; any other value itself. */
function itemsOf(located: LocatedValue): readonly LocatedValue[] {
  const { value, old, path } = located;
  if (!Array.isArray(value)) return [located];
  return value.map((item, index) => ({ value: item, old: Array.isArray(old) ? old[index] : undefined, path: `${path}[${index}]` }));
}

function metadataErrors({ value: metadata, old, path }: LocatedValue): readonly FieldError[] {
  if (!isObject(metadata)) return [];
  return ['labels', 'annotations'].flatMap((member) => {
    const map = objectAt(metadata, member);
    if (map === undefined) return [];
    const before = isObject(old) ? objectAt(old, member) : undefined;
    return spellingConflicts(map).flatMap(({ key, other, value }) => {
      const isUnchanged = before !== undefined && ownMember(before, key) === map[key] && ownMember(before, other) === map[other];
      if (isUnchanged) return [];
      return [invalidValue(`${path}.${member}[${key}]`, value, `must be the same as ${other}, which is the same name`)];
    });
  });
}
