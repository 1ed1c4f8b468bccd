/**
 * States of the past: kept for continuation pages, rebuilt from the window, or read from the store.
 *
 * Kept are at most 32, holding at most 64 MB alone; the least recently used goes first.
 */
import type { Revision } from '../../storage/store';
import type { Snapshot, SnapshotRequest } from '../cache';
import { readSnapshot, type SnapshotHost } from './read-snapshot';
import { TreeSnapshot } from './snapshot';
import type { CacheStatistics } from '../statistics';
import type { TypeState } from './type-state';

const MOST = 32;
const MOST_BYTES = 64 * 1024 * 1024;
/** A state further back than this many changes is read from the store: rebuilding must not hold up others. */
const MOST_UNDONE = 4000;

interface Pin {
  readonly state: TypeState;
  readonly snapshot: TreeSnapshot;
}

export interface PastHost extends SnapshotHost {
  readonly statistics: CacheStatistics;
  /** The clock. */
  readonly revision: Revision;
}

export class PastStates {
  private readonly pins = new Map<string, Pin>();

  constructor(private readonly host: PastHost) {}

  /** The state at `revision`, which the clock has reached and compaction has not. Rejects with StoreError. */
  async at(state: TypeState, revision: Revision, request: SnapshotRequest): Promise<Snapshot> {
    return this.remembered(state, revision) ?? this.fromStore(state, revision, request);
  }

  fromStore(state: TypeState, revision: Revision, request: SnapshotRequest): Promise<Snapshot> {
    this.host.statistics.storeSnapshots += 1;
    return readSnapshot(this.host, state, revision, request);
  }

  /** Keeps a state that is held in memory. */
  pin(state: TypeState, snapshot: Snapshot): void {
    if (!(snapshot instanceof TreeSnapshot)) return;
    const key = keyOf(state, snapshot.revision);
    this.pins.delete(key);
    this.pins.set(key, { state, snapshot });
    this.trim();
  }

  /** What a snapshot holds alone is at most what was replaced in its type since it was taken. */
  trim(): void {
    let bytes = 0;
    for (const { state, snapshot } of this.pins.values()) bytes += state.superseded - snapshot.supersededBefore;
    for (const [key, { state, snapshot }] of this.pins) {
      if (this.pins.size <= MOST && bytes <= MOST_BYTES) return;
      this.pins.delete(key);
      bytes -= state.superseded - snapshot.supersededBefore;
    }
  }

  /** States before `revision` are gone for everyone. */
  dropBefore(revision: Revision): void {
    for (const [key, { snapshot }] of this.pins) {
      if (snapshot.revision < revision) this.pins.delete(key);
    }
  }

  /** The type's states turned out to be wrong. */
  dropOf(state: TypeState): void {
    for (const [key, pin] of this.pins) {
      if (pin.state === state) this.pins.delete(key);
    }
  }

  clear(): void {
    this.pins.clear();
  }

  private remembered(state: TypeState, revision: Revision): TreeSnapshot | undefined {
    if (revision >= state.lastChange) return state.snapshot(this.host.revision).at(revision);
    const pinned = this.pinned(state, revision);
    if (pinned !== undefined) return pinned;
    if (state.log.floor > revision || state.log.size - state.log.after(revision) > MOST_UNDONE) return undefined;
    const rebuilt = state.rewind(this.host.revision, revision);
    this.pin(state, rebuilt);
    return rebuilt;
  }

  private pinned(state: TypeState, revision: Revision): TreeSnapshot | undefined {
    const key = keyOf(state, revision);
    const pin = this.pins.get(key);
    if (pin === undefined) return undefined;
    this.pins.delete(key);
    this.pins.set(key, pin);
    return pin.snapshot;
  }
}

function keyOf(state: TypeState, revision: Revision): string {
  return `${revision} ${state.type.name}`;
}
