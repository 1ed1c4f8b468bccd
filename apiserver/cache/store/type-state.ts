/**
 * One type's objects at the clock's revision: sorted index, counts per namespace, copy-on-write snapshots, and what was refused.
 *
 * What it never does: decide when the clock moves, or tell watchers.
 */
import type { Revision } from '../../storage/store';
import type { Entry, StoredType } from '../cache';
import { sizeOf } from './held-entry';
import { FrozenTree, isWide, newTree, TreeSnapshot, type Tree } from './snapshot';
import { ChangeLog } from './window';

/** What an entry takes beside its bytes, in bytes: for estimating what a snapshot holds. */
const ENTRY_OVERHEAD = 300;

export interface RefusedValue {
  readonly revision: Revision;
  readonly reason: string;
}

export class TypeState {
  private changes = new ChangeLog();
  /** Revision of the newest change, or of the load. */
  lastChange: Revision = 0;
  /** Bytes of all states that were ever replaced: the difference of two readings bounds what a snapshot between them holds alone. */
  superseded = 0;
  /** Keys whose stored value could not be read, with the revision of that value and the reason. They are absent from the index. */
  readonly refused = new Map<string, RefusedValue>();
  /** Consistency passes in a row that found a difference. */
  differingPasses = 0;

  private tree: Tree = newTree(false);
  private wide = false;
  private namespaces = new Map<string, number>();
  private frozen: TreeSnapshot | undefined;

  constructor(
    readonly type: StoredType,
    /** Length of what precedes the object's key in the store's key. */
    readonly keyOffset: number,
  ) {}

  get size(): number {
    return this.tree.size;
  }

  get log(): ChangeLog {
    return this.changes;
  }

  /** The recent changes are forgotten: the log begins at `revision`. */
  beginLog(revision: Revision): void {
    this.changes = new ChangeLog(revision);
    this.lastChange = revision;
  }

  get(key: string): Entry | undefined {
    return this.tree.get(key);
  }

  /** Puts an entry in the place of `previous`, which must be what `get` answers for its key. */
  put(entry: Entry, previous: Entry | undefined): void {
    this.frozen = undefined;
    if (previous === undefined) this.adopt(entry.key);
    else this.superseded += sizeOf(previous) + ENTRY_OVERHEAD;
    this.tree.set(entry.key, entry);
  }

  /** Removes a key; returns its entry. */
  delete(key: string): Entry | undefined {
    const previous = this.tree.get(key);
    if (previous === undefined) return undefined;
    this.frozen = undefined;
    this.tree.delete(key);
    this.countNamespace(key, -1);
    this.superseded += sizeOf(previous) + ENTRY_OVERHEAD;
    return previous;
  }

  /** Forgets all objects; `release` is told each. */
  clear(release: (entry: Entry) => void): void {
    for (const entry of this.tree.values()) release(entry);
    this.frozen = undefined;
    this.tree = newTree(this.wide);
    this.namespaces = new Map();
    this.refused.clear();
  }

  /** The present state; `revision` is the clock's. */
  snapshot(revision: Revision): TreeSnapshot {
    this.frozen = this.frozen?.at(revision) ?? this.freeze(revision);
    return this.frozen;
  }

  /** The state at an earlier revision, by undoing the log, which must reach back to it (`log.floor` ≤ `revision`). */
  rewind(present: Revision, revision: Revision): TreeSnapshot {
    const undone = new Map<string, Entry | undefined>();
    for (let position = this.log.after(revision); position < this.log.size; position += 1) {
      const change = this.log.at(position);
      if (change !== undefined && !undone.has(change.key)) undone.set(change.key, change.previous);
    }
    const now = this.snapshot(present);
    return undone.size === 0 ? now.at(revision) : now.with(revision, undone, this.wide, this.superseded);
  }

  private freeze(revision: Revision): TreeSnapshot {
    const snapshot: TreeSnapshot = new TreeSnapshot(revision, new FrozenTree(this.tree.clone(), this.wide), this.superseded, (namespace) =>
      this.frozen?.sameStateAs(snapshot) === true ? (this.namespaces.get(namespace) ?? 0) : undefined,
    );
    return snapshot;
  }

  private adopt(key: string): void {
    if (!this.wide && isWide(key)) this.widen();
    this.countNamespace(key, 1);
  }

  /** From the first key with a surrogate pair on, the order needs the slower comparison. */
  private widen(): void {
    this.wide = true;
    const tree = newTree(true);
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
