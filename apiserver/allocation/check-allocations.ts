/**
 * Compares the addresses and ports that objects hold with the allocation keys and the ranges: finds missing,
 * duplicate, out-of-range and leaked allocations, as upstream's repair controllers do. Writes of this server cause
 * none of them; restored data, data of earlier or other programs and changed ranges do.
 */
import type { Revision } from '../storage/store';
import type { AllocationRecord, AllocationOwner } from './service-allocator';

/** An object and the ids that its spec contains. */
export interface AllocationHolder {
  readonly owner: AllocationOwner;
  readonly revision: Revision;
  readonly ids: readonly string[];
  /** Texts in the object that are not addresses. */
  readonly unreadable?: readonly string[];
}

/**
 * - `missing`: the id has no key, or the key of an object that does not hold it (`keyRevision` is 0 without a key).
 * - `duplicate`: another object holds the id too, and it is allocated to that object.
 * - `outside`: the id is not in any range of this server.
 * - `unreadable`: a text in the object is not an address.
 * - `leaked`: no object holds the id.
 */
export type AllocationFinding =
  | {
      readonly type: 'missing';
      readonly id: string;
      readonly owner: AllocationOwner;
      readonly revision: Revision;
      readonly keyRevision: Revision;
    }
  | { readonly type: 'duplicate' | 'outside'; readonly id: string; readonly owner: AllocationOwner }
  | { readonly type: 'unreadable'; readonly text: string; readonly owner: AllocationOwner }
  | { readonly type: 'leaked'; readonly id: string; readonly keyRevision: Revision };

/** Returns every error, in no particular order. `records`: the allocation keys by id. `isInRange`: whether an id is in a range of this server. */
export function checkAllocations(
  holders: readonly AllocationHolder[],
  records: ReadonlyMap<string, AllocationRecord>,
  isInRange: (id: string) => boolean = () => true,
): readonly AllocationFinding[] {
  const isAllocatedTo = (owner: AllocationOwner, id: string): boolean => records.get(id)?.uid === owner.uid;
  /** Ids that an object holds and that are allocated to it. */
  const consistentIds = new Set(holders.flatMap(({ owner, ids }) => ids.filter((id) => isAllocatedTo(owner, id))));
  const findings: AllocationFinding[] = [];
  for (const { owner, revision, ids, unreadable = [] } of holders) {
    for (const text of unreadable) findings.push({ type: 'unreadable', text, owner });
    for (const id of ids) {
      if (!isInRange(id)) findings.push({ type: 'outside', id, owner });
      else if (isAllocatedTo(owner, id)) continue;
      else if (consistentIds.has(id)) findings.push({ type: 'duplicate', id, owner });
      else findings.push({ type: 'missing', id, owner, revision, keyRevision: records.get(id)?.revision ?? 0 });
    }
  }
  const heldIds = new Set(holders.flatMap(({ ids }) => ids));
  for (const [id, { revision }] of records) if (!heldIds.has(id)) findings.push({ type: 'leaked', id, keyRevision: revision });
  return findings;
}
