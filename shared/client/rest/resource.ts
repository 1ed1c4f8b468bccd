/**
 * Resources as clients address them: those of built-in kinds from the table of kinds (shared/api/kinds), others from
 * discovery.ts.
 */
import { OPTIONAL_KINDS, SERVED_KINDS } from '../../api/kinds';
import type { ClusterScopedTypes, MetaV1ObjectMeta, ObjectTypes } from '../../api/types/generated/members';
import { groupInDialect, type Dialect } from '../../names/dialect';
import { isObject, type JsonObject, type JsonValue } from '../../values/json';

/**
 * A resource of the API. `Body` is the type of its objects and `Namespaced` its scope, where the compiler knows them. For
 * a resource from discovery it does not, so its objects are plain JSON and its scope is read at run time.
 */
export interface Resource<Body extends JsonObject = JsonObject, Namespaced extends boolean = boolean> {
  /** In canonical spelling. */
  readonly group: string;
  readonly version: string;
  /** The plural in URLs. */
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: Namespaced;
  /** Set when objects are requested as PartialObjectMetadata. */
  readonly metadataOnly?: true;
  /** Not set. It exists so that the compiler distinguishes resources by `Body`. */
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

/** Narrows the type of a resource by its kind. The types are generated from the same table of kinds as `resource`. */
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

/**
 * Narrows a value of a response to the type of the resource's objects. Checks only that it is an object; the server is
 * trusted to send objects of that type.
 */
export function isBodyOf<Body extends JsonObject>(_: Resource<Body>, value: JsonValue | undefined): value is Body {
  return isObject(value);
}

/** Namespace, name and subresource of an object, or the namespace of a collection. */
export interface ResourceLocation {
  /** Absent or `''` for all namespaces and for cluster-scoped resources. */
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

/** The URL path, without a query. The group is spelled in the dialect (shared/names/dialect.ts). */
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
