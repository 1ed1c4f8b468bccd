/**
 * A whole state of one type in memory. While it is the current state, counts per namespace and lists by a field use the
 * indexes of the type; afterwards its tree.
 */
import { compareBytes } from '../../../shared/values/json';
import type { Revision } from '../../storage/store';
import type { Entry, SelectedField, Snapshot } from '../cache';
import { FrozenTree } from './frozen-tree';

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

/** The state of one type at one revision. */
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

/** The namespace that has exactly the keys from `<namespace>/` to `<namespace>0` (in ASCII, `0` follows `/`). */
function wholeNamespace(start: string | undefined, end: string | undefined): string | undefined {
  if (start?.endsWith('/') !== true || end?.endsWith('0') !== true) return undefined;
  const namespace = start.slice(0, -1);
  return end.length === start.length && end.startsWith(namespace) ? namespace : undefined;
}
