/**
 * How objects of one kind are written in one representation: single objects, lists, watch events. Implementations: json-encoder.ts,
 * table-encoder.ts, protobuf-encoder.ts, yaml-encoder.ts; chosen in encoders.ts. An encoder is stateless and shared by all requests.
 */
import type { Status } from '../../../shared/api/errors/status';
import type { Entry, WatchEventType } from '../../cache/cache';
import type { ShownPage } from '../../registry/verbs';
import type { ByteSink } from './byte-sink';

export type EventType = WatchEventType | 'BOOKMARK';

export interface Encoder {
  /** Different for any two encoders whose frames differ; the key of shared frames. */
  readonly key: string;
  readonly contentType: string;
  /** The body of an answer with one object, shown with its own revision. */
  object(entry: Entry): Buffer;
  list(page: ShownPage): ListEncoder;
  /**
   * One complete watch frame. `revision` is shown as the object's resource version. `first` = the stream has carried no frame yet
   * (a Table's columns are sent once).
   */
  frame(type: EventType, entry: Entry, revision: number, first: boolean): Buffer;
  /** Whether a first frame differs from the later ones. */
  readonly firstDiffers: boolean;
  errorFrame(status: Status): Buffer;
}

/** Writes one list. `start` and `end` are called once, `item` for every entry between them, in order. */
export interface ListEncoder {
  /** Where the start tells how long the rest is: called for every entry, in order, before `start`. */
  readonly measure?: (entry: Entry) => void;
  start(sink: ByteSink): void;
  item(sink: ByteSink, entry: Entry): void;
  end(sink: ByteSink): void;
}

/** Beyond so many items a list leaves no traces in the encoding cache. */
export const MAX_KEPT_ITEMS = 1000;

/** `{"resourceVersion":"12","continue":"…","remainingItemCount":3}` */
export function listMetadata(page: ShownPage): string {
  const { continue: next = '' } = page;
  const token = next === '' ? '' : `,"continue":${JSON.stringify(next)}`;
  const remaining = page.remainingItemCount === undefined ? '' : `,"remainingItemCount":${page.remainingItemCount}`;
  return page.revision === undefined ? '{}' : `{"resourceVersion":"${page.revision}"${token}${remaining}}`;
}

/** List metadata for custom objects: sorted by name, and with an empty `continue` on the last page. */
export function sortedListMetadata({ continue: next = '', remainingItemCount, revision }: ShownPage): string {
  const remaining = remainingItemCount === undefined ? '' : `,"remainingItemCount":${remainingItemCount}`;
  return revision === undefined ? '{}' : `{"continue":${JSON.stringify(next)}${remaining},"resourceVersion":"${revision}"}`;
}
