/**
 * The entries that the index and the event window hold: many share a slab, and `bytes` creates a view on demand. A
 * Buffer per object would cost some 650 bytes besides its content and fragment the allocator's memory (measured: 112,000
 * objects of 1.5 KB updated twice took 445 MB).
 */
import { deflateRaw, inflateRawSync } from 'node:zlib';
import type { Revision } from '../../storage/store';
import type { Entry, Labels } from '../cache';
import { Deque } from '../../../shared/runtime/deque';
import { splicedLength, spliceInto, type StoredValue } from './stored-value';

/** Slightly below 128 KiB: together with the allocator's header it fills whole pages. */
const SLAB_BYTES = 128 * 1024 - 64;
/** Larger entries have a slab of their own. */
export const MAX_SHARED_ENTRY_BYTES = 16 * 1024;
/** Limit of the bytes that wait for compression; entries that are superseded meanwhile stay uncompressed. */
const MAX_PENDING_BYTES = 64 * 1024 * 1024;
/**
 * A full slab is evacuated when a smaller share of it is live. At 0.8, evacuations copy four live bytes for each byte
 * that they free, and a tenth of the memory is dead on average.
 */
const MIN_LIVE_SHARE = 0.8;

/** Compresses asynchronously; calls `done` with `undefined` on failure. */
export type CompressBytes = (bytes: Buffer, done: (compressed: Buffer | undefined) => void) => void;

/** zlib's fastest level: superseded entries are read rarely and dropped within minutes. */
const FASTEST = { level: 1 } as const;

const deflate: CompressBytes = (bytes, done) =>
  deflateRaw(bytes, FASTEST, (error, compressed) => done(error === null ? copyBytes(compressed) : undefined));

/** Copies the result: zlib's output buffer is larger than its content. */
function copyBytes(view: Buffer): Buffer {
  const bytes = Buffer.allocUnsafeSlow(view.length);
  view.copy(bytes);
  return bytes;
}

/** A block of memory, filled once from its beginning. */
class Slab {
  /** The entries that were put here; some have been moved or compressed since. Empty for compressed content. */
  readonly entries: SlabEntry[] = [];
  /** Bytes that have been reserved. */
  usedBytes = 0;
  /** Reserved bytes of entries that are referenced; `Infinity` after an evacuation, not counted for compressed content. */
  liveBytes = 0;

  constructor(
    readonly bytes: Buffer,
    /** Whether `bytes` is the compressed content of one large entry. */
    readonly isCompressed: boolean,
  ) {}

  /** Reserves the next `length` bytes; returns their offset. */
  reserve(length: number): number {
    const offset = this.usedBytes;
    this.usedBytes += length;
    this.liveBytes += length;
    return offset;
  }
}

/**
 * An entry in a slab. Its position in memory changes when the slab is evacuated or the entry is compressed; its bytes do
 * not. The constructor is positional, because an entry is created for every event.
 */
export class SlabEntry implements Entry {
  /** Whether the index or the event window still refers to the entry. */
  isReferenced = true;

  constructor(
    readonly key: string,
    readonly revision: Revision,
    readonly labels: Labels,
    readonly fields: Labels,
    readonly isDialectSensitive: boolean,
    public slab: Slab,
    public offset: number,
    readonly length: number,
  ) {}

  get isCompressed(): boolean {
    return this.slab.isCompressed;
  }

  get bytes(): Buffer {
    if (this.isCompressed) return inflateRawSync(this.slab.bytes, { chunkSize: this.length + 1 });
    return this.slab.bytes.subarray(this.offset, this.offset + this.length);
  }
}

/** The number of bytes of an entry, without creating a view. */
export function entrySize(entry: Entry): number {
  return entry instanceof SlabEntry ? entry.length : entry.bytes.length;
}

/** The members of an entry besides its bytes. */
export interface EntryMetadata {
  readonly key: string;
  readonly revision: Revision;
  readonly labels: Labels;
  readonly fields: Labels;
}

const createSlab = (size: number): Slab => new Slab(Buffer.allocUnsafeSlow(size), false);

/**
 * The slabs of one cache. `release` must be called for every allocated entry when neither the index nor the window
 * refers to it any longer.
 *
 * A slab is never reused, because views of it may be on their way to a client: when too little of it is live, the live
 * entries are moved and the slab is left to the garbage collector. A large entry has a slab of its own; once it is
 * superseded, its bytes are compressed on libuv's thread pool and decompressed on access.
 */
export class SlabAllocator {
  private current: Slab | undefined;
  private slabCount = 0;
  /** Entries to be compressed, one after the other. */
  private readonly compressionQueue = new Deque<SlabEntry>();
  private pendingBytes = 0;
  private isCompressing = false;

  constructor(private readonly compress: CompressBytes = deflate) {}

  /** Number of slabs in use; for tests. */
  get count(): number {
    return this.slabCount;
  }

  /** Copies the value into a slab; the entry does not keep it. */
  allocate(metadata: EntryMetadata, value: StoredValue): SlabEntry {
    const length = splicedLength(value, metadata.revision);
    const slab = this.slabFor(length);
    const offset = slab.reserve(length);
    spliceInto(slab.bytes, offset, value, metadata.revision);
    const entry = new SlabEntry(
      metadata.key,
      metadata.revision,
      metadata.labels,
      metadata.fields,
      value.isDialectSensitive,
      slab,
      offset,
      length,
    );
    slab.entries.push(entry);
    return entry;
  }

  /** Frees the memory of an entry. Existing readers can still read it. Ignores an entry that was released before. */
  release(entry: Entry | undefined): void {
    if (!(entry instanceof SlabEntry) || !entry.isReferenced) return;
    entry.isReferenced = false;
    const { slab } = entry;
    slab.liveBytes -= entry.length;
    if (slab === this.current || slab.liveBytes >= slab.usedBytes * MIN_LIVE_SHARE) return;
    this.evacuate(slab);
  }

  /**
   * Called when the object has changed or was deleted: only the event window refers to this entry now. A large entry is
   * then compressed, unless too many bytes wait for that.
   */
  markSuperseded(entry: Entry | undefined): void {
    if (!(entry instanceof SlabEntry) || entry.length <= MAX_SHARED_ENTRY_BYTES || this.pendingBytes > MAX_PENDING_BYTES) return;
    this.pendingBytes += entry.length;
    this.compressionQueue.push(entry);
    if (!this.isCompressing) this.compressNext();
  }

  private compressNext(): void {
    const entry = this.nextToCompress();
    this.isCompressing = entry !== undefined;
    if (entry === undefined) return;
    this.compress(entry.bytes, (compressed) => {
      if (compressed !== undefined && entry.isReferenced) this.useCompressed(entry, compressed);
      this.compressNext();
    });
  }

  private nextToCompress(): SlabEntry | undefined {
    for (let entry = this.compressionQueue.shift(); entry !== undefined; entry = this.compressionQueue.shift()) {
      this.pendingBytes -= entry.length;
      if (entry.isReferenced && !entry.isCompressed) return entry;
    }
    return undefined;
  }

  /** Existing views keep the old buffer. The new slab takes the place of the old one in `count`. */
  private useCompressed(entry: SlabEntry, compressed: Buffer): void {
    entry.slab = new Slab(compressed, true);
    entry.offset = 0;
  }

  /** Moves the live entries, if there are any, to other slabs, and gives the slab up. */
  private evacuate(slab: Slab): void {
    for (const entry of slab.entries) {
      if (entry.isReferenced && entry.slab === slab) this.moveEntry(entry);
    }
    slab.entries.length = 0;
    // `release` compares this with a share of the used bytes: a slab that was evacuated is never evacuated again.
    slab.liveBytes = Infinity;
    this.slabCount -= 1;
  }

  private moveEntry(entry: SlabEntry): void {
    const slab = this.slabFor(entry.length);
    const offset = slab.reserve(entry.length);
    entry.slab.bytes.copy(slab.bytes, offset, entry.offset, entry.offset + entry.length);
    entry.slab = slab;
    entry.offset = offset;
    slab.entries.push(entry);
  }

  /** The slab with room for an entry of this length: the current one, a new one, or one of its own. */
  private slabFor(length: number): Slab {
    if (length > MAX_SHARED_ENTRY_BYTES) {
      this.slabCount += 1;
      return createSlab(length);
    }
    const full = this.current;
    if (full !== undefined && full.usedBytes + length <= SLAB_BYTES) return full;
    const next = createSlab(SLAB_BYTES);
    this.current = next;
    this.slabCount += 1;
    if (full !== undefined && full.liveBytes < full.usedBytes * MIN_LIVE_SHARE) this.evacuate(full);
    // The entries that were moved may have filled the new slab, or another one after it.
    return this.current === next && next.usedBytes + length <= SLAB_BYTES ? next : this.slabFor(length);
  }
}
