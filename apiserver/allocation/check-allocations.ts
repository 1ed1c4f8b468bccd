/**
 * Compares the addresses and ports that objects hold with the allocation keys and the ranges: finds missing,
 * duplicate, out-of-range and leaked allocations, as upstream's repair controllers do. Writes of this server cause
 * none of them; restored data, data of earlier or other programs and changed ranges do.
 */
import type { Revision } from '../storage/store';
import type { AllocationRecord, AllocationOwner } from './service-allocator';

/** An object and the ids that it holds. */
export interface AllocationHolder {
  readonly owner: AllocationOwner;
  readonly revision: Revision;
  readonly ids: readonly string[];
  /** Texts in the object that are not addresses. */
  readonly unreadable?: readonly string[];
}

export type AllocationFinding =
  /** The id has no key, or the key of an object that does not hold it. `keyRevision`: 0 without a key. */
  | {
      readonly type: 'missing';
      readonly id: string;
      readonly owner: AllocationOwner;
      readonly revision: Revision;
      readonly keyRevision: Revision;
    }
  /** Another object holds the id too, and it is allocated to that object. */
  | { readonly type: 'duplicate'; readonly id: string; readonly owner: AllocationOwner }
  /** The id is not in any range of this server. */
  | { readonly type: 'outside'; readonly id: string; readonly owner: AllocationOwner }
  | { readonly type: 'unreadable'; readonly text: string; readonly owner: AllocationOwner }
  /** No object holds the id. */
  | { readonly type: 'leaked'; readonly id: string; readonly keyRevision: Revision };

export function checkAllocations(
  holders: readonly AllocationHolder[],
  holdings: ReadonlyMap<string, AllocationRecord>,
  isWithin: (id: string) => boolean = () => true,
): readonly AllocationFinding[] {
  const findings: AllocationFinding[] = [];
  const accounted = new Set<string>();
  for (const { owner, ids } of holders) for (const id of ids) if (holdings.get(id)?.uid === owner.uid) accounted.add(id);
  for (const { owner, revision, ids, unreadable = [] } of holders) {
    for (const text of unreadable) findings.push({ type: 'unreadable', text, owner });
    for (const id of ids) {
      const holding = holdings.get(id);
      if (!isWithin(id)) findings.push({ type: 'outside', id, owner });
      else if (holding?.uid === owner.uid) continue;
      else if (accounted.has(id)) findings.push({ type: 'duplicate', id, owner });
      else findings.push({ type: 'missing', id, owner, revision, keyRevision: holding?.revision ?? 0 });
    }
  }
  const held = new Set(holders.flatMap(({ ids }) => ids));
  for (const [id, { revision }] of holdings) if (!held.has(id)) findings.push({ type: 'leaked', id, keyRevision: revision });
  return findings;
}
