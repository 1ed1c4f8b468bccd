/** Events of a watch, as the stream's lines tell them. */
import { INITIAL_EVENTS_END } from '../../names/dialect';
import { objectAt, stringAt } from '../../values/json';
import { apiErrorOf, type ApiError } from './api-error';
import { apiObject, MalformedAnswer, type ApiObject } from './api-object';
import type { RawEvent } from './wire-format';

export type WatchEvent =
  | {
      readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
      readonly object: ApiObject;
      /** Length of the event on the wire. */
      readonly bytes: number;
    }
  /** `endsInitialEvents`: what was there at the beginning has been told. */
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string; readonly endsInitialEvents: boolean }
  | { readonly type: 'ERROR'; readonly error: ApiError };

/** Throws {@link MalformedAnswer}. */
export function watchEvent({ event: value, bytes }: RawEvent): WatchEvent {
  const type = stringAt(value, 'type');
  const object = objectAt(value, 'object');
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return { type, object: apiObject(object), bytes };
    case 'BOOKMARK': {
      const metadata = objectAt(object, 'metadata');
      const annotations = objectAt(metadata, 'annotations');
      const endsInitialEvents = Object.values(INITIAL_EVENTS_END).some((name) => stringAt(annotations, name) === 'true');
      return { type, resourceVersion: stringAt(metadata, 'resourceVersion') ?? '', endsInitialEvents };
    }
    case 'ERROR':
      return { type, error: apiErrorOf(500, object, '') };
    default:
      throw new MalformedAnswer(`a watch event has the type ${JSON.stringify(type)}`);
  }
}
