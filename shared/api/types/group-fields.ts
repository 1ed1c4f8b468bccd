/**
 * The fields whose values name an API group or a namespace, so that their spelling follows the dialect: one table by the types that hold them,
 * from which the fields of every kind are derived. Requests are read with it, and answers written. Never touches what is a user's own words.
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
import { cloneJson, isObject, own, type JsonObject, type JsonValue } from '../../values/json';
import { hasSchema, schemaOf } from '.';
import { innermost } from './tables';

export type Holds = 'apiVersion' | 'group' | 'namespace';

/** By type and member, which is a text or a list of texts. `core.v1.ObjectFieldSelector` is not here: it names a version of the core group, which is spelled alike in both. */
export const HOLDERS: Readonly<Record<string, Readonly<Record<string, Holds>>>> = {
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

/** The members of a type that hold such a value, or that lead to one. */
export interface GroupFields {
  readonly here: readonly (readonly [member: string, holds: Holds])[];
  /** Members that are an object, or a list or map of objects. */
  readonly below: readonly { readonly member: string; readonly many: boolean; readonly fields: GroupFields }[];
}

const NOTHING: GroupFields = { here: [], below: [] };
const known = new Map<string, GroupFields>();

/** The fields of a type such as `core.v1.Pod`. */
export function groupFieldsOf(type: string): GroupFields {
  let fields = known.get(type);
  if (fields === undefined) {
    // A type that holds itself ends here.
    known.set(type, NOTHING);
    known.set(type, (fields = derive(type)));
  }
  return fields;
}

function derive(type: string): GroupFields {
  if (!hasSchema(type)) return NOTHING;
  const below = schemaOf(type).fields.flatMap((field) => {
    const many = field.type.kind === 'list' || field.type.kind === 'map';
    const inner = innermost(field.type);
    const fields = inner === undefined ? NOTHING : groupFieldsOf(inner);
    return fields.here.length + fields.below.length === 0 ? [] : [{ member: field.name, many, fields }];
  });
  const here = Object.entries(HOLDERS[type] ?? {});
  return here.length + below.length === 0 ? NOTHING : { here, below };
}

/** Respells the fields of a decoded object in place. Returns whether some value has another spelling in the other dialect. */
export function canonicalizeGroups(object: JsonObject, fields: GroupFields, names: GeneratedNames): boolean {
  let sensitive = false;
  visit(object, fields, (holds, value) => {
    if (holds === 'namespace') return canonicalNamespace(names, value);
    const canonical = holds === 'group' ? canonicalGroup(value) : canonicalApiVersion(value);
    sensitive ||= spelled(holds, canonical, 'kubernetes') !== canonical;
    return canonical;
  });
  return sensitive;
}

/** Respells the group names of a canonical object in place. Namespaces stay as they are stored. */
export function spellGroups(object: JsonObject, fields: GroupFields, dialect: Dialect): void {
  visit(object, fields, (holds, value) => spelled(holds, value, dialect));
}

/** A canonical object as a dialect spells its group names: the same one where that changes nothing, and a copy otherwise. */
export function inSpelling(object: JsonObject, fields: GroupFields, dialect: Dialect): JsonObject {
  let differs = false;
  visit(object, fields, (holds, value) => {
    differs ||= spelled(holds, value, dialect) !== value;
    return value;
  });
  if (!differs) return object;
  const copy = cloneJson(object);
  spellGroups(copy, fields, dialect);
  return copy;
}

/** What a canonical text of such a member is called. */
export function spelled(holds: Holds, value: string, dialect: Dialect): string {
  switch (holds) {
    case 'apiVersion':
      return apiVersionInDialect(dialect, value);
    case 'group':
      return groupInDialect(dialect, value);
    case 'namespace':
      return value;
  }
}

function visit(object: JsonObject, fields: GroupFields, respell: (holds: Holds, value: string) => string): void {
  for (const [member, holds] of fields.here) {
    const value = own(object, member);
    if (Array.isArray(value)) {
      const items = value.map((item) => (typeof item === 'string' ? respell(holds, item) : item));
      if (items.some((item, index) => item !== value[index])) object[member] = items;
    }
    if (typeof value !== 'string') continue;
    const respelled = respell(holds, value);
    if (respelled !== value) object[member] = respelled;
  }
  for (const { member, many, fields: inner } of fields.below) {
    const value = own(object, member);
    if (value === undefined) continue;
    if (many) for (const item of itemsOf(value)) visitAny(item, inner, respell);
    else visitAny(value, inner, respell);
  }
}

function visitAny(value: JsonValue, fields: GroupFields, respell: (holds: Holds, value: string) => string): void {
  if (isObject(value)) visit(value, fields, respell);
}

function itemsOf(value: JsonValue): readonly JsonValue[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? Object.values(value) : [];
}
