/** The frames that the watches with one encoder share, so that they are encoded once. Sending them is left to the watches. */
import type { WatchEventType } from '../../cache/cache';
import type { Encoder } from '../representation/encoder';

const framesByEncoder = new WeakMap<Encoder, SharedFrames>();

/** The shared frames of an encoder; the same object for all its watches. */
export function sharedFramesOf(encoder: Encoder): SharedFrames {
  const known = framesByEncoder.get(encoder);
  if (known !== undefined) return known;
  const created = new SharedFrames(encoder.key);
  framesByEncoder.set(encoder, created);
  return created;
}

/** Shared frames of changes are kept by the changes, under the keys from here; that of the last bookmark is kept here. */
export class SharedFrames {
  /** By type of event, the key of the frame among those of a change. */
  readonly keys: Readonly<Record<WatchEventType, string>>;
  private lastBookmark: { readonly revision: number; readonly chunk: Buffer } | undefined;

  /** `key`: of the encoder. */
  constructor(key: string) {
    this.keys = { ADDED: `A${key}`, MODIFIED: `M${key}`, DELETED: `D${key}` };
  }

  /**
   * The periodic bookmark with a revision; `encode` is called when it is another than that of the last call. Most watches
   * that are due together, often thousands, show the same revision.
   */
  bookmark(revision: number, encode: () => Buffer): Buffer {
    if (this.lastBookmark?.revision !== revision) this.lastBookmark = { revision, chunk: encode() };
    return this.lastBookmark.chunk;
  }
}
