/**
 * Reads the requested part of a past state from the store, page by page, until the limit of the request is reached.
 * Yields to the event loop between entries when its time slice is used up. Nothing is cached.
 */
import { StoreError, type KeyValue, type Revision, type Store } from '../../storage/store';
import type { Entry, SnapshotRequest } from '../cache';
import type { EntryFactory } from './entry';
import type { KeySpace } from './key-space';
import type { TimeSlice } from '../../../shared/scheduling/yielding';
import { readPages } from '../read-pages';
import { StoreSnapshot } from './store-snapshot';
import { UnknownFormatError } from './stored-value';
import type { TypeState } from './type-state';

/** The store, and how its values become entries. */
export interface SnapshotHost {
  readonly store: Store;
  readonly keys: KeySpace;
  readonly entries: EntryFactory;
  /** A new time slice, so that a long read yields to the event loop. */
  timeSlice(): TimeSlice;
}

/**
 * Reads [start, end) of the request from its start. With a limit, reading ends after the page that reaches it, so the
 * snapshot may have more entries. Rejects with StoreError; `unreadable` when a value cannot be read.
 */
export async function readSnapshot(
  host: SnapshotHost,
  state: TypeState,
  revision: Revision,
  request: SnapshotRequest,
): Promise<StoreSnapshot> {
  const entries: Entry[] = [];
  const limit = request.limit ?? Infinity;
  const range = host.keys.range(state.type, request.start, request.end);
  const slice = host.timeSlice();
  let total: number | undefined;
  let more = false;
  for await (const page of readPages(host.store, range, { revision, limit, deadline: () => request.deadline })) {
    total ??= page.count;
    for (const kv of page.kvs) {
      entries.push(createSnapshotEntry(host, state, kv));
      const pause = slice.yieldIfDue();
      if (pause !== undefined) await pause;
    }
    more = page.more;
    if (entries.length >= limit) break;
  }
  const last = entries.at(-1);
  const unknownFrom = more && last !== undefined ? `${last.key}\0` : undefined;
  return new StoreSnapshot({ revision, entries, total: total ?? 0, end: request.end, unknownFrom });
}

function createSnapshotEntry(host: SnapshotHost, state: TypeState, kv: KeyValue): Entry {
  try {
    return host.entries.create(state.type, kv.key.slice(state.keyOffset), kv.modRevision, kv.value);
  } catch (error) {
    if (!(error instanceof UnknownFormatError)) throw error;
    throw new StoreError('unreadable', `unable to transform key "${kv.key}": ${error.message}`);
  }
}
