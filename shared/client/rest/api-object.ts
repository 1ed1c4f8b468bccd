/**
 * Objects on the client side: the body as sent by the server, with frequently used metadata beside it. Objects are
 * shared by informers and must not be modified.
 */
import type { MetaV1ObjectMeta } from '../../api/types/generated/members';
import { isObject, objectAt, stringAt, type JsonObject, type JsonValue } from '../../values/json';
import { isBodyOf, type Resource } from './resource';

/** One object at one resource version. */
export interface ApiObject<Body extends JsonObject = JsonObject> {
  /** `''` for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly metadata: MetaV1ObjectMeta;
  /** The whole object, shared by all readers: copy it before a change. */
  readonly body: Body;
}

/** The response does not have the expected form. `name` is in logged messages, which is why it keeps an earlier spelling. */
export class MalformedResponse extends Error {
  override readonly name = 'MalformedAnswer';
}

/** Parses an object of a response. Throws {@link MalformedResponse} for anything but an object with a name. */
export function parseApiObject<Body extends JsonObject>(resource: Resource<Body>, value: JsonValue | undefined): ApiObject<Body> {
  if (!isBodyOf(resource, value)) throw new MalformedResponse('the response of the server is not an object');
  return apiObject(value);
}

/** The object with this body. Throws {@link MalformedResponse} when the body has no name. */
export function apiObject<Body extends JsonObject>(body: Body): ApiObject<Body> {
  const metadata = objectAt(body, 'metadata');
  const name = stringAt(metadata, 'name');
  if (!isMetadata(metadata) || name === undefined || name === '') {
    throw new MalformedResponse('the response of the server is an object without a name');
  }
  return {
    namespace: stringAt(metadata, 'namespace') ?? '',
    name,
    uid: stringAt(metadata, 'uid') ?? '',
    resourceVersion: stringAt(metadata, 'resourceVersion') ?? '',
    metadata,
    body,
  };
}

/** Checks only that the metadata is an object, as {@link isBodyOf} does. All kinds have the same type of metadata. */
const isMetadata = (value: JsonValue | undefined): value is MetaV1ObjectMeta => isObject(value);

/** The namespace that a body names; `''` when it names none. */
export function namespaceOf(body: JsonObject): string {
  return stringAt(objectAt(body, 'metadata'), 'namespace') ?? '';
}

/** `namespace/name`, or `name` for cluster-scoped objects: the key in informers and queues. */
export function keyOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

/** Whether the object is marked for deletion. */
export function isBeingDeleted({ metadata }: Pick<ApiObject, 'metadata'>): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** The RFC 3339 text, which sorts as the times do; empty when the object has none. */
export function creationTimestampOf({ metadata }: Pick<ApiObject, 'metadata'>): string {
  return metadata.creationTimestamp ?? '';
}

/** The finalizers of the object; empty when it has none. */
export function finalizersOf({ metadata }: Pick<ApiObject, 'metadata'>): readonly string[] {
  return metadata.finalizers ?? [];
}

/** `metadata.generation`; 0 for kinds without generations. */
export function generationOf({ metadata }: Pick<ApiObject, 'metadata'>): number {
  return Number(metadata.generation ?? 0);
}
