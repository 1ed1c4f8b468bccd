/**
 * Snapshots of past revisions: pinned for paginated lists, rebuilt from the event window, or read from the store. At
 * most 32 are pinned, and they hold at most 64 MB (an estimate) that nothing else refers to. The least recently used pin
 * is dropped first.
 */
import type { Revision } from '../../storage/store';
import type { Snapshot, SnapshotRequest } from '../cache';
import { readSnapshot, type SnapshotHost } from './read-snapshot';
import { TreeSnapshot } from './tree-snapshot';
import type { CacheStatistics } from '../statistics';
import type { TypeState } from './type-state';

/** Limits of the pinned snapshots: their number, and the bytes that only they hold. */
const MAX_PINS = 32;
const MAX_PINNED_BYTES = 64 * 1024 * 1024;
/** A state further back than this many changes is read from the store: rebuilding it must not block the event loop. */
const MAX_UNDONE_CHANGES = 4000;

interface Pin {
  readonly state: TypeState;
  readonly snapshot: TreeSnapshot;
}

/** The cache with the past states. */
export interface PastSnapshotsHost extends SnapshotHost {
  readonly statistics: CacheStatistics;
  /** The cache's revision. */
  readonly revision: Revision;
}

/** The past states of one cache. */
export class PastSnapshots {
  /** By revision and type; in the order of their last use, the oldest first. */
  private readonly pins = new Map<string, Pin>();

  constructor(private readonly host: PastSnapshotsHost) {}

  /** The state at `revision`, which the cache has reached and which is not compacted. Rejects with StoreError. */
  async get(state: TypeState, revision: Revision, request: SnapshotRequest): Promise<Snapshot> {
    return this.findInMemory(state, revision) ?? this.readFromStore(state, revision, request);
  }

  /** The requested part of the state at `revision`, read from the store in pages even if memory holds it. */
  readFromStore(state: TypeState, revision: Revision, request: SnapshotRequest): Promise<Snapshot> {
    this.host.statistics.storeSnapshots += 1;
    return readSnapshot(this.host, state, revision, request);
  }

  /** Pins a snapshot that is held in memory. Ignores one that was read from the store: it has only a part of the state. */
  pin(state: TypeState, snapshot: Snapshot): void {
    if (!(snapshot instanceof TreeSnapshot)) return;
    const key = keyOf(state, snapshot.revision);
    this.pins.delete(key);
    this.pins.set(key, { state, snapshot });
    this.trim();
  }

  /** Drops pins over the limits. */
  trim(): void {
    let bytes = 0;
    for (const pin of this.pins.values()) bytes += bytesHeldAlone(pin);
    for (const [key, pin] of this.pins) {
      if (this.pins.size <= MAX_PINS && bytes <= MAX_PINNED_BYTES) return;
      this.pins.delete(key);
      bytes -= bytesHeldAlone(pin);
    }
  }

  /** Drops states before `revision` because of a compaction. */
  dropBefore(revision: Revision): void {
    for (const [key, { snapshot }] of this.pins) {
      if (snapshot.revision < revision) this.pins.delete(key);
    }
  }

  /** Drops the states of a type that turned out to be wrong. */
  dropType(state: TypeState): void {
    for (const [key, pin] of this.pins) {
      if (pin.state === state) this.pins.delete(key);
    }
  }

  /** Drops all states. */
  clear(): void {
    this.pins.clear();
  }

  /** The current state, a pinned one, or one that is rebuilt from the event window; `undefined` when memory has none of them. */
  private findInMemory(state: TypeState, revision: Revision): TreeSnapshot | undefined {
    const isCurrentState = revision >= state.lastChangeRevision;
    if (isCurrentState) return state.snapshot(this.host.revision).withRevision(revision);
    const pinned = this.findPinned(state, revision);
    if (pinned !== undefined) return pinned;
    const { log } = state;
    if (log.floor > revision || log.size - log.positionAfter(revision) > MAX_UNDONE_CHANGES) return undefined;
    const rebuilt = state.rewind(this.host.revision, revision);
    this.pin(state, rebuilt);
    return rebuilt;
  }

  /** Also makes the pin the most recently used one. */
  private findPinned(state: TypeState, revision: Revision): TreeSnapshot | undefined {
    const key = keyOf(state, revision);
    const pin = this.pins.get(key);
    if (pin === undefined) return undefined;
    this.pins.delete(key);
    this.pins.set(key, pin);
    return pin.snapshot;
  }
}

/** Estimated bytes that only the pin refers to: at most those that were superseded in its type since it was taken. */
function bytesHeldAlone({ state, snapshot }: Pin): number {
  return state.supersededBytes - snapshot.supersededBefore;
}

function keyOf(state: TypeState, revision: Revision): string {
  return `${revision} ${state.type.name}`;
}
