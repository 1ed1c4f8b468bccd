/** Resources as clients address them, from the table of kinds or from discovery. */
import { SERVED_KINDS } from '../../api/kinds';
import type { MetaV1ObjectMeta, ObjectTypes } from '../../api/types/generated/members';
import { groupInDialect, type Dialect } from '../../names/dialect';
import { isObject, type JsonObject, type JsonValue } from '../../values/json';

/** `Body` is the type of the objects. Resources known only from discovery have untyped objects. */
export interface Resource<Body extends JsonObject = JsonObject> {
  /** In canonical spelling. */
  readonly group: string;
  readonly version: string;
  /** The plural in URLs. */
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
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

/** The resource of a served kind by type name, such as `apps.v1.Deployment`. Throws for a type without a resource. */
export function resourceOf<Type extends keyof ObjectTypes>(type: Type): Resource<ObjectTypes[Type]> {
  const row = SERVED_KINDS.find((candidate) => candidate.type === type && candidate.resource !== '');
  if (row === undefined) throw new Error(`no resource serves ${type}`);
  const { group, version, resource, kind, namespaced } = row;
  return { group, version, resource, kind, namespaced };
}

/** The same resource, requested as PartialObjectMetadata. */
export const metadataOf = (resource: Resource): Resource<PartialObjectMetadata> => {
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
