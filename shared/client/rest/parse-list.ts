/**
 * Parses a list response: its items, its resource version, from which a watch can start, and the token of the next page.
 * Reading further pages is left to the callers.
 */
import { arrayAt, isObject, objectAt, ownMember, stringAt, type JsonObject, type JsonValue } from '../../values/json';
import { MalformedResponse, parseApiObject } from './api-object';
import type { ObjectList } from './request-options';
import type { Resource } from './resource';

/**
 * Throws {@link MalformedResponse} for anything but a list with a resource version. `bytes` is the length of the
 * response body.
 */
export function parseList<Body extends JsonObject>(resource: Resource<Body>, value: JsonValue, bytes: number): ObjectList<Body> {
  if (!isObject(value)) throw new MalformedResponse(`the list of ${resource.resource} is no object`);
  const metadata = objectAt(value, 'metadata');
  const resourceVersion = stringAt(metadata, 'resourceVersion');
  if (resourceVersion === undefined) throw new MalformedResponse(`the list of ${resource.resource} has no resourceVersion`);
  const token = stringAt(metadata, 'continue');
  // A server in Go may encode an empty list as `items: null`.
  const items = ownMember(value, 'items') === null ? [] : (arrayAt(value, 'items') ?? []);
  return {
    resourceVersion,
    continue: token === '' ? undefined : token,
    items: items.map((item) => parseApiObject(resource, item)),
    bytes,
  };
}
