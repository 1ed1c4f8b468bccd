/** Objects as a client holds them: the body as it came, with the few facts of its metadata that everyone reads taken out once. */
import { arrayAt, isObject, objectAt, stringAt, type JsonObject, type JsonValue } from '../../values/json';

export interface ApiObject {
  /** '' for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** The whole object. Shared by everyone who reads it: copy before changing. */
  readonly body: JsonObject;
}

/** An answer is not what its kind promises. */
export class MalformedAnswer extends Error {
  override readonly name = 'MalformedAnswer';
}

/** Throws {@link MalformedAnswer} when the value is no object with a name. */
export function apiObject(value: JsonValue | undefined): ApiObject {
  if (!isObject(value)) throw new MalformedAnswer('the server answered with something that is no object');
  const metadata = objectAt(value, 'metadata');
  const name = stringAt(metadata, 'name');
  if (name === undefined || name === '') throw new MalformedAnswer('the server answered with an object that has no name');
  return {
    namespace: stringAt(metadata, 'namespace') ?? '',
    name,
    uid: stringAt(metadata, 'uid') ?? '',
    resourceVersion: stringAt(metadata, 'resourceVersion') ?? '',
    body: value,
  };
}

/** `namespace/name`, or `name` for cluster-scoped objects: the key in informers and queues. */
export function keyOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

export function isBeingDeleted(object: ApiObject): boolean {
  return stringAt(objectAt(object.body, 'metadata'), 'deletionTimestamp') !== undefined;
}

export function finalizersOf(object: ApiObject): readonly string[] {
  return (arrayAt(objectAt(object.body, 'metadata'), 'finalizers') ?? []).filter((item) => typeof item === 'string');
}
