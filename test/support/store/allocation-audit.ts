/** Audits the contents of a store: compares the addresses and ports of its Services with the allocation keys. */
import { checkAllocations, type AllocationFinding, type AllocationHolder } from '../../../apiserver/allocation/check-allocations';
import { ALLOCATIONS, allocationRecordOf, type AllocationRecord } from '../../../apiserver/allocation/service-allocator';
import { createEntry } from '../../../apiserver/cache/store/entry';
import { buildResources } from '../../../apiserver/registry/resources';
import { serviceAllocation } from '../../../apiserver/kinds/core/service/allocation';
import { allocationOwnerOf } from '../../../apiserver/registry/write/allocation';
import { parseEntry } from '../../../apiserver/registry/object/stored-object';
import { prefixRange, type Store } from '../../../apiserver/storage/store';

export interface AllocationAudit {
  /** The numbers of Services and of allocation keys. */
  readonly services: number;
  readonly allocations: number;
  /** Addresses and ports without an allocation, allocations without a Service, and double allocations. */
  readonly findings: readonly AllocationFinding[];
}

/** Reads Services and keys at one revision, so that writes meanwhile cause no false finding. */
export async function auditStoredAllocations(store: Store, prefix = '/registry'): Promise<AllocationAudit> {
  const { stored } = buildResources().require('services');
  const root = `${prefix}/${stored.segment}/`;
  const { kvs: services, revision } = await store.range(prefixRange(root));
  const { kvs: keys } = await store.range({ ...prefixRange(`${prefix}/${ALLOCATIONS}`), revision });
  const holders = services.map((kv): AllocationHolder => {
    const { object } = parseEntry(createEntry(stored, kv.key.slice(root.length), kv.modRevision, kv.value));
    return { owner: allocationOwnerOf(object), revision: kv.modRevision, ids: [...serviceAllocation.allocationsOf(object).keys()] };
  });
  const records = new Map<string, AllocationRecord>();
  for (const kv of keys) {
    const record = allocationRecordOf(kv);
    if (record !== undefined) records.set(kv.key.slice(`${prefix}/${ALLOCATIONS}`.length), record);
  }
  return { services: services.length, allocations: keys.length, findings: checkAllocations(holders, records) };
}
