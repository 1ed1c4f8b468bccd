/**
 * Reads whole states from the store: the first load, and the comparison of all types after a gap in the stream.
 * Advancing the revision and notifying watchers are left to the caller, which does both without yielding in between.
 */
import { GcTrigger } from '../../../shared/runtime/process/gc-trigger';
import { StoreError, type Revision } from '../../storage/store';
import { compareWithStore, type ComparisonHost, type Difference } from './compare-with-store';
import { MAX_SHARED_ENTRY_BYTES } from '../store/slab-entry';
import type { KeyListeners } from '../key-listeners';
import type { CachedObjects } from './cached-objects';
import { readPages } from '../read-pages';
import type { TypeState } from '../store/type-state';

/**
 * Garbage of read values before a collection: their content is now in slabs. Only large values count: small ones are
 * returned to the allocator as whole pages, and a collection takes long when there are many of them.
 */
const GC_THRESHOLD_BYTES = 16 * 1024 * 1024;

/** The cache that is loaded. */
export interface LoadHost extends ComparisonHost {
  /** Notified of keys that are not API objects. */
  readonly listeners: KeyListeners;
  /** The cache's revision: `compareAllTypes` compares the state at this revision. */
  readonly revision: Revision;
  readonly objects: CachedObjects;
}

/**
 * Loads all types at `revision`, or at the oldest revision that the store still has; resolves with that revision. 0 =
 * nothing to load, the stream delivers everything. Rejects with StoreError.
 */
export async function loadState(host: LoadHost, revision: Revision): Promise<Revision> {
  for (let at = Math.max(0, revision); ;) {
    for (const state of host.keys.states) host.objects.clearType(state);
    host.listeners.notifyReset();
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
  const garbage = new GcTrigger(GC_THRESHOLD_BYTES);
  let previousPageBytes = 0;
  for await (const page of readPages(host.store, host.keys.wholeRange, { revision, prefetch: true })) {
    // The values of the previous page are garbage now; those of this page are in use.
    garbage.addReleased(previousPageBytes);
    previousPageBytes = page.kvs.reduce((sum, { value: { length } }) => (length > MAX_SHARED_ENTRY_BYTES ? sum + length : sum), 0);
    for (const kv of page.kvs) {
      const state = host.keys.locate(kv.key, revision);
      if (state === undefined) host.listeners.notifyChange(host.keys.relativeKey(kv.key), kv.value, kv.modRevision);
      else host.objects.putValue(state, kv.key.slice(state.keyOffset), undefined, kv.modRevision, kv.value);
      const pause = slice.yieldIfDue();
      if (pause !== undefined) await pause;
    }
  }
}

/** Registers the types with a first object created during the gap, with one small read per segment. */
async function discoverTypes({ store, keys }: LoadHost, revision: Revision): Promise<void> {
  const { end } = keys.wholeRange;
  for (let { start } = keys.wholeRange; ;) {
    const { kvs } = await store.range({ start, end, revision, limit: 1, keysOnly: true });
    const [first] = kvs;
    if (first === undefined) return;
    keys.locate(first.key, revision);
    start = keys.endOfSegment(first.key);
  }
}

/** How the objects of one type differ from the store. */
export interface TypeDifference {
  readonly state: TypeState;
  readonly difference: Difference;
}

/**
 * The differences of every type to the store's state at `revision`. Key listeners are reset and notified of all keys.
 * Rejects with StoreError.
 */
export async function compareAllTypes(host: LoadHost, revision: Revision): Promise<readonly TypeDifference[]> {
  const differences: TypeDifference[] = [];
  await discoverTypes(host, revision);
  for (const state of host.keys.states) {
    const difference = await compareWithStore(host, state, state.snapshot(host.revision).range(), revision);
    differences.push({ state, difference });
  }
  host.listeners.notifyReset();
  for (const prefix of host.listeners.prefixes) {
    const start = host.keys.nonObjectKey(prefix);
    for await (const page of readPages(host.store, { start, end: `${start}\u{10ffff}` }, { revision })) {
      for (const kv of page.kvs) {
        if (host.keys.locate(kv.key, revision) === undefined)
          host.listeners.notifyChange(host.keys.relativeKey(kv.key), kv.value, kv.modRevision);
      }
    }
  }
  return differences;
}
