/** Lists: who answers them, how much is looked at, and how long they wait for the cache. Counting only. */
import type { Count, Meters } from './meters';

interface ListedType {
  readonly name: string;
  readonly segment: string;
}

interface ListCounts {
  readonly fetched: number;
  readonly returned: number;
}

/** What `apiserver/registry/read` tells. */
export interface ListCosts {
  fromCache(type: ListedType, counts: ListCounts, waitedMs: number | undefined): void;
  fromStore(type: ListedType, counts: ListCounts, hasFallenBack: boolean): void;
}

const CONSISTENT = 'apiserver_watch_cache_consistent_read_total';

export function listCosts(meters: Meters): ListCosts {
  return {
    fromCache({ name, segment }, { fetched, returned }, waitedMs) {
      const prefix = `/${segment}`;
      meters.count('apiserver_cache_list_total', prefix, '').add();
      meters.count('apiserver_cache_list_fetched_objects_total', prefix, '').add(fetched);
      meters.count('apiserver_cache_list_returned_objects_total', prefix).add(returned);
      if (waitedMs === undefined) return;
      meters.count(CONSISTENT, 'false', prefix, 'true').add();
      meters.observer('apiserver_watch_cache_read_wait_seconds', name).observe(waitedMs / 1000);
    },
    fromStore({ name, segment }, { fetched, returned }, hasFallenBack) {
      meters.count('apiserver_storage_list_total', name).add();
      meters.count('apiserver_storage_list_fetched_objects_total', name).add(fetched);
      meters.count('apiserver_storage_list_evaluated_objects_total', name).add(fetched);
      meters.count('apiserver_storage_list_returned_objects_total', name).add(returned);
      if (hasFallenBack) meters.count(CONSISTENT, 'true', `/${segment}`, 'false').add();
    },
  };
}

/** Looks for tokens among those that are known. */
export function tokenLooks(meters: Meters): Readonly<Record<'hit' | 'miss', Count>> {
  const name = 'authentication_token_cache_request_total';
  return { hit: meters.count(name, 'hit'), miss: meters.count(name, 'miss') };
}
