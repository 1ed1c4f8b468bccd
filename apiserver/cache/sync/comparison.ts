/**
 * Compares a type's state in memory with the store, by (key, modified revision) from keys-only pages, and fetches what differs.
 *
 * What it is for: the consistency checker, and finding out what a gap in the stream changed. Changes nothing.
 */
import { appendAll } from '../../../shared/values/append';
import { compareBytes } from '../../../shared/values/json';
import type { KeyValue, Revision, Store } from '../../storage/store';
import type { Entry } from '../cache';
import type { KeySpace } from '../store/key-space';
import type { TimeSlice } from '../../../shared/scheduling/yielding';
import { pages } from '../pages';
import type { TypeState } from '../store/type-state';

/** Values fetched one by one; more on one page are read as a range. */
const FEW_VALUES = 16;

export interface Difference {
  /** Keys whose value in the store is another one, with that value. */
  readonly changed: readonly KeyValue[];
  /** Object keys that the store does not hold. */
  readonly removed: readonly string[];
}

export interface ComparisonHost {
  readonly store: Store;
  readonly keys: KeySpace;
  timeSlice(): TimeSlice;
}

/**
 * `local` are the entries in memory in key order; both sides are taken at `revision`. What could not be read counts as it was, or, `again`, as different.
 * Rejects with StoreError.
 */
export async function compareWithStore(
  host: ComparisonHost,
  state: TypeState,
  local: Iterable<Entry>,
  revision: Revision,
  again = false,
): Promise<Difference> {
  const changed: KeyValue[] = [];
  const removed: string[] = [];
  const refused = new Map(again ? [] : state.refused);
  const slice = host.timeSlice();
  const mine = local[Symbol.iterator]();
  let next = mine.next();
  for await (const page of pages(host.store, host.keys.range(state.type), { revision, keysOnly: true })) {
    const differing: KeyValue[] = [];
    for (const kv of page.kvs) {
      const key = kv.key.slice(state.keyOffset);
      while (next.done !== true && compareBytes(next.value.key, key) < 0) {
        removed.push(next.value.key);
        next = mine.next();
      }
      if (next.done !== true && next.value.key === key) {
        if (next.value.revision !== kv.modRevision) differing.push(kv);
        next = mine.next();
      } else if (refused.get(key)?.revision !== kv.modRevision) {
        differing.push(kv);
      }
      const pause = slice.yieldIfDue();
      if (pause !== undefined) await pause;
    }
    appendAll(changed, await valuesOf(host.store, differing, revision));
  }
  for (; next.done !== true; next = mine.next()) removed.push(next.value.key);
  return { changed, removed };
}

async function valuesOf(store: Store, wanted: readonly KeyValue[], revision: Revision): Promise<KeyValue[]> {
  const first = wanted[0];
  const last = wanted.at(-1);
  if (first === undefined || last === undefined) return [];
  const values: KeyValue[] = [];
  if (wanted.length <= FEW_VALUES) {
    for (const { key } of wanted) {
      const { kv } = await store.get(key, { revision });
      if (kv !== undefined) values.push(kv);
    }
    return values;
  }
  const keys = new Set(wanted.map((kv) => kv.key));
  for await (const page of pages(store, { start: first.key, end: `${last.key}\0` }, { revision })) {
    appendAll(
      values,
      page.kvs.filter((kv) => keys.has(kv.key)),
    );
  }
  return values;
}
