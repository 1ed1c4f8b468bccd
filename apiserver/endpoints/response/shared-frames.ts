/** The frames that the watches with one encoder share, so that they are encoded once. Sending them is left to the watches. */
import type { WatchEventType } from '../../cache/cache';
import type { Encoder } from '../representation/encoder';

const framesByEncoder = new WeakMap<Encoder, SharedFrames>();

/** The shared frames of an encoder; the same object for all its watches. */
export function sharedFramesOf(encoder: Encoder): SharedFrames {
  const existing = framesByEncoder.get(encoder);
  if (existing !== undefined) return existing;
  const created = new SharedFrames(encoder.key);
  framesByEncoder.set(encoder, created);
  return created;
}

/** Holds the frame of the last bookmark. The frames of a change are held by the change itself, under {@link keys}. */
export class SharedFrames {
  /** The key of the frame in `Change.frames`, by type of event. */
  readonly keys: Readonly<Record<WatchEventType, string>>;
  private lastBookmark: { readonly revision: number; readonly chunk: Buffer } | undefined;

  /** `key` is that of the encoder. */
  constructor(key: string) {
    this.keys = { ADDED: `A${key}`, MODIFIED: `M${key}`, DELETED: `D${key}` };
  }

  /**
   * The periodic bookmark with a revision. `encode` is called only when the revision is another than that of the last
   * call: most watches that are due together, often thousands, show the same revision.
   */
  bookmark(revision: number, encode: () => Buffer): Buffer {
    if (this.lastBookmark?.revision !== revision) this.lastBookmark = { revision, chunk: encode() };
    return this.lastBookmark.chunk;
  }
}
