/**
 * Metrics of lists under upstream's names: whether the cache or the store served them, the number of objects, and the
 * wait for the cache. Also the lookups in the cache of verified tokens.
 */
import type { NumberSeries, Meters } from '../registry/meters';

/** The type of the listed objects. */
interface ListedType {
  /** `deployments.apps` */
  readonly name: string;
  /** The part of its store keys behind the key prefix: `deployments`. */
  readonly segment: string;
}

/** Numbers of objects of one list. */
interface ListCounts {
  /** Objects that were read. */
  readonly fetched: number;
  /** Objects that match the selectors. */
  readonly returned: number;
}

/** Called once per list, after it was read. */
export interface ListRecorder {
  /** Records a list from the cache; `waitedMs` is undefined when it need not be consistent with the store. */
  observeCacheList(type: ListedType, counts: ListCounts, waitedMs: number | undefined): void;
  /** Records a list from the store; `hasFallenBack`: whether it was read there because the cache lagged behind. */
  observeStoreList(type: ListedType, counts: ListCounts, { hasFallenBack }: { readonly hasFallenBack: boolean }): void;
}

/** Its labels are `fallback` (the list was read from the store), `resource`, and `success` (the cache could serve it). */
const CONSISTENT_READS = 'apiserver_watch_cache_consistent_read_total';
/** The label `index` of lists that use no index; this cache has none. */
const NO_INDEX = '';

/** The recorder of the lists of a server. */
export function createListRecorder(meters: Meters): ListRecorder {
  return {
    observeCacheList({ name, segment }, { fetched, returned }, waitedMs) {
      const prefix = `/${segment}`;
      meters.counter('apiserver_cache_list_total', prefix, NO_INDEX).add();
      meters.counter('apiserver_cache_list_fetched_objects_total', prefix, NO_INDEX).add(fetched);
      meters.counter('apiserver_cache_list_returned_objects_total', prefix).add(returned);
      if (waitedMs === undefined) return;
      meters.counter(CONSISTENT_READS, 'false', prefix, 'true').add();
      meters.observer('apiserver_watch_cache_read_wait_seconds', name).observe(waitedMs / 1000);
    },
    observeStoreList({ name, segment }, { fetched, returned }, { hasFallenBack }) {
      meters.counter('apiserver_storage_list_total', name).add();
      meters.counter('apiserver_storage_list_fetched_objects_total', name).add(fetched);
      meters.counter('apiserver_storage_list_evaluated_objects_total', name).add(fetched);
      meters.counter('apiserver_storage_list_returned_objects_total', name).add(returned);
      if (hasFallenBack) meters.counter(CONSISTENT_READS, 'true', `/${segment}`, 'false').add();
    },
  };
}

/** Counters of lookups in the cache of verified service account tokens. */
export function tokenCacheCounters(meters: Meters): Readonly<Record<'hit' | 'miss', NumberSeries>> {
  const name = 'authentication_token_cache_request_total';
  return { hit: meters.counter(name, 'hit'), miss: meters.counter(name, 'miss') };
}
