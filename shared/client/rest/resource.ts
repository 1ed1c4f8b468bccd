/** Resources as clients address them, from the table of kinds or from discovery. */
import { OPTIONAL_KINDS, SERVED_KINDS } from '../../api/kinds';
import type { ClusterScopedTypes, MetaV1ObjectMeta, ObjectTypes } from '../../api/types/generated/members';
import { groupInDialect, type Dialect } from '../../names/dialect';
import { isObject, type JsonObject, type JsonValue } from '../../values/json';

/**
 * `Body` is the type of the objects, `Namespaced` the scope where the compiler knows it. Resources known only from
 * discovery have untyped objects and a scope that is known at run time.
 */
export interface Resource<Body extends JsonObject = JsonObject, Namespaced extends boolean = boolean> {
  /** In canonical spelling. */
  readonly group: string;
  readonly version: string;
  /** The plural in URLs. */
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: Namespaced;
  /** Objects are requested as PartialObjectMetadata. */
  readonly metadataOnly?: true;
  /** Carries `Body` for the compiler. Never set. */
  readonly body?: Body;
}

/** The body of an object that was requested as PartialObjectMetadata. */
export type PartialObjectMetadata = {
  apiVersion?: string;
  kind?: string;
  metadata?: MetaV1ObjectMeta;
};

/** The resource of a built-in kind. */
export type BuiltInResource<Type extends keyof ObjectTypes> = Resource<ObjectTypes[Type], Type extends ClusterScopedTypes ? false : true>;

/**
 * The resource of a kind by type name, such as `apps.v1.Deployment`, whether it is served by default or has to be
 * enabled. Throws for a type without a resource.
 */
export function resourceOf<Type extends keyof ObjectTypes>(type: Type): BuiltInResource<Type> {
  const row = [...SERVED_KINDS, ...OPTIONAL_KINDS].find((candidate) => candidate.type === type && candidate.resource !== '');
  if (row === undefined) throw new Error(`no resource serves ${type}`);
  const { group, version, resource, kind, namespaced } = row;
  const address: Resource = { group, version, resource, kind, namespaced };
  if (!isResourceOfType(address, type)) throw new Error(`the table of kinds has another kind for ${type}`);
  return address;
}

/** The types are generated from the same table of kinds as the row. */
function isResourceOfType<Type extends keyof ObjectTypes>(resource: Resource, type: Type): resource is BuiltInResource<Type> {
  return type.endsWith(`.${resource.kind}`);
}

/** The same resource, requested as PartialObjectMetadata. */
export const metadataOf = <Namespaced extends boolean>(
  resource: Resource<JsonObject, Namespaced>,
): Resource<PartialObjectMetadata, Namespaced> => {
  const { body: _, ...address } = resource;
  return { ...address, metadataOnly: true };
};

/** Checks only that the value is an object; the server is trusted to send objects of the resource's type. */
export function isBodyOf<Body extends JsonObject>(_: Resource<Body>, value: JsonValue | undefined): value is Body {
  return isObject(value);
}

/** Namespace, name and subresource of an object, or the namespace of a collection. */
export interface ResourceLocation {
  /** Absent for all namespaces and for cluster-scoped resources. */
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

/** The URL path in the dialect's spelling, without a query. */
export function resourcePath(resource: Resource, dialect: Dialect, { namespace, name, subresource }: ResourceLocation): string {
  const root = resource.group === '' ? `/api/${resource.version}` : `/apis/${groupInDialect(dialect, resource.group)}/${resource.version}`;
  const parts = [
    ...(namespace === undefined || namespace === '' || !resource.namespaced ? [] : ['namespaces', namespace]),
    resource.resource,
    ...(name === undefined ? [] : [name]),
    ...(subresource === undefined ? [] : [subresource]),
  ];
  return `${root}/${parts.map(encodeURIComponent).join('/')}`;
}
