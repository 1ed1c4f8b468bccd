/**
 * Compares what objects say they hold with the allocation keys: finds what is held without a key, held twice, or allocated to nobody. Nothing is
 * to be found in data that this server wrote, whatever happened to it on the way.
 */
import type { Revision } from '../storage/store';
import type { Holding, AllocationOwner } from './ledger';

/** An object with what it holds. */
export interface Holder {
  readonly owner: AllocationOwner;
  readonly revision: Revision;
  readonly ids: readonly string[];
}

export type Finding =
  /** Nothing stands for what the owner holds. */
  | { readonly type: 'missing'; readonly id: string; readonly owner: AllocationOwner; readonly revision: Revision }
  /** The owner says that it holds what is allocated to another. */
  | { readonly type: 'foreign'; readonly id: string; readonly owner: AllocationOwner }
  /** Nobody says that it holds what is allocated. */
  | { readonly type: 'leaked'; readonly id: string };

export function auditAllocations(holders: Iterable<Holder>, holdings: ReadonlyMap<string, Holding>): readonly Finding[] {
  const findings: Finding[] = [];
  const accounted = new Set<string>();
  for (const { owner, revision, ids } of holders) {
    for (const id of ids) {
      const holding = holdings.get(id);
      if (holding === undefined) findings.push({ type: 'missing', id, owner, revision });
      else if (holding.uid !== owner.uid) findings.push({ type: 'foreign', id, owner });
      else accounted.add(id);
    }
  }
  for (const id of holdings.keys()) if (!accounted.has(id)) findings.push({ type: 'leaked', id });
  return findings;
}
