/**
 * What has been converted, as long as there is room for it. The bytes of many objects lie in one piece of memory, of which each keeps all: so they are remembered and
 * forgotten together. Asks nobody.
 */
import type { Entry, Labels } from '../cache/cache';

/** A piece of memory, and as what its objects are remembered. */
export class Shelf {
  readonly keys: string[] = [];
  private used = 0;

  constructor(readonly bytes: Buffer) {}

  hasRoom(length: number): boolean {
    return this.used + length <= this.bytes.length;
  }

  /** Where the next so many bytes lie. */
  take(length: number): number {
    const start = this.used;
    this.used += length;
    return start;
  }
}

export class ConvertedEntry implements Entry {
  readonly key: string;
  readonly revision: number;
  readonly dialectSensitive: boolean;

  constructor(
    { key, revision, dialectSensitive }: Pick<Entry, 'key' | 'revision' | 'dialectSensitive'>,
    readonly labels: Labels,
    readonly fields: Labels,
    readonly bytes: Buffer,
    readonly shelf: Shelf,
  ) {
    this.key = key;
    this.revision = revision;
    this.dialectSensitive = dialectSensitive;
  }
}

const SHELF_BYTES = 64 * 1024;

/** Puts the objects of one call on as few shelves as there have to be. */
export class Shelving {
  private shelf = new Shelf(Buffer.alloc(0));

  /** `left` objects are to be expected. */
  constructor(private left: number) {}

  /** An object whose text follows on the first so many bytes. */
  put(head: Buffer, headEnd: number, text: string): { readonly bytes: Buffer; readonly shelf: Shelf } {
    const length = headEnd + Buffer.byteLength(text);
    const shelf = this.shelfFor(length);
    const start = shelf.take(length);
    if (headEnd > 0) shelf.bytes.set(headEnd === head.length ? head : head.subarray(0, headEnd), start);
    shelf.bytes.write(text, start + headEnd);
    return { bytes: shelf.bytes.subarray(start, start + length), shelf };
  }

  private shelfFor(length: number): Shelf {
    const { left, shelf } = this;
    this.left = Math.max(1, left - 1);
    if (shelf.hasRoom(length)) return shelf;
    this.shelf = new Shelf(Buffer.allocUnsafeSlow(Math.max(length, Math.min(SHELF_BYTES, length * left))));
    return this.shelf;
  }
}

/** What an entry takes besides its bytes. */
const ENTRY_BYTES = 512;

export class Remembered {
  private readonly entries = new Map<string, ConvertedEntry>();
  /** Those that were asked for last come last. */
  private readonly shelves = new Set<Shelf>();
  private newest: Shelf | undefined;
  private bytes = 0;

  constructor(private readonly mostBytes: number) {}

  get(key: string): ConvertedEntry | undefined {
    const entry = this.entries.get(key);
    if (entry !== undefined && entry.shelf !== this.newest) this.toEnd(entry.shelf);
    return entry;
  }

  set(key: string, entry: ConvertedEntry): void {
    const { shelf } = entry;
    if (!this.shelves.has(shelf)) this.bytes += shelf.bytes.length;
    if (shelf !== this.newest) this.toEnd(shelf);
    shelf.keys.push(key);
    this.entries.set(key, entry);
    this.bytes += ENTRY_BYTES;
    for (const oldest of this.shelves) {
      if (this.bytes <= this.mostBytes) break;
      this.forget(oldest);
    }
  }

  private toEnd(shelf: Shelf): void {
    this.shelves.delete(shelf);
    this.shelves.add(shelf);
    this.newest = shelf;
  }

  private forget(shelf: Shelf): void {
    this.shelves.delete(shelf);
    if (this.newest === shelf) this.newest = undefined;
    this.bytes -= shelf.bytes.length + shelf.keys.length * ENTRY_BYTES;
    // The same may have been converted again meanwhile.
    for (const key of shelf.keys) if (this.entries.get(key)?.shelf === shelf) this.entries.delete(key);
    shelf.keys.length = 0;
  }
}
