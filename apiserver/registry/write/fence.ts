/**
 * Fencing of leaders: a write with a fencing token (a term of leadership) is stored only while the term lasts. Its
 * transaction compares the Lease, as guaranteed-update.ts does for all guards.
 */
import { isFenceInForce, type Fence } from '../../../shared/api/identity/fencing';
import type { GroupResource } from '../../../shared/api/identity/identity';
import { conflict } from '../../../shared/api/errors/status';
import { canonicalNamespace, type GeneratedNames } from '../../../shared/names/dialect';
import { quote } from '../../../shared/values/text/quote';
import type { ResourceInfo } from '../object/resource-info';
import { parseEntry } from '../object/stored-object';
import { entryKey } from '../resources';
import type { Guard } from './guaranteed-update';

export interface FencedWrite {
  readonly fence: Fence;
  /** The user may not read the Lease, so the write is rejected whatever the Lease contains. */
  readonly isHidden: boolean;
  readonly leases: ResourceInfo;
  readonly names: GeneratedNames;
  /** Resource and name of the written object. */
  readonly gr: GroupResource;
  readonly name: string;
}

/** The guard that rejects the write with 409 when another term of leadership is in force. */
export function leaseGuard({ fence, isHidden, leases, names, gr, name }: FencedWrite): Guard {
  const key = entryKey({ namespace: canonicalNamespace(names, fence.namespace), name: fence.name });
  const term = `term ${fence.transitions} of ${quote(fence.holder)}`;
  return {
    name: 'lease',
    type: leases.stored,
    key,
    storeKey: leases.keyPrefix + key,
    compared: 'always',
    refusal: (lease) =>
      !isHidden && isFenceInForce(fence, lease === undefined ? undefined : parseEntry(lease).object)
        ? undefined
        : conflict(gr, name, `the ${term} under the lease ${quote(`${fence.namespace}/${fence.name}`)} is over`),
  };
}
