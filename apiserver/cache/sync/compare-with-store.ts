/**
 * Compares a type's state in memory with the store, by key and mod revision. Reads keys only, and then the values that
 * differ. Changes nothing: the callers (the consistency checker, the resync after a gap in the stream, the retry of
 * unreadable values) apply the difference.
 */
import { appendAll } from '../../../shared/values/append';
import { compareBytes } from '../../../shared/values/json';
import type { KeyValue, Revision, Store } from '../../storage/store';
import type { KeySpace } from '../store/key-space';
import type { TimeSlice } from '../../../shared/scheduling/yielding';
import { readPages } from '../read-pages';
import type { TypeState } from '../store/type-state';

/** Up to this many differing values of a page are fetched one by one; more are fetched as the range that contains them. */
const FEW_VALUES = 16;

/** How the store differs from the memory of the cache for one type; empty when it does not. */
export interface Difference {
  /** Keys with another value in the store, with that value. */
  readonly changed: readonly KeyValue[];
  /** Object keys that the store does not hold. */
  readonly removed: readonly string[];
}

/** The cache that is compared. */
export interface ComparisonHost {
  readonly store: Store;
  readonly keys: KeySpace;
  /** The revision of the cache's state. */
  readonly revision: Revision;
  /** A new time slice, so that a long comparison yields to the event loop. */
  timeSlice(): TimeSlice;
}

/** What counts as a difference. */
export interface ComparisonOptions {
  /** Whether values that could not be read count as different; otherwise they count as equal while they are unchanged. */
  readonly retriesUnreadable: boolean;
}

/**
 * Compares the present state of the type with the store's state at `revision`. That is the cache's revision, or a later
 * one if the stream is interrupted. Both sides are in key order, so one pass over them suffices. Rejects with StoreError.
 */
export async function compareWithStore(
  host: ComparisonHost,
  state: TypeState,
  revision: Revision,
  { retriesUnreadable }: ComparisonOptions = { retriesUnreadable: false },
): Promise<Difference> {
  const changed: KeyValue[] = [];
  const removed: string[] = [];
  const unreadable = new Map(retriesUnreadable ? [] : state.unreadable);
  const slice = host.timeSlice();
  const localEntries = state.snapshot(host.revision).range()[Symbol.iterator]();
  /** The first local entry that has not been compared yet. */
  let next = localEntries.next();
  for await (const page of readPages(host.store, host.keys.range(state.type), { revision, keysOnly: true })) {
    const differing: KeyValue[] = [];
    for (const kv of page.kvs) {
      const key = kv.key.slice(state.keyOffset);
      // The local keys before that of the store have been removed from the store.
      while (next.done !== true && compareBytes(next.value.key, key) < 0) {
        removed.push(next.value.key);
        next = localEntries.next();
      }
      if (next.done !== true && next.value.key === key) {
        if (next.value.revision !== kv.modRevision) differing.push(kv);
        next = localEntries.next();
      } else if (unreadable.get(key)?.revision !== kv.modRevision) {
        differing.push(kv);
      }
      const pause = slice.yieldIfDue();
      if (pause !== undefined) await pause;
    }
    appendAll(changed, await fetchValues(host.store, differing, revision));
  }
  // So have those after the last key of the store.
  for (; next.done !== true; next = localEntries.next()) removed.push(next.value.key);
  return { changed, removed };
}

/** The values at `revision` of keys in key order. */
async function fetchValues(store: Store, differing: readonly KeyValue[], revision: Revision): Promise<KeyValue[]> {
  const first = differing[0];
  const last = differing.at(-1);
  if (first === undefined || last === undefined) return [];
  const values: KeyValue[] = [];
  if (differing.length <= FEW_VALUES) {
    for (const { key } of differing) {
      const { kv } = await store.get(key, { revision });
      if (kv !== undefined) values.push(kv);
    }
    return values;
  }
  const keys = new Set(differing.map((kv) => kv.key));
  for await (const page of readPages(store, { start: first.key, end: `${last.key}\0` }, { revision })) {
    const differingOfPage = page.kvs.filter((kv) => keys.has(kv.key));
    appendAll(values, differingOfPage);
  }
  return values;
}
