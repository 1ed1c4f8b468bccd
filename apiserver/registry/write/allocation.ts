/**
 * Allocation as part of a write: runs the allocation rules of the kind and adds the allocation keys to the
 * transaction of the object. Which addresses and ports are chosen is up to the strategy and {@link AllocationClaims}.
 */
import { tooManyItems } from '../../../shared/api/errors/field-error';
import { stringAt, type JsonObject } from '../../../shared/values/json';
import { readMetadata } from '../../../shared/api/metadata/object-meta';
import { invalid } from '../../../shared/api/errors/status';
import type { AllocationClaims, HeldIds, KeyWrite } from '../../allocation/claims';
import type { AllocationOwner } from '../../allocation/service-allocator';
import type { Store } from '../../storage/store';
import type { ResourceInfo } from '../object/resource-info';

const NO_ALLOCATIONS: HeldIds = new Map();
/** Keys of a Service's transaction besides allocations: the object, its namespace and the leader's Lease. */
const OTHER_KEYS = 3;

/** Allocates and checks the addresses and ports of an object. Throws a StatusError. */
export function allocate(info: ResourceInfo, object: JsonObject, old: JsonObject | undefined, claims: AllocationClaims | undefined): void {
  const { allocation } = info.strategy;
  if (allocation === undefined || claims === undefined) return;
  claims.beginAttempt(allocationOwnerOf(object));
  allocation.allocate(object, old, claims);
}

/** The ids that an object holds before and after a write. */
export interface AllocationChange {
  readonly name: string;
  readonly before: HeldIds;
  readonly after: HeldIds;
  /** Set when the object is deleted, because `allocate` did not run for it. */
  readonly releasedOwner: AllocationOwner | undefined;
}

/** `undefined` for kinds without allocations. `old` is undefined on create, `object` on delete. */
export function allocationChange(
  { strategy: { allocation } }: ResourceInfo,
  old: JsonObject | undefined,
  object: JsonObject | undefined,
): AllocationChange | undefined {
  if (allocation === undefined) return undefined;
  const allocationsOf = (state: JsonObject | undefined): HeldIds =>
    state === undefined ? NO_ALLOCATIONS : allocation.allocationsOf(state);
  const owner = allocationOwnerOf(object ?? old ?? {});
  return {
    name: owner.name,
    before: allocationsOf(old),
    after: allocationsOf(object),
    releasedOwner: object === undefined ? owner : undefined,
  };
}

/** The allocation keys to write with the object. Throws 422 when there are too many for one transaction. */
export function allocationWrites(
  { maxOperations }: Pick<Store, 'maxOperations'>,
  { row, strategy }: ResourceInfo,
  claims: AllocationClaims,
  { name, before, after, releasedOwner }: AllocationChange,
): readonly KeyWrite[] {
  if (releasedOwner !== undefined) claims.beginAttempt(releasedOwner);
  const writes = claims.keyWrites(before, after);
  const maxWrites = maxOperations - OTHER_KEYS;
  if (writes.length > maxWrites) throw invalid(row, name, [tooManyItems(strategy.allocation?.field ?? '', writes.length, maxWrites)]);
  return writes;
}

/** The object as the owner of its allocations. */
export function allocationOwnerOf(object: JsonObject): AllocationOwner {
  const metadata = readMetadata(object);
  const text = (member: string): string => stringAt(metadata, member) ?? '';
  return { namespace: text('namespace'), name: text('name'), uid: text('uid') };
}
