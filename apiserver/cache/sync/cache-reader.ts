/**
 * Answers reads of the cache from the replicated state, from past states, or from the store where the caller asks for that. Never changes the state
 * and never moves the clock.
 */
import { StoreError, type Revision } from '../../storage/store';
import type { Entry, RefusedKey, Snapshot, SnapshotRequest, StoredType, Waited } from '../cache';
import { firstKey } from '../store/key-space';
import { UnknownFormat } from '../store/stored-value';
import type { TypeState } from '../store/type-state';
import type { ReplicatedState } from './replicated-state';

export class CacheReader {
  constructor(private readonly replica: ReplicatedState) {}

  waitFor(revision: Revision, options: Waited): Promise<boolean> {
    const { replica } = this;
    return revision <= replica.revision ? Promise.resolve(true) : replica.waiters.waitFor(revision, options.deadline);
  }

  get(type: StoredType, key: string): Entry | undefined {
    return this.stateOf(type).get(key);
  }

  refusal(type: StoredType, key: string): string | undefined {
    return this.stateOf(type).refused.get(key)?.reason;
  }

  firstRefusal(type: StoredType, start?: string, end?: string): RefusedKey | undefined {
    const { refused } = this.stateOf(type);
    const key = firstKey(refused.keys(), start, end);
    return key === undefined ? undefined : { storeKey: this.replica.keys.storeKey(type, key), reason: refused.get(key)?.reason ?? '' };
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
    if (request.stored === true && revision > replica.revision) return replica.past.fromStore(state, revision, request);
    if (!(await this.waitFor(revision, request))) {
      throw new StoreError('future-revision', `revision ${revision} has not been reached, the cache is at ${replica.revision}`);
    }
    if (revision < replica.compactedRevision) {
      throw new StoreError('compacted', `revision ${revision} was compacted`, replica.compactedRevision);
    }
    return replica.past.at(state, revision, request);
  }

  pin(type: StoredType, snapshot: Snapshot): void {
    if (snapshot.revision >= this.replica.compactedRevision) this.replica.past.pin(this.stateOf(type), snapshot);
  }

  async read(type: StoredType, key: string, options: Waited): Promise<{ readonly revision: Revision; readonly entry: Entry | undefined }> {
    const { store, keys } = this.replica;
    const { revision, kv } = await store.get(keys.storeKey(type, key), { deadline: options.deadline });
    if (kv === undefined) return { revision, entry: undefined };
    try {
      return { revision, entry: this.entryOf(type, key, kv.modRevision, kv.value) };
    } catch (error) {
      if (!(error instanceof UnknownFormat)) throw error;
      throw new StoreError('unreadable', error.message);
    }
  }

  entryOf(type: StoredType, key: string, revision: Revision, value: Buffer): Entry {
    return this.replica.entries.make(type, key, revision, value);
  }

  private stateOf(type: StoredType): TypeState {
    return this.replica.keys.state(type, this.replica.revision);
  }
}
