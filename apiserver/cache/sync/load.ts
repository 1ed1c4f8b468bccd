/**
 * Reading whole states from the store: the first load, and the comparison of everything after a gap.
 *
 * What it never does: move the clock or notify watchers; the caller does both without yielding in between.
 */
import { GcTrigger } from '../../../shared/runtime/process/gc-trigger';
import { StoreError, type Revision } from '../../storage/store';
import { compareWithStore, type ComparisonHost, type Difference } from './comparison';
import { LARGEST_SHARED } from '../store/held-entry';
import type { KeyListeners } from '../key-listeners';
import type { Objects } from './objects';
import { pages } from '../pages';
import type { TypeState } from '../store/type-state';

/** What was read and is held in slabs now. Short values leave the allocator's memory whole, and where there are many of them a collection takes long. */
const MOST_GARBAGE = 16 * 1024 * 1024;

export interface LoadHost extends ComparisonHost {
  readonly listeners: KeyListeners;
  /** The clock: `compareAll` compares with the state at this revision. */
  readonly revision: Revision;
  readonly objects: Objects;
}

/**
 * Loads all types at `revision`, or at the oldest one that the store still has; returns which it was. 0 = nothing to load, the stream tells
 * everything. Rejects with StoreError.
 */
export async function loadState(host: LoadHost, revision: Revision): Promise<Revision> {
  for (let at = Math.max(0, revision); ;) {
    for (const state of host.keys.states) host.objects.empty(state);
    host.listeners.reset();
    if (at === 0) return 0;
    try {
      await loadAt(host, at);
      return at;
    } catch (error) {
      const newer = error instanceof StoreError && error.failure === 'compacted' ? (error.compactRevision ?? 0) : 0;
      if (newer <= at) throw error;
      at = newer;
    }
  }
}

async function loadAt(host: LoadHost, revision: Revision): Promise<void> {
  const slice = host.timeSlice();
  const garbage = new GcTrigger(MOST_GARBAGE);
  let read = 0;
  for await (const page of pages(host.store, host.keys.whole, { revision, ahead: true })) {
    // Of the page before: of this one all is in use.
    garbage.addReleased(read);
    read = page.kvs.reduce((sum, { value: { length } }) => (length > LARGEST_SHARED ? sum + length : sum), 0);
    for (const kv of page.kvs) {
      const state = host.keys.locate(kv.key, revision);
      if (state === undefined) host.listeners.changed(host.keys.relative(kv.key), kv.value, kv.modRevision);
      else host.objects.place(state, kv.key.slice(state.keyOffset), undefined, kv.modRevision, kv.value);
      const pause = slice.yieldIfDue();
      if (pause !== undefined) await pause;
    }
  }
}

/** Makes the types known whose first object came in the gap, with one small read per segment. */
async function findTypes({ store, keys }: LoadHost, revision: Revision): Promise<void> {
  const { end } = keys.whole;
  for (let { start } = keys.whole; ;) {
    const { kvs } = await store.range({ start, end, revision, limit: 1, keysOnly: true });
    const [first] = kvs;
    if (first === undefined) return;
    keys.locate(first.key, revision);
    start = keys.endOfSegment(first.key);
  }
}

/** What every type lacks of the store's state at `revision`; key listeners are told anew. Rejects with StoreError. */
export async function compareAll(host: LoadHost, revision: Revision): Promise<[TypeState, Difference][]> {
  const differences: [TypeState, Difference][] = [];
  await findTypes(host, revision);
  for (const state of host.keys.states) {
    differences.push([state, await compareWithStore(host, state, state.snapshot(host.revision).range(), revision)]);
  }
  host.listeners.reset();
  for (const prefix of host.listeners.prefixes) {
    const start = host.keys.other(prefix);
    for await (const page of pages(host.store, { start, end: `${start}\u{10ffff}` }, { revision })) {
      for (const kv of page.kvs) {
        if (host.keys.locate(kv.key, revision) === undefined) host.listeners.changed(host.keys.relative(kv.key), kv.value, kv.modRevision);
      }
    }
  }
  return differences;
}
