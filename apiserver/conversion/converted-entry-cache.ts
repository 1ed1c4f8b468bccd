/**
 * A size-limited cache of converted objects. The bytes of many objects share a slab of memory, which is freed only as a
 * whole, so the objects of a slab are evicted together.
 */
import type { Entry, Labels } from '../cache/cache';

/** A slab of memory and the cache keys of its objects. */
export class Slab {
  readonly keys: string[] = [];
  private used = 0;

  constructor(readonly bytes: Buffer) {}

  /** Whether `length` more bytes can be allocated. */
  hasRoom(length: number): boolean {
    return this.used + length <= this.bytes.length;
  }

  /** Returns the offset of the allocated bytes. */
  allocate(length: number): number {
    const start = this.used;
    this.used += length;
    return start;
  }
}

/** An entry in another version than the stored one; its bytes are part of `slab`. */
export class ConvertedEntry implements Entry {
  readonly key: string;
  readonly revision: number;
  readonly isDialectSensitive: boolean;

  constructor(
    { key, revision, isDialectSensitive }: Pick<Entry, 'key' | 'revision' | 'isDialectSensitive'>,
    readonly labels: Labels,
    readonly fields: Labels,
    readonly bytes: Buffer,
    readonly slab: Slab,
  ) {
    this.key = key;
    this.revision = revision;
    this.isDialectSensitive = isDialectSensitive;
  }
}

/** Size of a slab for several converted entries. A slab is smaller when fewer bytes are expected to follow. */
const SLAB_BYTES = 64 * 1024;

/** Allocates the objects of one call on as few slabs as possible. */
export class EntrySlabAllocator {
  private slab = new Slab(Buffer.alloc(0));

  /** `expected` is the number of objects that are still to be stored. */
  constructor(private expected: number) {}

  /** Stores an object that consists of the first `headEnd` bytes of `head`, followed by a text. */
  store(head: Buffer, headEnd: number, text: string): { readonly bytes: Buffer; readonly slab: Slab } {
    const length = headEnd + Buffer.byteLength(text);
    const slab = this.slabFor(length);
    const start = slab.allocate(length);
    if (headEnd > 0) slab.bytes.set(headEnd === head.length ? head : head.subarray(0, headEnd), start);
    slab.bytes.write(text, start + headEnd);
    return { bytes: slab.bytes.subarray(start, start + length), slab };
  }

  private slabFor(length: number): Slab {
    const { expected, slab } = this;
    this.expected = Math.max(1, expected - 1);
    if (slab.hasRoom(length)) return slab;
    this.slab = new Slab(Buffer.allocUnsafeSlow(Math.max(length, Math.min(SLAB_BYTES, length * expected))));
    return this.slab;
  }
}

/** Memory of an entry besides its bytes. */
const ENTRY_BYTES = 512;

/** The cache: converted entries by key. Bounded by the bytes of slabs; the least recently used slab is evicted. */
export class ConvertedEntryCache {
  private readonly entries = new Map<string, ConvertedEntry>();
  /** In the order of their last use, most recent last. */
  private readonly slabs = new Set<Slab>();
  /** The slab that was used last, which need not be marked again. */
  private newest: Slab | undefined;
  /** Total of the slabs and {@link ENTRY_BYTES} for each entry. */
  private bytes = 0;

  constructor(private readonly maxBytes: number) {}

  /** Also marks the slab of the entry as used. */
  get(key: string): ConvertedEntry | undefined {
    const entry = this.entries.get(key);
    if (entry !== undefined && entry.slab !== this.newest) this.markUsed(entry.slab);
    return entry;
  }

  /** Adds an entry, and evicts the least recently used slabs while the limit is exceeded. */
  set(key: string, entry: ConvertedEntry): void {
    const { slab } = entry;
    if (!this.slabs.has(slab)) this.bytes += slab.bytes.length;
    if (slab !== this.newest) this.markUsed(slab);
    slab.keys.push(key);
    this.entries.set(key, entry);
    this.bytes += ENTRY_BYTES;
    for (const oldest of this.slabs) {
      if (this.bytes <= this.maxBytes) break;
      this.evict(oldest);
    }
  }

  private markUsed(slab: Slab): void {
    this.slabs.delete(slab);
    this.slabs.add(slab);
    this.newest = slab;
  }

  private evict(slab: Slab): void {
    this.slabs.delete(slab);
    if (this.newest === slab) this.newest = undefined;
    this.bytes -= slab.bytes.length + slab.keys.length * ENTRY_BYTES;
    // The key may have been converted again and be on another slab.
    for (const key of slab.keys) if (this.entries.get(key)?.slab === slab) this.entries.delete(key);
    slab.keys.length = 0;
  }
}
