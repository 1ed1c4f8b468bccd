/**
 * Serves reads of the cache from the replicated state, from past snapshots, or from the store where requested. Does
 * not change the state.
 */
import { StoreError, type Revision } from '../../storage/store';
import type { Entry, UnreadableKey, Snapshot, SnapshotRequest, StoredType, WaitOptions } from '../cache';
import { firstKeyInRange } from '../store/key-space';
import { UnknownFormatError } from '../store/stored-value';
import type { TypeState } from '../store/type-state';
import type { OpenedCache } from './cache-options';
import type { ReplicatedState } from './replicated-state';

type ReadMethod =
  | 'count'
  | 'createEntry'
  | 'firstUnreadableKey'
  | 'get'
  | 'pin'
  | 'readFromStore'
  | 'snapshot'
  | 'snapshotAt'
  | 'unreadableReason'
  | 'waitForRevision';

/** The reading half of a cache. */
export class CacheReader implements Pick<OpenedCache, ReadMethod> {
  constructor(private readonly replica: ReplicatedState) {}

  waitForRevision(revision: Revision, options: WaitOptions): Promise<boolean> {
    const { replica } = this;
    return revision <= replica.revision ? Promise.resolve(true) : replica.waiters.waitForRevision(revision, options.deadline);
  }

  get(type: StoredType, key: string): Entry | undefined {
    return this.stateOf(type).get(key);
  }

  unreadableReason(type: StoredType, key: string): string | undefined {
    return this.stateOf(type).unreadable.get(key)?.reason;
  }

  firstUnreadableKey(type: StoredType, start?: string, end?: string): UnreadableKey | undefined {
    const { unreadable } = this.stateOf(type);
    const key = firstKeyInRange(unreadable.keys(), start, end);
    return key === undefined ? undefined : { storeKey: this.replica.keys.storeKey(type, key), reason: unreadable.get(key)?.reason ?? '' };
  }

  snapshot(type: StoredType): Snapshot {
    return this.stateOf(type).snapshot(this.replica.revision);
  }

  count(type: StoredType): number {
    return this.stateOf(type).size;
  }

  async snapshotAt(type: StoredType, revision: Revision, request: SnapshotRequest): Promise<Snapshot> {
    const { replica } = this;
    const state = this.stateOf(type);
    if (request.isInStore === true && revision > replica.revision) return replica.pastSnapshots.readFromStore(state, revision, request);
    if (!(await this.waitForRevision(revision, request))) {
      throw new StoreError('future-revision', `revision ${revision} has not been reached, the cache is at ${replica.revision}`);
    }
    if (revision < replica.compactedRevision) {
      throw new StoreError('compacted', `revision ${revision} was compacted`, replica.compactedRevision);
    }
    return replica.pastSnapshots.get(state, revision, request);
  }

  pin(type: StoredType, snapshot: Snapshot): void {
    if (snapshot.revision >= this.replica.compactedRevision) this.replica.pastSnapshots.pin(this.stateOf(type), snapshot);
  }

  async readFromStore(
    type: StoredType,
    key: string,
    options: WaitOptions,
  ): Promise<{ readonly revision: Revision; readonly entry: Entry | undefined }> {
    const { store, keys } = this.replica;
    const { revision, kv } = await store.get(keys.storeKey(type, key), { deadline: options.deadline });
    if (kv === undefined) return { revision, entry: undefined };
    try {
      return { revision, entry: this.createEntry(type, key, kv.modRevision, kv.value) };
    } catch (error) {
      if (!(error instanceof UnknownFormatError)) throw error;
      throw new StoreError('unreadable', error.message);
    }
  }

  createEntry(type: StoredType, key: string, revision: Revision, value: Buffer): Entry {
    return this.replica.entries.create(type, key, revision, value);
  }

  private stateOf(type: StoredType): TypeState {
    return this.replica.keys.stateOf(type, this.replica.revision);
  }
}
