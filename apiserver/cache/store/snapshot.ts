/**
 * Sorted states of one type: `TreeSnapshot` holds a whole state in a copy-on-write tree, `StoreSnapshot` the part of a
 * state that was read from the store.
 *
 * Keys are ordered by their UTF-8 bytes. JavaScript's own string comparison, by UTF-16 units, is two to three times as
 * fast, and its order differs only for surrogate pairs. A tree uses it until the first key with a surrogate arrives.
 */
import BTree from 'sorted-btree';
import { compareBytes } from '../../../shared/values/json';
import type { Revision } from '../../storage/store';
import type { Entry, SelectedField, Snapshot } from '../cache';

/** A comparison of keys: negative, zero or positive. */
export type KeyOrder = (a: string, b: string) => number;
/** The entries of a type by key. Cloning it copies no node until one of the clones changes. */
export type Tree = BTree<string, Entry>;

/**
 * Measured with 112,000 keys: 64 sets in 1.0 µs and iterates twice as fast as 32; 128 gains nothing and copies more.
 */
const NODE_SIZE = 64;
/** Every 512th key of a state is a mark: a count starts from the nearest one instead of the first key. */
const MARK_DISTANCE = 512;
/** Entries that are read from the tree in one chunk. */
const CHUNK_ENTRIES = 64;
/** Returned by a callback of `BTree.forRange` to end the iteration. */
const BREAK = { break: true } as const;

/** Half of a character outside the Basic Multilingual Plane. */
const SURROGATE = /[\ud800-\udfff]/;

/** Compares by UTF-16 units. */
const compareUnits: KeyOrder = (a, b) => {
  if (a === b) return 0;
  return a < b ? -1 : 1;
};

/** An empty tree, ordered by UTF-8 bytes or, until a key needs that, by UTF-16 units. */
export function createTree({ usesByteOrder }: { readonly usesByteOrder: boolean }): Tree {
  return new BTree<string, Entry>(undefined, usesByteOrder ? compareBytes : compareUnits, NODE_SIZE);
}

/** Whether the key requires the slower byte comparison. */
export function needsByteOrder(key: string): boolean {
  return SURROGATE.test(key);
}

/** A frozen tree, shared by all snapshots taken between two changes of the type. */
export class FrozenTree {
  private marks: string[] | undefined;

  constructor(
    readonly tree: Tree,
    /** Whether the tree is ordered by UTF-8 bytes, instead of UTF-16 units. */
    readonly usesByteOrder: boolean,
  ) {}

  /** Entries with `start` ≤ key < `end` in byte order; an undefined bound is open. */
  *range(start: string | undefined, end: string | undefined): Generator<Entry, void, undefined> {
    const hasByteOrderBound = needsByteOrder(start ?? '') || needsByteOrder(end ?? '');
    if (!this.usesByteOrder && hasByteOrderBound) {
      yield* this.rangeByComparingBytes(start, end);
      return;
    }
    const bound = end ?? this.tree.maxKey();
    let from = start ?? this.tree.minKey();
    while (from !== undefined && bound !== undefined) {
      const chunk = this.readChunk(from, bound, end === undefined);
      for (const entry of chunk) yield entry;
      const last = chunk.length < CHUNK_ENTRIES ? undefined : chunk.at(-1);
      from = last === undefined ? undefined : `${last.key}\0`;
    }
  }

  /**
   * The range of a tree that is ordered by UTF-16 units, between bounds with surrogates. No key of such a tree has a
   * surrogate, so the keys are in byte order too; only a comparison with a bound needs the bytes.
   */
  private *rangeByComparingBytes(start: string | undefined, end: string | undefined): Generator<Entry, void, undefined> {
    for (const entry of this.tree.values()) {
      if (end !== undefined && compareBytes(entry.key, end) >= 0) return;
      if (start === undefined || compareBytes(entry.key, start) >= 0) yield entry;
    }
  }

  /** Reads the first entries from `start` to `end`. The tree's own iterator would allocate three objects per entry. */
  private readChunk(start: string, end: string, includesEnd: boolean): readonly Entry[] {
    const entries: Entry[] = [];
    this.tree.forRange(start, end, includesEnd, (_key, entry) => {
      entries.push(entry);
      return entries.length === CHUNK_ENTRIES ? BREAK : undefined;
    });
    return entries;
  }

  /** Number of keys with `start` ≤ key < `end`. */
  count(start: string | undefined, end: string | undefined): number {
    const endRank = end === undefined ? this.tree.size : this.rankOf(end);
    return Math.max(0, endRank - (start === undefined ? 0 : this.rankOf(start)));
  }

  /**
   * Number of keys below `key`, counted from the last mark below it. The first call for a state iterates over all of it
   * to collect the marks.
   */
  private rankOf(key: string): number {
    const ownCompare = this.usesByteOrder ? compareBytes : compareUnits;
    const compare = needsByteOrder(key) ? compareBytes : ownCompare;
    this.marks ??= this.collectMarks();
    let low = 0;
    let high = this.marks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compare(this.marks[middle] ?? '', key) < 0) low = middle + 1;
      else high = middle;
    }
    if (low === 0) return 0;
    const mark = this.marks[low - 1] ?? '';
    let rank = (low - 1) * MARK_DISTANCE;
    // Without a callback the tree counts whole nodes; its own order must suit `key`.
    if (compare === ownCompare) return rank + this.tree.forRange(mark, key, false);
    for (const entry of this.tree.values(mark)) {
      if (compare(entry.key, key) >= 0) break;
      rank += 1;
    }
    return rank;
  }

  private collectMarks(): string[] {
    const marks: string[] = [];
    this.tree.forEachPair((key, _entry, position) => {
      if (position % MARK_DISTANCE === 0) marks.push(key);
    });
    return marks;
  }
}

/**
 * The indexes that a type keeps of its current state. They describe a snapshot only until the type changes: from then on
 * every method returns `undefined`, and the snapshot reads its tree instead.
 */
export interface CurrentStateIndexes {
  /** The number of entries in a namespace. */
  namespaceCount(namespace: string): number | undefined;
  /** The sorted keys of the entries with the field value; also `undefined` when reading the range costs less. */
  keysWith(selected: SelectedField): readonly string[] | undefined;
}

const NO_INDEXES: CurrentStateIndexes = { namespaceCount: () => undefined, keysWith: () => undefined };

/** A whole state in memory. Counts and indexed reads use the type's own indexes while it is the current state. */
export class TreeSnapshot implements Snapshot {
  constructor(
    readonly revision: Revision,
    private readonly frozen: FrozenTree,
    /**
     * `TypeState.supersededBytes` when the tree was frozen. What that counter has grown by since bounds the bytes that
     * this snapshot holds alone.
     */
    readonly supersededBefore: number,
    private readonly indexes: CurrentStateIndexes = NO_INDEXES,
  ) {}

  get size(): number {
    return this.frozen.tree.size;
  }

  get(key: string): Entry | undefined {
    return this.frozen.tree.get(key);
  }

  range(start?: string, end?: string): Iterable<Entry> {
    return this.frozen.range(start, end);
  }

  rangeWith(selected: SelectedField, start?: string, end?: string): Iterable<Entry> {
    const keys = this.indexes.keysWith(selected);
    return keys === undefined ? this.range(start, end) : this.entriesOf(keys, start, end);
  }

  private *entriesOf(keys: readonly string[], start: string | undefined, end: string | undefined): Generator<Entry, void, undefined> {
    for (const key of keys) {
      if (end !== undefined && compareBytes(key, end) >= 0) return;
      const entry = start === undefined || compareBytes(key, start) >= 0 ? this.get(key) : undefined;
      if (entry !== undefined) yield entry;
    }
  }

  count(start?: string, end?: string): number {
    if (start === undefined && end === undefined) return this.size;
    const namespace = wholeNamespace(start, end);
    const count = namespace === undefined ? undefined : this.indexes.namespaceCount(namespace);
    return count ?? this.frozen.count(start, end);
  }

  /** The same state at another revision; the type must not have changed in between. */
  withRevision(revision: Revision): TreeSnapshot {
    return revision === this.revision ? this : new TreeSnapshot(revision, this.frozen, this.supersededBefore, this.indexes);
  }

  /** Whether no change lies between the two snapshots of a type. */
  hasSameState(other: TreeSnapshot): boolean {
    return other.frozen === this.frozen;
  }

  /**
   * A state of the same type at another revision: this one with some keys replaced, or removed where the entry is
   * `undefined`. `supersededBytes` is the present value of the type's counter.
   */
  withChanges(revision: Revision, changes: ReadonlyMap<string, Entry | undefined>, supersededBytes: number): TreeSnapshot {
    const tree = this.frozen.tree.clone();
    for (const [key, entry] of changes) {
      if (entry === undefined) tree.delete(key);
      else tree.set(key, entry);
    }
    return new TreeSnapshot(revision, new FrozenTree(tree, this.frozen.usesByteOrder), supersededBytes);
  }
}

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

/** A part of a state that was read from the store. It knows the keys of the requested range only. */
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

/** The namespace that has exactly the keys from `<namespace>/` to `<namespace>0` (in ASCII, `0` follows `/`). */
function wholeNamespace(start: string | undefined, end: string | undefined): string | undefined {
  if (start?.endsWith('/') !== true || end?.endsWith('0') !== true) return undefined;
  const namespace = start.slice(0, -1);
  return end.length === start.length && end.startsWith(namespace) ? namespace : undefined;
}
