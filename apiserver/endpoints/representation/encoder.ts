/**
 * The interface of encoders. An encoder encodes the objects of one kind in one representation, as single objects, lists
 * and watch events. Implementations are json-encoder.ts, table-encoder.ts, protobuf-encoder.ts and yaml-encoder.ts;
 * encoders.ts selects one. Encoders are stateless and shared by all requests.
 */
import type { Status } from '../../../shared/api/errors/status';
import type { Entry, WatchEventType } from '../../cache/cache';
import type { ResponsePage } from '../../registry/verbs';
import type { ByteSink } from './byte-sink';
import type { CachePolicy } from './encoding-cache';

/** The types of frames besides ERROR, which {@link Encoder.errorFrame} encodes. */
export type EventType = WatchEventType | 'BOOKMARK';

/** Whether a frame is the first one of its stream: the columns of a Table are sent only there. */
export type FramePosition = 'first' | 'later';

/** Encodes the objects of one kind. Results are shared and must not be modified. */
export interface Encoder {
  /** Unique for each encoding of frames; the key under which frames are shared. */
  readonly key: string;
  /** The media type of the response, without the parameter `stream=watch` of watches. */
  readonly contentType: string;
  /** The response body of one object, with its own revision. The policy applies to the encodings that it consists of. */
  object(entry: Entry, policy: CachePolicy): Buffer;
  /** Starts the encoding of a list. Only the metadata of `page` is read; the caller passes the items to the result. */
  list(page: ResponsePage): ListEncoder;
  /**
   * One complete watch frame. `revision` is the resource version to show: that of the change for DELETED, otherwise
   * the entry's.
   */
  frame(type: EventType, entry: Entry, revision: number, position: FramePosition): Buffer;
  /** Whether the first frame of a stream differs from later ones, so that it is not shared. */
  readonly hasDistinctFirstFrame: boolean;
  /** The frame of an ERROR event, after which a watch ends. */
  errorFrame(status: Status): Buffer;
}

/** Writes one list: `start` is called once, then `item` for every entry in order, then `end` once. */
export interface ListEncoder {
  /** Present when the list begins with its length: called for every entry, in order, before `start`. */
  readonly measure?: (entry: Entry) => void;
  /** Writes the beginning of the list, with its metadata where that comes first. */
  start(sink: ByteSink): void;
  /** Writes one item, with its separator. */
  item(sink: ByteSink, entry: Entry): void;
  /** Writes the end of the list. The sink is completed by the caller. */
  end(sink: ByteSink): void;
}

/** Maximum number of items of one list that are added to the cache; more would displace the encodings that watches share. */
const MAX_CACHED_ITEMS = 1000;

/** The policy for an item of a list, by its position from 1: the first items are added to the encoding cache. */
export const itemCachePolicy = (position: number): CachePolicy => (position <= MAX_CACHED_ITEMS ? 'cached' : 'uncached');

/** `{"resourceVersion":"12","continue":"…","remainingItemCount":3}` */
export function listMetadata(page: ResponsePage): string {
  const { continue: next = '' } = page;
  const token = next === '' ? '' : `,"continue":${JSON.stringify(next)}`;
  const remaining = page.remainingItemCount === undefined ? '' : `,"remainingItemCount":${page.remainingItemCount}`;
  return page.revision === undefined ? '{}' : `{"resourceVersion":"${page.revision}"${token}${remaining}}`;
}

/** List metadata for custom objects: sorted by name, and with an empty `continue` on the last page. */
export function sortedListMetadata({ continue: next = '', remainingItemCount, revision }: ResponsePage): string {
  const remaining = remainingItemCount === undefined ? '' : `,"remainingItemCount":${remainingItemCount}`;
  return revision === undefined ? '{}' : `{"continue":${JSON.stringify(next)}${remaining},"resourceVersion":"${revision}"}`;
}
