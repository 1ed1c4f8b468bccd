/**
 * Caches encodings other than the stored JSON (another dialect, Table rows, metadata only, protobuf, YAML) per entry
 * and encoding in one bounded LRU. Entries are immutable, so an encoding never becomes outdated.
 */
import { LRUCache } from 'lru-cache';
import type { Entry } from '../../cache/cache';
import { entrySize } from '../../cache/store/slab-entry';
import type { CellTemplate } from '../../printers/table/convertor';

/** One encoding of one entry. */
export interface CachedEncoding {
  readonly bytes: Buffer;
  /** The cells of a Table row, with ages that are filled in for every response. */
  readonly cells?: CellTemplate;
}

/** Whether an encoding that was not found in the cache is added to it. */
export type CachePolicy = 'cached' | 'uncached';

/** Limit of the cached encodings of all kinds. */
const MAX_BYTES = 48 * 1024 * 1024;

/**
 * Estimated memory of an entry and its map, besides the bytes of the entry and its encodings. The entry counts, because
 * the cache may hold the last reference to it.
 */
const ENTRY_BYTES = 256;
/** Memory of a Buffer that shares none, besides its content. */
const BUFFER_BYTES = 650;

/** The encodings of the entries of a process, bounded in bytes. */
export class EncodingCache {
  private readonly entries: LRUCache<Entry, Map<string, CachedEncoding>>;

  constructor(maxBytes: number = MAX_BYTES) {
    this.entries = new LRUCache({ maxSize: maxBytes });
  }

  /** The encoding of `entry` under `key`. When it is not cached, `encode` creates it, and the policy `cached` adds it. */
  get(entry: Entry, key: string, policy: CachePolicy, encode: (entry: Entry) => CachedEncoding): CachedEncoding {
    const encodings = this.entries.get(entry);
    const cached = encodings?.get(key);
    if (cached !== undefined) return cached;
    const created = encode(entry);
    if (policy === 'uncached') return created;
    const encoding = withOwnMemory(created);
    const updated = encodings ?? new Map<string, CachedEncoding>();
    updated.set(key, encoding);
    this.entries.set(entry, updated, { size: sizeOf(entry, updated) });
    return encoding;
  }

  /** All cached encodings of an entry. */
  encodingsOf(entry: Entry): ReadonlyMap<string, CachedEncoding> {
    return this.entries.get(entry) ?? new Map<string, CachedEncoding>();
  }

  /** Adds encodings that a worker thread has created. */
  add(entry: Entry, encodings: ReadonlyMap<string, CachedEncoding>): void {
    const updated = new Map(this.encodingsOf(entry));
    for (const [key, encoding] of encodings) updated.set(key, withOwnMemory(encoding));
    this.entries.set(entry, updated, { size: sizeOf(entry, updated) });
  }

  /** The size of the cached encodings with their entries, at most the limit. */
  get bytes(): number {
    return this.entries.calculatedSize;
  }
}

/**
 * Node allocates short Buffers in blocks of 8 KB: a cached one would keep its whole block in memory, which the limit does
 * not count.
 */
function withOwnMemory({ bytes, cells }: CachedEncoding): CachedEncoding {
  const own = bytes.length === bytes.buffer.byteLength ? bytes : Buffer.allocUnsafeSlow(bytes.length);
  if (own !== bytes) bytes.copy(own);
  return cells === undefined ? { bytes: own } : { bytes: own, cells };
}

/** The memory that an entry with its encodings needs, in bytes. */
function sizeOf(entry: Entry, encodings: ReadonlyMap<string, CachedEncoding>): number {
  let size = ENTRY_BYTES + entrySize(entry);
  for (const { bytes, cells } of encodings.values()) {
    size += BUFFER_BYTES + bytes.length;
    for (const text of cells?.texts ?? []) size += text.length;
  }
  return size;
}
