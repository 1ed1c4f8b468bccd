/**
 * How heavy objects are shown: a representation other than the stored JSON is made by parsing the whole object, which a thread does. What it makes is the
 * answer, or goes to the encoding cache, where the encoder of a list finds it. Only what the two sides tell each other stands here.
 */
import type { KindRow } from '../../../shared/api/kinds';
import type { Dialect, NamespaceAlias } from '../../../shared/names/dialect';
import type { Entry } from '../../cache/cache';
import type { Representation } from '../request/negotiation';
import type { Kept } from './encoding-cache';
import type { IncludeObject } from './table-encoder';

/** How the answer to one request spells names. */
export interface AnswerNames {
  readonly dialect: Dialect;
  /** See ResourceRequest. */
  readonly alias: NamespaceAlias | undefined;
}

/** What an encoder is made for. */
export interface EncoderForm {
  readonly row: KindRow;
  readonly wanted: Representation;
  readonly names: AnswerNames;
  readonly include: IncludeObject;
}

/** An answer with one object, or what the encoding cache holds of an item. */
export type ShownHeavy = { readonly body: Buffer } | { readonly kept: ReadonlyMap<string, Kept> };

export interface Showing {
  /** What is not longer is not heavy, whatever it is. */
  readonly limits: { readonly bytes: number };
  /** `bytes` = what of a stored object is looked into. */
  isHeavy(bytes: Uint8Array): boolean;
  /** Rejects with a StatusError when there is no room, or when it takes too much. */
  show(form: EncoderForm, entry: Entry, as: 'item' | 'object'): Promise<ShownHeavy>;
}
