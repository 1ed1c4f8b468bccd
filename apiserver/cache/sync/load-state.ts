/**
 * Reads whole states from the store: the first load, and the comparison of all types after a gap in the stream.
 * Advancing the revision and notifying watchers are left to the caller, which does both without yielding in between.
 */
import { GcTrigger } from '../../../shared/runtime/process/gc-trigger';
import { StoreError, type KeyValue, type Revision } from '../../storage/store';
import { compareWithStore, type ComparisonHost, type Difference } from './compare-with-store';
import { MAX_SHARED_ENTRY_BYTES } from '../store/slab-entry';
import type { KeyListeners } from '../key-listeners';
import type { CachedObjects } from './cached-objects';
import { readPages } from '../read-pages';
import type { TypeState } from '../store/type-state';

/**
 * A collection is triggered after this many bytes of read values have become garbage, because their content was copied
 * into slabs. Only large values count: the allocator gets small ones back as whole pages, and a collection takes long
 * when there are many of them.
 */
const GC_THRESHOLD_BYTES = 16 * 1024 * 1024;

/** The cache that is loaded. */
export interface LoadHost extends ComparisonHost {
  /** Notified of keys that are not API objects. */
  readonly listeners: KeyListeners;
  readonly objects: CachedObjects;
}

/**
 * Loads all types at `revision`, or at the oldest revision that the store still has when that is later. Resolves with the
 * revision of the loaded state. At revision 0 there is nothing to load: the stream delivers everything. Rejects with
 * StoreError.
 */
export async function loadState(host: LoadHost, revision: Revision): Promise<Revision> {
  let loadRevision = revision;
  for (;;) {
    for (const state of host.keys.states) host.objects.clearType(state);
    host.listeners.notifyReset();
    if (loadRevision === 0) return 0;
    try {
      await loadAt(host, loadRevision);
      return loadRevision;
    } catch (error) {
      const oldest = error instanceof StoreError && error.failure === 'compacted' ? (error.compactRevision ?? 0) : 0;
      if (oldest <= loadRevision) throw error;
      loadRevision = oldest;
    }
  }
}

/** Reads all keys at a revision that the store still has. */
async function loadAt(host: LoadHost, revision: Revision): Promise<void> {
  const slice = host.timeSlice();
  const garbage = new GcTrigger(GC_THRESHOLD_BYTES);
  let previousPageBytes = 0;
  for await (const page of readPages(host.store, host.keys.wholeRange, { revision, prefetch: true })) {
    // The values of the previous page are garbage now; those of this page are in use.
    garbage.addReleased(previousPageBytes);
    previousPageBytes = bytesOfLargeValues(page.kvs);
    for (const kv of page.kvs) {
      const state = host.keys.locate(kv.key, revision);
      if (state === undefined) host.listeners.notifyChange(host.keys.relativeKey(kv.key), kv.value, kv.modRevision);
      else host.objects.putValue(state, kv.key.slice(state.keyOffset), undefined, kv.modRevision, kv.value);
      const pause = slice.yieldIfDue();
      if (pause !== undefined) await pause;
    }
  }
}

function bytesOfLargeValues(kvs: readonly KeyValue[]): number {
  let bytes = 0;
  for (const { value } of kvs) if (value.length > MAX_SHARED_ENTRY_BYTES) bytes += value.length;
  return bytes;
}

/** How the objects of one type differ from the store. */
export interface TypeDifference {
  readonly state: TypeState;
  readonly difference: Difference;
}

/**
 * Returns how every type, at the cache's revision, differs from the store's state at the later `revision`. Applying the
 * differences is left to the caller, but the key listeners are reset and notified of all their keys here. Rejects with
 * StoreError.
 */
export async function compareAllTypes(host: LoadHost, revision: Revision): Promise<readonly TypeDifference[]> {
  await discoverTypes(host, revision);
  const differences: TypeDifference[] = [];
  for (const state of host.keys.states) differences.push({ state, difference: await compareWithStore(host, state, revision) });
  await reloadListeners(host, revision);
  return differences;
}

/**
 * Adds the custom resources that got their first object during the gap. Reads the first key of each segment: every read
 * starts behind the segment of the one before.
 */
async function discoverTypes({ store, keys }: LoadHost, revision: Revision): Promise<void> {
  const { end } = keys.wholeRange;
  let { start } = keys.wholeRange;
  for (;;) {
    const { kvs } = await store.range({ start, end, revision, limit: 1, keysOnly: true });
    const [first] = kvs;
    if (first === undefined) return;
    keys.locate(first.key, revision);
    start = keys.endOfSegment(first.key);
  }
}

/** Resets the key listeners and notifies them of the keys in the store at `revision`. */
async function reloadListeners({ store, keys, listeners }: LoadHost, revision: Revision): Promise<void> {
  listeners.notifyReset();
  for (const prefix of listeners.prefixes) {
    const start = keys.nonObjectKey(prefix);
    // The end is after every key with the prefix: U+10FFFF is the last code point.
    for await (const page of readPages(store, { start, end: `${start}\u{10ffff}` }, { revision })) {
      for (const kv of page.kvs) {
        if (keys.locate(kv.key, revision) === undefined) listeners.notifyChange(keys.relativeKey(kv.key), kv.value, kv.modRevision);
      }
    }
  }
}
