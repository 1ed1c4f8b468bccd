/**
 * The interface for offloading encodings to worker threads. Most representations other than the stored JSON require
 * parsing the object, which takes long for a large one. The result is a response body, or for the item of a list the
 * encodings that are added to the encoding cache, where the encoder of the list finds them.
 */
import type { KindRow } from '../../../shared/api/kinds';
import type { Dialect, NamespaceAlias } from '../../../shared/names/dialect';
import type { Entry } from '../../cache/cache';
import type { Representation } from '../request/negotiation';
import type { CachedEncoding } from './encoding-cache';

/** How names are spelled in the response to one request. */
export interface ResponseNames {
  readonly dialect: Dialect;
  /** Set when the path names a system namespace by its alias, which replaces the stored name in the response. */
  readonly alias: NamespaceAlias | undefined;
}

/** What each row of a Table contains besides its cells. */
export type IncludeObject = 'Metadata' | 'Object' | 'None';

/** What determines an encoder: equal forms have the same one. */
export interface EncoderForm {
  readonly row: KindRow;
  readonly wanted: Representation;
  readonly names: ResponseNames;
  /** What the rows of a Table contain; has no effect on other forms. */
  readonly include: IncludeObject;
}

/** A response body with one object, or the cached encodings of a list item. */
export type OffloadedEncoding = { readonly body: Buffer } | { readonly encodings: ReadonlyMap<string, CachedEncoding> };

/** Encodes long objects in worker threads. */
export interface EncodingOffload {
  /** Objects up to this length are never offloaded. */
  readonly limits: { readonly bytes: number };
  /** Whether parsing `bytes`, a stored object or a part of it, would block the event loop. */
  needsOffload(bytes: Uint8Array): boolean;
  /** Rejects with a StatusError when too many jobs wait, or when the job exceeds its time or memory. */
  encode(form: EncoderForm, entry: Entry, as: 'item' | 'object'): Promise<OffloadedEncoding>;
}
