/**
 * Encodings other than the stored JSON (other dialect, Table rows, metadata only, protobuf, YAML), kept per entry and encoding in one
 * bounded LRU. An entry is immutable, so what is made of it once stays right. Never looks into entries.
 */
import { LRUCache } from 'lru-cache';
import type { Entry } from '../../cache/cache';
import { sizeOf as bytesOf } from '../../cache/store/held-entry';
import type { CellTemplate } from '../../printers/table/printer';

/** One encoding of one entry. */
export interface Kept {
  readonly bytes: Buffer;
  /** A Table row's cells, whose ages are filled in at every answer. */
  readonly cells?: CellTemplate;
}

const MAX_BYTES = 48 * 1024 * 1024;

/** What an entry and its slot cost besides the encodings: the entry may be gone from everywhere else. */
const SLOT_BYTES = 256;

export class EncodingCache {
  private readonly entries: LRUCache<Entry, Map<string, Kept>>;

  constructor(maxBytes: number = MAX_BYTES) {
    this.entries = new LRUCache({ maxSize: maxBytes });
  }

  /** The encoding of `entry` under `key`, made by `make` when it is not kept; kept afterwards unless `keep` is false. */
  get(entry: Entry, key: string, keep: boolean, make: (entry: Entry) => Kept): Kept {
    const slot = this.entries.get(entry);
    const found = slot?.get(key);
    if (found !== undefined) return found;
    const made = make(entry);
    if (!keep) return made;
    const filled = slot ?? new Map<string, Kept>();
    filled.set(key, made);
    this.entries.set(entry, filled, { size: sizeOf(entry, filled) });
    return made;
  }

  /** All that is kept of an entry. */
  slot(entry: Entry): ReadonlyMap<string, Kept> {
    return this.entries.get(entry) ?? new Map<string, Kept>();
  }

  /** What was made elsewhere. */
  fill(entry: Entry, slot: ReadonlyMap<string, Kept>): void {
    const filled = new Map([...this.slot(entry), ...slot]);
    this.entries.set(entry, filled, { size: sizeOf(entry, filled) });
  }

  get bytes(): number {
    return this.entries.calculatedSize;
  }
}

function sizeOf(entry: Entry, slot: ReadonlyMap<string, Kept>): number {
  let size = SLOT_BYTES + bytesOf(entry);
  for (const { bytes, cells } of slot.values()) {
    size += bytes.length;
    for (const text of cells?.texts ?? []) size += text.length;
  }
  return size;
}
