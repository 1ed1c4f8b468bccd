/**
 * Parses the decoded events of a watch into objects, bookmarks and errors. Splitting and decoding the stream is in
 * wire-format.ts.
 */
import { INITIAL_EVENTS_END } from '../../names/dialect';
import { objectAt, stringAt, type JsonObject } from '../../values/json';
import { createApiError, type ApiError } from './api-error';
import { MalformedResponse, parseApiObject, type ApiObject } from './api-object';
import type { Resource } from './resource';
import type { RawEvent } from './wire-format';

/** An event of a watch. */
export type WatchEvent<Body extends JsonObject = JsonObject> =
  | {
      readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
      readonly object: ApiObject<Body>;
      /** Length of the event on the wire. */
      readonly bytes: number;
    }
  | {
      readonly type: 'BOOKMARK';
      /** `''` when the bookmark has none. */
      readonly resourceVersion: string;
      /** Whether all objects of a streaming list, which existed when the watch started, have been sent. */
      readonly endsInitialEvents: boolean;
    }
  | { readonly type: 'ERROR'; readonly error: ApiError };

/** Parses a decoded event. Throws {@link MalformedResponse} for an unknown type or an invalid object. */
export function parseWatchEvent<Body extends JsonObject>(resource: Resource<Body>, { event: value, bytes }: RawEvent): WatchEvent<Body> {
  const type = stringAt(value, 'type');
  const object = objectAt(value, 'object');
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return { type, object: parseApiObject(resource, object), bytes };
    case 'BOOKMARK': {
      const metadata = objectAt(object, 'metadata');
      const annotations = objectAt(metadata, 'annotations');
      const endsInitialEvents = Object.values(INITIAL_EVENTS_END).some((name) => stringAt(annotations, name) === 'true');
      return { type, resourceVersion: stringAt(metadata, 'resourceVersion') ?? '', endsInitialEvents };
    }
    case 'ERROR':
      return { type, error: createApiError(500, object, '') };
    default:
      throw new MalformedResponse(`a watch event has the type ${JSON.stringify(type)}`);
  }
}
