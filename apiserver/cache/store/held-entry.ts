/**
 * Entries whose bytes lie in slabs: how the index and the window hold objects.
 *
 * A Buffer of its own costs an object some 650 bytes beside its content and leaves the allocator's memory in pieces (measured: 112,000 objects of
 * 1.5 KB updated twice took 445 MB), so many entries share a slab, and `bytes` makes a view when somebody asks. A slab is never
 * written twice, because views of it may be on their way to a client: when much of it is dead, the living move on and it is left to the
 * garbage collector.
 *
 * A long entry has a slab of its own; once it shows the past only, its bytes are packed there beside the event loop and unpacked for whoever asks.
 */
import { deflateRaw, inflateRawSync } from 'node:zlib';
import type { Revision } from '../../storage/store';
import type { Entry, Labels } from '../cache';
import { Deque } from '../deque';
import { splicedLength, spliceInto, type StoredValue } from './stored-value';

/** A little below 128 KiB: with the allocator's header it fills whole pages. */
const SLAB_BYTES = 128 * 1024 - 64;
/** Larger entries have a slab of their own. */
export const LARGEST_SHARED = 16 * 1024;
/** Bytes that wait for being packed; what comes when there are more stays as it is. */
const MOST_WAITING = 64 * 1024 * 1024;
/** A full slab with less than this share alive is left. 0.8 copies four bytes per byte that dies and wastes a tenth on average. */
const LEAST_ALIVE = 0.8;

/** Gives the bytes in a shorter form, some time later; undefined = there is none. */
export type Pack = (bytes: Buffer, done: (packed: Buffer | undefined) => void) => void;

const FASTEST = { level: 1 } as const;

const deflate: Pack = (bytes, done) => deflateRaw(bytes, FASTEST, (error, packed) => done(error === null ? ownBytes(packed) : undefined));

/** The last piece of what was packed lies in a larger buffer than it needs. */
function ownBytes(view: Buffer): Buffer {
  const bytes = Buffer.allocUnsafeSlow(view.length);
  view.copy(bytes);
  return bytes;
}

class Slab {
  readonly entries: HeldEntry[] = [];
  used = 0;
  alive = 0;

  constructor(
    readonly bytes: Buffer,
    readonly isPacked = false,
  ) {}

  /** Takes the next `length` bytes; returns where they begin. */
  claim(length: number): number {
    const offset = this.used;
    this.used += length;
    this.alive += length;
    return offset;
  }
}

export class HeldEntry implements Entry {
  held = true;

  constructor(
    readonly key: string,
    readonly revision: Revision,
    readonly labels: Labels,
    readonly fields: Labels,
    readonly dialectSensitive: boolean,
    public slab: Slab,
    public offset: number,
    readonly length: number,
  ) {}

  get packed(): boolean {
    return this.slab.isPacked;
  }

  get bytes(): Buffer {
    if (this.packed) return inflateRawSync(this.slab.bytes, { chunkSize: this.length + 1 });
    return this.slab.bytes.subarray(this.offset, this.offset + this.length);
  }
}

/** The number of bytes of an entry, without making a view of them. */
export function sizeOf(entry: Entry): number {
  return entry instanceof HeldEntry ? entry.length : entry.bytes.length;
}

/** What stands around an entry's bytes. */
export interface EntryFacts {
  readonly key: string;
  readonly revision: Revision;
  readonly labels: Labels;
  readonly fields: Labels;
}

const newSlab = (size: number): Slab => new Slab(Buffer.allocUnsafeSlow(size));

export class Slabs {
  private current: Slab | undefined;
  private slabs = 0;
  /** To be packed, one after the other. */
  private readonly unpacked = new Deque<HeldEntry>();
  private waiting = 0;
  private isPacking = false;

  constructor(private readonly pack: Pack = deflate) {}

  /** Full and filling slabs in use; for tests. */
  get count(): number {
    return this.slabs;
  }

  hold(facts: EntryFacts, value: StoredValue): HeldEntry {
    const length = splicedLength(value, facts.revision);
    const slab = this.slabFor(length);
    const offset = slab.claim(length);
    spliceInto(slab.bytes, offset, value, facts.revision);
    const entry = new HeldEntry(facts.key, facts.revision, facts.labels, facts.fields, value.dialectSensitive, slab, offset, length);
    slab.entries.push(entry);
    return entry;
  }

  /** Neither the index nor the window holds the entry any longer; whoever still has it may go on reading. */
  release(entry: Entry | undefined): void {
    if (!(entry instanceof HeldEntry) || !entry.held) return;
    entry.held = false;
    const { slab } = entry;
    slab.alive -= entry.length;
    if (slab === this.current || slab.alive >= slab.used * LEAST_ALIVE) return;
    this.leave(slab);
  }

  /** A later state has taken the place of this one: few will ask for it. */
  supersede(entry: Entry | undefined): void {
    if (!(entry instanceof HeldEntry) || entry.length <= LARGEST_SHARED || this.waiting > MOST_WAITING) return;
    this.waiting += entry.length;
    this.unpacked.push(entry);
    if (!this.isPacking) this.packNext();
  }

  private packNext(): void {
    const entry = this.nextToPack();
    this.isPacking = entry !== undefined;
    if (entry === undefined) return;
    this.pack(entry.bytes, (packed) => {
      if (packed !== undefined && entry.held) this.repack(entry, packed);
      this.packNext();
    });
  }

  private nextToPack(): HeldEntry | undefined {
    for (let entry = this.unpacked.shift(); entry !== undefined; entry = this.unpacked.shift()) {
      this.waiting -= entry.length;
      if (entry.held && !entry.packed) return entry;
    }
    return undefined;
  }

  /** Whoever has a view of the bytes keeps it. */
  private repack(entry: HeldEntry, packed: Buffer): void {
    entry.slab = new Slab(packed, true);
    entry.offset = 0;
  }

  private leave(slab: Slab): void {
    for (const entry of slab.entries) {
      if (entry.held && entry.slab === slab) this.move(entry);
    }
    slab.entries.length = 0;
    slab.alive = Infinity;
    this.slabs -= 1;
  }

  private move(entry: HeldEntry): void {
    const slab = this.slabFor(entry.length);
    const offset = slab.claim(entry.length);
    entry.slab.bytes.copy(slab.bytes, offset, entry.offset, entry.offset + entry.length);
    entry.slab = slab;
    entry.offset = offset;
    slab.entries.push(entry);
  }

  private slabFor(length: number): Slab {
    if (length > LARGEST_SHARED) {
      this.slabs += 1;
      return newSlab(length);
    }
    const full = this.current;
    if (full !== undefined && full.used + length <= SLAB_BYTES) return full;
    const next = newSlab(SLAB_BYTES);
    this.current = next;
    this.slabs += 1;
    if (full !== undefined && full.alive < full.used * LEAST_ALIVE) this.leave(full);
    return this.current === next && next.used + length <= SLAB_BYTES ? next : this.slabFor(length);
  }
}
