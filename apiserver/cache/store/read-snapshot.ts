/** Reads a part of a past state from the store, page by page, no more than was asked for. */
import { StoreError, type Revision, type Store } from '../../storage/store';
import type { Entry, SnapshotRequest } from '../cache';
import type { EntryFactory } from './entry';
import type { KeySpace } from './key-space';
import type { TimeSlice } from '../../../shared/scheduling/yielding';
import { pages } from '../pages';
import { StoreSnapshot } from './snapshot';
import { UnknownFormat } from './stored-value';
import type { TypeState } from './type-state';

export interface SnapshotHost {
  readonly store: Store;
  readonly keys: KeySpace;
  readonly entries: EntryFactory;
  timeSlice(): TimeSlice;
}

/** Rejects with StoreError; a value that cannot be read is `internal`. */
export async function readSnapshot(
  host: SnapshotHost,
  state: TypeState,
  revision: Revision,
  request: SnapshotRequest,
): Promise<StoreSnapshot> {
  const entries: Entry[] = [];
  const wanted = request.limit ?? Infinity;
  const range = host.keys.range(state.type, request.start, request.end);
  const slice = host.timeSlice();
  let total: number | undefined;
  let more = false;
  for await (const page of pages(host.store, range, { revision, limit: wanted, deadline: () => request.deadline })) {
    total ??= page.count;
    for (const kv of page.kvs) {
      entries.push(entryOf(host, state, kv.key.slice(state.keyOffset), kv.modRevision, kv.value));
      const pause = slice.yieldIfDue();
      if (pause !== undefined) await pause;
    }
    more = page.more;
    if (entries.length >= wanted) break;
  }
  const last = entries.at(-1);
  const unknownFrom = more && last !== undefined ? `${last.key}\0` : undefined;
  return new StoreSnapshot(revision, entries, total ?? 0, request.end, unknownFrom);
}

function entryOf(host: SnapshotHost, state: TypeState, key: string, revision: Revision, value: Buffer): Entry {
  try {
    return host.entries.make(state.type, key, revision, value);
  } catch (error) {
    if (!(error instanceof UnknownFormat)) throw error;
    throw new StoreError('unreadable', `unable to transform key "${host.keys.storeKey(state.type, key)}": ${error.message}`);
  }
}
