/**
 * Compares what objects say they hold with the allocation keys and the ranges: finds what is held without a key, held twice, out of range or allocated to
 * nobody. Nothing is to be found in data that this server wrote, whatever happened to it on the way; but data are restored, written by earlier builds and
 * other hands, and ranges are changed.
 */
import type { Revision } from '../storage/store';
import type { Holding, AllocationOwner } from './service-allocator';

/** An object with what it holds. */
export interface Holder {
  readonly owner: AllocationOwner;
  readonly revision: Revision;
  readonly ids: readonly string[];
  /** What it says it holds and nobody can: no addresses. */
  readonly unreadable?: readonly string[];
}

export type Finding =
  /** Nothing stands for what the owner holds, or a key of somebody who does not say that he holds it; `keyRevision` 0 = there is no key. */
  | {
      readonly type: 'missing';
      readonly id: string;
      readonly owner: AllocationOwner;
      readonly revision: Revision;
      readonly keyRevision: Revision;
    }
  /** Another holds it as well, and it is allocated to him. */
  | { readonly type: 'duplicate'; readonly id: string; readonly owner: AllocationOwner }
  /** It is not within any range of this server. */
  | { readonly type: 'outside'; readonly id: string; readonly owner: AllocationOwner }
  | { readonly type: 'unreadable'; readonly text: string; readonly owner: AllocationOwner }
  /** Nobody says that he holds what is allocated. */
  | { readonly type: 'leaked'; readonly id: string; readonly keyRevision: Revision };

export function auditAllocations(
  holders: readonly Holder[],
  holdings: ReadonlyMap<string, Holding>,
  isWithin: (id: string) => boolean = () => true,
): readonly Finding[] {
  const findings: Finding[] = [];
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
