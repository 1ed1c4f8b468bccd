/**
 * The objects of one type at the cache's revision: sorted index, counts per namespace, copy-on-write snapshots, and
 * unreadable values. Advancing the revision and notifying watchers are left to the callers.
 */
import type { Revision } from '../../storage/store';
import type { Entry, SelectedField, StoredType } from '../cache';
import { entrySize } from './slab-entry';
import { FieldIndex } from './field-index';
import { createTree, FrozenTree, needsByteOrder, type Tree } from './frozen-tree';
import { TreeSnapshot } from './tree-snapshot';
import { ChangeLog } from './event-window';

/** Estimated memory of an entry besides its bytes, for limiting snapshots. */
const ENTRY_OVERHEAD = 300;

/**
 * A list by a field value uses the index only when at most one of eight objects has the value: above that, reading all
 * objects is cheaper.
 */
const INDEXED_FRACTION_DIVISOR = 8;
/** Nor for more keys than this: the index sorts them for each page of the list, without yielding to the event loop. */
const MAX_INDEXED_KEYS = 1_000;

/** A stored value that is omitted from the state, and why. */
export interface UnreadableValue {
  readonly revision: Revision;
  /** Shown in errors and logs. */
  readonly reason: string;
}

/** The state of one type. Changed by the event stream, by the first load, and by repairs after a comparison with the store. */
export class TypeState {
  private changes = new ChangeLog();
  /** Revision of the newest change, or of the load. */
  lastChangeRevision: Revision = 0;
  /**
   * Estimated memory of all entries that were ever replaced or removed. What it has grown by since a snapshot was taken
   * bounds the memory that only the snapshot still holds.
   */
  supersededBytes = 0;
  /**
   * Keys with a stored value that could not be read, with the revision of that value and the reason. They are absent
   * from the index.
   */
  readonly unreadable = new Map<string, UnreadableValue>();
  /** Number of consecutive consistency checks that found a difference. */
  consecutiveDifferences = 0;

  private tree: Tree = createTree({ usesByteOrder: false });
  private usesByteOrder = false;
  private namespaces = new Map<string, number>();
  private fieldIndexes: readonly FieldIndex[];
  private frozen: TreeSnapshot | undefined;

  constructor(
    readonly type: StoredType,
    /** Length of the part of a store key before the object's key. */
    readonly keyOffset: number,
  ) {
    this.fieldIndexes = createFieldIndexes(type);
  }

  get size(): number {
    return this.tree.size;
  }

  get log(): ChangeLog {
    return this.changes;
  }

  /** Discards the recent changes: the log starts after `revision`. */
  resetLog(revision: Revision): void {
    this.changes = new ChangeLog(revision);
    this.lastChangeRevision = revision;
  }

  /** The entry of a key. */
  get(key: string): Entry | undefined {
    return this.tree.get(key);
  }

  /** Adds or replaces an entry. `previous` must be the result of `get` for its key. */
  put(entry: Entry, previous: Entry | undefined): void {
    this.frozen = undefined;
    if (previous === undefined) this.addKey(entry.key);
    else this.supersededBytes += entrySize(previous) + ENTRY_OVERHEAD;
    this.tree.set(entry.key, entry);
    for (const index of this.fieldIndexes) index.replace(previous, entry);
  }

  /** Removes a key and returns its entry. */
  delete(key: string): Entry | undefined {
    const previous = this.tree.get(key);
    if (previous === undefined) return undefined;
    this.frozen = undefined;
    this.tree.delete(key);
    for (const index of this.fieldIndexes) index.delete(previous);
    this.countNamespace(key, -1);
    this.supersededBytes += entrySize(previous) + ENTRY_OVERHEAD;
    return previous;
  }

  /** Removes all objects; `release` is called for each. */
  clear(release: (entry: Entry) => void): void {
    for (const entry of this.tree.values()) release(entry);
    this.frozen = undefined;
    this.tree = createTree({ usesByteOrder: this.usesByteOrder });
    this.namespaces = new Map();
    this.fieldIndexes = createFieldIndexes(this.type);
    this.unreadable.clear();
  }

  /** The current state; `revision` is the cache's revision. */
  snapshot(revision: Revision): TreeSnapshot {
    this.frozen = this.frozen?.withRevision(revision) ?? this.freeze(revision);
    return this.frozen;
  }

  /** The state at an earlier revision, by undoing the log, which must reach back to it (`log.floor` ≤ `revision`). */
  rewind(currentRevision: Revision, revision: Revision): TreeSnapshot {
    const undone = new Map<string, Entry | undefined>();
    for (let position = this.log.positionAfter(revision); position < this.log.size; position += 1) {
      const change = this.log.at(position);
      if (change !== undefined && !undone.has(change.key)) undone.set(change.key, change.previous);
    }
    const current = this.snapshot(currentRevision);
    return undone.size === 0 ? current.withRevision(revision) : current.withChanges(revision, undone, this.supersededBytes);
  }

  private freeze(revision: Revision): TreeSnapshot {
    const tree = new FrozenTree(this.tree.clone(), this.usesByteOrder);
    const snapshot: TreeSnapshot = new TreeSnapshot(revision, tree, this.supersededBytes, {
      namespaceCount: (namespace) => (isCurrent() ? (this.namespaces.get(namespace) ?? 0) : undefined),
      keysWith: (selected) => (isCurrent() ? this.keysWith(selected) : undefined),
    });
    const isCurrent = (): boolean => this.frozen?.hasSameState(snapshot) === true;
    return snapshot;
  }

  private keysWith({ field, value }: SelectedField): readonly string[] | undefined {
    const index = this.fieldIndexes.find((candidate) => candidate.field === field);
    return index?.keysWith(value, Math.min(this.tree.size / INDEXED_FRACTION_DIVISOR, MAX_INDEXED_KEYS));
  }

  private addKey(key: string): void {
    if (!this.usesByteOrder && needsByteOrder(key)) this.switchToByteOrder();
    this.countNamespace(key, 1);
  }

  /** Rebuilds the tree in byte order, when the first key with a surrogate is added. It stays in byte order from then on. */
  private switchToByteOrder(): void {
    this.usesByteOrder = true;
    const tree = createTree({ usesByteOrder: true });
    for (const entry of this.tree.values()) tree.set(entry.key, entry);
    this.tree = tree;
  }

  private countNamespace(key: string, step: 1 | -1): void {
    if (!this.type.namespaced) return;
    const namespace = key.slice(0, key.indexOf('/'));
    const count = (this.namespaces.get(namespace) ?? 0) + step;
    if (count > 0) this.namespaces.set(namespace, count);
    else this.namespaces.delete(namespace);
  }
}

function createFieldIndexes({ indexedFields = [] }: StoredType): readonly FieldIndex[] {
  return indexedFields.map((field) => new FieldIndex(field));
}
