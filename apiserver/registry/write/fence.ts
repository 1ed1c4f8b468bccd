/**
 * The fence of a write (design §3.8): a write that names a term of leadership is stored only while that term is in force, which the
 * write's own transaction holds against the Lease. Where the Lease comes from and when it is looked at is settle's business (attempts.ts).
 */
import { isInForce, type Fence } from '../../../shared/api/identity/fencing';
import type { GroupResource } from '../../../shared/api/identity/identity';
import { quote } from '../../../shared/values/quote';
import { conflict } from '../../../shared/api/errors/status';
import { canonicalNamespace, type GeneratedNames } from '../../../shared/names/dialect';
import { entryKey } from '../resources';
import type { Fencing } from './attempts';
import type { Plan } from '../object/resource-info';
import { parseEntry } from '../object/stored-object';

/** `name` = the object that is to be written. */
export function fencingOf(fence: Fence, leases: Plan, names: GeneratedNames, gr: GroupResource, name: string): Fencing {
  const key = entryKey({ namespace: canonicalNamespace(names, fence.namespace), name: fence.name });
  const term = `term ${fence.transitions} of ${quote(fence.holder)}`;
  return {
    lease: { type: leases.stored, key, storeKey: leases.keyPrefix + key },
    holds: (lease) => isInForce(fence, lease === undefined ? undefined : parseEntry(lease).object),
    refusal: () => conflict(gr, name, `the ${term} under the lease ${quote(`${fence.namespace}/${fence.name}`)} is over`),
  };
}
