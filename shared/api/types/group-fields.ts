/**
 * The fields that name an API group or a namespace. Such names have two spellings, one in each dialect
 * (shared/names/dialect.ts). The fields of every kind are derived from one table by type. Requests are read with them
 * into the canonical spelling, and responses written in that of the client. All other fields stay as the user sent them.
 */
import {
  apiVersionInDialect,
  canonicalApiVersion,
  canonicalGroup,
  canonicalNamespace,
  groupInDialect,
  type Dialect,
  type GeneratedNames,
} from '../../names/dialect';
import { cloneJson, isObject, ownMember, type JsonObject, type JsonValue } from '../../values/json';
import { hasSchema, schemaOf } from '.';
import { innermostObjectType } from './tables';

/** What a field names. */
export type NameFieldKind = 'apiVersion' | 'group' | 'namespace';

/**
 * By type and field; the field is a string or a list of strings. `core.v1.ObjectFieldSelector` is not listed: it names
 * a version of the core group, which is spelled alike in both dialects.
 */
export const NAME_FIELDS_BY_TYPE: Readonly<Record<string, Readonly<Record<string, NameFieldKind>>>> = {
  'admissionregistration.v1.ParamKind': { apiVersion: 'apiVersion' },
  'admissionregistration.v1.ParamRef': { namespace: 'namespace' },
  'admissionregistration.v1.ServiceReference': { namespace: 'namespace' },
  'admissionregistration.v1alpha1.ParamKind': { apiVersion: 'apiVersion' },
  'admissionregistration.v1alpha1.ParamRef': { namespace: 'namespace' },
  'admissionregistration.v1beta1.ParamKind': { apiVersion: 'apiVersion' },
  'admissionregistration.v1beta1.ParamRef': { namespace: 'namespace' },
  'apiextensions.v1.ServiceReference': { namespace: 'namespace' },
  'apiregistration.v1.ServiceReference': { namespace: 'namespace' },
  'authentication.v1.BoundObjectReference': { apiVersion: 'apiVersion' },
  'authorization.v1.ResourceAttributes': { group: 'group', namespace: 'namespace' },
  'authorization.v1.ResourceRule': { apiGroups: 'group' },
  'authorization.v1.SelfSubjectRulesReviewSpec': { namespace: 'namespace' },
  'autoscaling.v1.CrossVersionObjectReference': { apiVersion: 'apiVersion' },
  'autoscaling.v2.CrossVersionObjectReference': { apiVersion: 'apiVersion' },
  'core.v1.ObjectReference': { apiVersion: 'apiVersion', namespace: 'namespace' },
  'core.v1.TypedLocalObjectReference': { apiGroup: 'group' },
  'core.v1.TypedObjectReference': { apiGroup: 'group', namespace: 'namespace' },
  'meta.v1.ManagedFieldsEntry': { apiVersion: 'apiVersion' },
  'meta.v1.OwnerReference': { apiVersion: 'apiVersion' },
  'networking.v1.IngressClassParametersReference': { apiGroup: 'group', namespace: 'namespace' },
  'rbac.v1.RoleRef': { apiGroup: 'group' },
  'resource.v1alpha3.ResourceClaimConsumerReference': { apiGroup: 'group' },
  'rbac.v1.Subject': { apiGroup: 'group', namespace: 'namespace' },
};

/** The fields of a type that name a group or a namespace, or that contain such fields. */
export interface GroupFields {
  /** Fields that are a name or a list of names. */
  readonly direct: readonly (readonly [member: string, kind: NameFieldKind])[];
  /** Fields that contain such fields: an object, or with `isCollection` a list or map of objects. */
  readonly nested: readonly { readonly member: string; readonly isCollection: boolean; readonly fields: GroupFields }[];
}

const NO_FIELDS: GroupFields = { direct: [], nested: [] };
const fieldsByType = new Map<string, GroupFields>();

/** The fields of a type, such as `core.v1.Pod`. */
export function groupFieldsOf(type: string): GroupFields {
  let fields = fieldsByType.get(type);
  if (fields === undefined) {
    // Ends the recursion for a type that contains itself.
    fieldsByType.set(type, NO_FIELDS);
    fieldsByType.set(type, (fields = deriveGroupFields(type)));
  }
  return fields;
}

function deriveGroupFields(type: string): GroupFields {
  if (!hasSchema(type)) return NO_FIELDS;
  const nested = schemaOf(type).fields.flatMap((field) => {
    const isCollection = field.type.kind === 'list' || field.type.kind === 'map';
    const inner = innermostObjectType(field.type);
    const fields = inner === undefined ? NO_FIELDS : groupFieldsOf(inner);
    return fields.direct.length + fields.nested.length === 0 ? [] : [{ member: field.name, isCollection, fields }];
  });
  const direct = Object.entries(NAME_FIELDS_BY_TYPE[type] ?? {});
  return direct.length + nested.length === 0 ? NO_FIELDS : { direct, nested };
}

/**
 * Replaces the values with their canonical spelling, in place. Returns whether the object is sensitive to the dialect: it
 * has a group or an API version with two spellings, whether or not one was replaced.
 */
export function canonicalizeGroups(object: JsonObject, fields: GroupFields, names: GeneratedNames): boolean {
  let isDialectSensitive = false;
  respellFields(object, fields, (kind, value) => {
    if (kind === 'namespace') return canonicalNamespace(names, value);
    const canonical = kind === 'group' ? canonicalGroup(value) : canonicalApiVersion(value);
    isDialectSensitive ||= spellInDialect(kind, canonical, 'kubernetes') !== canonical;
    return canonical;
  });
  return isDialectSensitive;
}

/** Respells the group names of a canonical object in place. Namespaces keep their stored spelling. */
export function respellGroups(object: JsonObject, fields: GroupFields, dialect: Dialect): void {
  respellFields(object, fields, (kind, value) => spellInDialect(kind, value, dialect));
}

/** A canonical object with the group names of a dialect: the same object when no name differs, otherwise a copy. */
export function withGroupsOfDialect(object: JsonObject, fields: GroupFields, dialect: Dialect): JsonObject {
  let differs = false;
  respellFields(object, fields, (kind, value) => {
    differs ||= spellInDialect(kind, value, dialect) !== value;
    return value;
  });
  if (!differs) return object;
  const copy = cloneJson(object);
  respellGroups(copy, fields, dialect);
  return copy;
}

/** The spelling of a canonical value in a dialect. */
export function spellInDialect(kind: NameFieldKind, value: string, dialect: Dialect): string {
  switch (kind) {
    case 'apiVersion':
      return apiVersionInDialect(dialect, value);
    case 'group':
      return groupInDialect(dialect, value);
    case 'namespace':
      return value;
  }
}

function respellFields(object: JsonObject, fields: GroupFields, respell: (kind: NameFieldKind, value: string) => string): void {
  for (const [member, kind] of fields.direct) {
    const value = ownMember(object, member);
    if (Array.isArray(value)) {
      const items = value.map((item) => (typeof item === 'string' ? respell(kind, item) : item));
      if (items.some((item, index) => item !== value[index])) object[member] = items;
    }
    if (typeof value !== 'string') continue;
    const respelled = respell(kind, value);
    if (respelled !== value) object[member] = respelled;
  }
  for (const { member, isCollection, fields: inner } of fields.nested) {
    const value = ownMember(object, member);
    if (value === undefined) continue;
    if (isCollection) for (const item of itemsOf(value)) respellIfObject(item, inner, respell);
    else respellIfObject(value, inner, respell);
  }
}

function respellIfObject(value: JsonValue, fields: GroupFields, respell: (kind: NameFieldKind, value: string) => string): void {
  if (isObject(value)) respellFields(value, fields, respell);
}

function itemsOf(value: JsonValue): readonly JsonValue[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? Object.values(value) : [];
}
