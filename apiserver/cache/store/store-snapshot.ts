/**
 * The part of a past state that was read from the store, for a list that memory cannot serve. Knows the keys of the
 * requested range only, and has no indexes.
 */
import { compareBytes } from '../../../shared/values/json';
import type { Revision } from '../../storage/store';
import type { Entry, SelectedField, Snapshot } from '../cache';

/** The part of a state that was read from the store. */
export interface StoreSnapshotContent {
  readonly revision: Revision;
  /** The entries that were read, in key order, from the start of the requested range. */
  readonly entries: readonly Entry[];
  /** Number of keys in the requested range, including those that were not read. */
  readonly total: number;
  /** The end of the requested range; `undefined` when it is open. */
  readonly end: string | undefined;
  /** The first key of the requested range that was not read; `undefined` when all of it was. */
  readonly unknownFrom: string | undefined;
}

/** The requested range of the state, or its beginning up to `unknownFrom`. */
export class StoreSnapshot implements Snapshot {
  readonly revision: Revision;
  readonly unknownFrom?: string;
  private readonly entries: readonly Entry[];
  private readonly total: number;
  private readonly end: string | undefined;

  constructor({ revision, entries, total, end, unknownFrom }: StoreSnapshotContent) {
    this.revision = revision;
    this.entries = entries;
    this.total = total;
    this.end = end;
    if (unknownFrom !== undefined) this.unknownFrom = unknownFrom;
  }

  get size(): number {
    return this.total;
  }

  get(key: string): Entry | undefined {
    const entry = this.entries[this.position(key)];
    return entry?.key === key ? entry : undefined;
  }

  *range(start?: string, end?: string): Generator<Entry, void, undefined> {
    const endPosition = end === undefined ? this.entries.length : this.position(end);
    for (let index = start === undefined ? 0 : this.position(start); index < endPosition; index += 1) {
      const entry = this.entries[index];
      if (entry !== undefined) yield entry;
    }
  }

  count(start?: string, end?: string): number {
    const before = start === undefined ? 0 : this.position(start);
    // Up to the end of the requested range, the keys that were not read count too.
    const includesEnd = end === undefined || (this.end !== undefined && compareBytes(end, this.end) >= 0);
    return Math.max(0, (includesEnd ? this.total : this.position(end)) - before);
  }

  rangeWith(_selected: SelectedField, start?: string, end?: string): Iterable<Entry> {
    return this.range(start, end);
  }

  /** Index of the first entry with a key not below `key`. */
  private position(key: string): number {
    let low = 0;
    let high = this.entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareBytes(this.entries[middle]?.key ?? '', key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
