/**
 * Allocation as a step of a write: when an object's strategy takes addresses and ports, where the keys that stand for them join the object's
 * transaction, and when what was chosen is let go again. What is taken and why is the strategy's and the claims' business.
 */
import { tooManyItems } from '../../../shared/api/errors/field-error';
import type { JsonObject } from '../../../shared/values/json';
import { readMetadata } from '../../../shared/api/metadata/object-meta';
import { stringAt } from '../../../shared/values/json';
import { invalid } from '../../../shared/api/errors/status';
import type { AllocationClaims, Held, KeyWrite } from '../../allocation/claims';
import type { AllocationOwner } from '../../allocation/service-allocator';
import type { Store } from '../../storage/store';
import type { ResourceInfo } from '../object/resource-info';

const NOTHING: Held = new Map();
/** The object and its guards. */
const OTHER_KEYS = 3;

/** Chooses and checks what the object takes. Throws a StatusError. */
export function allocate(info: ResourceInfo, object: JsonObject, old: JsonObject | undefined, claims: AllocationClaims | undefined): void {
  const { allocation } = info.strategy;
  if (allocation === undefined || claims === undefined) return;
  claims.begin(ownerOf(object));
  allocation.choose(object, old, claims);
}

/** What an object holds of the cluster's ranges before and after a write. */
export interface AllocationChange {
  readonly name: string;
  readonly before: Held;
  readonly after: Held;
  /** The object when it is deleted: nothing has been chosen for it. */
  readonly released: AllocationOwner | undefined;
}

/** Undefined for a kind that takes nothing. `old` undefined: the object is new; `object` undefined: it is deleted. */
export function allocationChange(
  { strategy: { allocation } }: ResourceInfo,
  old: JsonObject | undefined,
  object: JsonObject | undefined,
): AllocationChange | undefined {
  if (allocation === undefined) return undefined;
  const held = (state: JsonObject | undefined): Held => (state === undefined ? NOTHING : allocation.held(state));
  const owner = ownerOf(object ?? old ?? {});
  return { name: owner.name, before: held(old), after: held(object), released: object === undefined ? owner : undefined };
}

/** The keys that change with the object. Throws a 422 StatusError. */
export function allocationWrites(
  { maxOperations }: Pick<Store, 'maxOperations'>,
  { group, kind, strategy }: ResourceInfo,
  claims: AllocationClaims,
  { name, before, after, released }: AllocationChange,
): readonly KeyWrite[] {
  if (released !== undefined) claims.begin(released);
  const writes = claims.changes(before, after);
  const most = maxOperations - OTHER_KEYS;
  if (writes.length > most) throw invalid({ group, kind }, name, [tooManyItems(strategy.allocation?.field ?? '', writes.length, most)]);
  return writes;
}

export function ownerOf(object: JsonObject): AllocationOwner {
  const metadata = readMetadata(object);
  const text = (member: string): string => stringAt(metadata, member) ?? '';
  return { namespace: text('namespace'), name: text('name'), uid: text('uid') };
}
