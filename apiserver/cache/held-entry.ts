/**
 * Entries whose bytes lie in slabs: how the index and the window hold objects.
 *
 * A Buffer of its own costs an object some 650 bytes beside its content and leaves the allocator's memory in pieces (measured: 112,000 objects of
 * 1.5 KB updated twice took 445 MB), so many entries share a slab, and `bytes` makes a view when somebody asks. A slab is never
 * written twice, because views of it may be on their way to a client: when much of it is dead, the living move on and it is left to the
 * garbage collector.
 */
import type { Revision } from '../storage/store';
import type { Entry, Labels } from './cache';
import { splicedLength, spliceInto, type StoredValue } from './stored-value';

/** A little below 128 KiB: with the allocator's header it fills whole pages. */
const SLAB_BYTES = 128 * 1024 - 64;
/** Larger entries have a slab of their own. */
const LARGEST_SHARED = 16 * 1024;
/** A full slab with less than this share alive is left. 0.8 copies four bytes per byte that dies and wastes a tenth on average. */
const LEAST_ALIVE = 0.8;

class Slab {
  readonly bytes: Buffer;
  readonly entries: HeldEntry[] = [];
  used = 0;
  alive = 0;

  constructor(size: number) {
    this.bytes = Buffer.allocUnsafeSlow(size);
  }

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

  get bytes(): Buffer {
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

export class Slabs {
  private current: Slab | undefined;
  private slabs = 0;

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
      return new Slab(length);
    }
    const full = this.current;
    if (full !== undefined && full.used + length <= SLAB_BYTES) return full;
    const next = new Slab(SLAB_BYTES);
    this.current = next;
    this.slabs += 1;
    if (full !== undefined && full.alive < full.used * LEAST_ALIVE) this.leave(full);
    return this.current === next && next.used + length <= SLAB_BYTES ? next : this.slabFor(length);
  }
}
