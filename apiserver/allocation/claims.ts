/**
 * The allocations of one write. It chooses and checks ids during the attempts of the write and returns the allocation
 * keys that change with the object. Nothing is allocated before the transaction; until then chosen ids are only
 * reserved against other requests of this replica.
 */
import type { IpFamily } from '../../shared/values/network/ip-address';
import type { KeyValue, StoreOperation, Revision } from '../storage/store';
import { allocationRecordOf, type ServiceAllocator, type AllocationOwner, type AllocationScope } from './service-allocator';
import { addressId, portId, addressOrPortIn, type AllocationPool } from './pool';

/** An id cannot be allocated. The message is upstream's. */
export class NotAllocatedError extends Error {
  override readonly name = 'NotAllocated';
}

/** The ids that an object holds, each with the protocols that use it; the list is empty for an address. */
export type HeldIds = ReadonlyMap<string, readonly string[]>;

/** A key that is written or compared in the transaction of the object. */
export interface KeyWrite {
  readonly key: string;
  /** What the transaction compares; 0: the key must not exist. */
  readonly modRevision: Revision;
  /** Absent: the key is only compared. */
  readonly operation?: StoreOperation;
  /** Called with the current state of the key when the compare of the transaction fails. */
  onConflict(state: KeyValue | undefined, revision: Revision): void;
}

const RANGE_FULL = 'range is full';

/** The claims of one write, over all its attempts. */
export class AllocationClaims {
  private owner: AllocationOwner = { namespace: '', name: '', uid: '' };
  /** Ids that were chosen in the previous attempt, and that this attempt has not chosen again so far. */
  private reusable: string[] = [];
  /** Ids of all attempts, which are reserved in the allocator until {@link close}. */
  private readonly reserved = new Set<string>();
  /** Ids chosen in this attempt. */
  private readonly dynamicIds = new Set<string>();
  /** Ids in the last key writes that the object did not hold before. */
  private readonly newIds = new Set<string>();
  /** Ids claimed in this attempt because the object requests them. */
  private readonly requestedIds = new Set<string>();
  /** The last claim of this attempt that failed, for metrics. */
  private refusal: { readonly pool: AllocationPool; readonly scope: AllocationScope } | undefined;

  constructor(private readonly allocator: ServiceAllocator) {}

  /** The families of the configured ranges; the first one is the default. */
  get families(): readonly IpFamily[] {
    return this.allocator.families;
  }

  /** Starts an attempt. Ids chosen in the previous attempt are chosen again if they are still free. */
  beginAttempt(owner: AllocationOwner): void {
    this.owner = owner;
    this.reusable = [...this.dynamicIds];
    this.dynamicIds.clear();
    this.requestedIds.clear();
    this.refusal = undefined;
  }

  /** Claims an address that the object does not hold yet. Throws {@link NotAllocatedError}. */
  claimAddress(family: IpFamily, text: string): void {
    const pool = this.addresses(family);
    const id = addressId(text);
    if (id === undefined || !pool.contains(id)) throw this.allocationError(pool, 'static', pool.messages.outOfRange(text));
    this.claim(pool, id);
  }

  /** Chooses a free address, one of the previous attempt if possible. Throws {@link NotAllocatedError}. */
  chooseAddress(family: IpFamily): string {
    return this.choose(this.addresses(family));
  }

  /** Claims a port that the object does not hold yet for any purpose. Throws {@link NotAllocatedError}. */
  claimPort(port: number): void {
    const pool = this.allocator.ports;
    const id = portId(port);
    if (!pool.contains(id)) throw this.allocationError(pool, 'static', pool.messages.outOfRange(String(port)));
    this.claim(pool, id);
  }

  /** Chooses a free port, one of the previous attempt if possible. Throws {@link NotAllocatedError}. */
  choosePort(): number {
    return Number(this.choose(this.allocator.ports));
  }

  /** The keys that change when the ids of an object change from `before` to `after`. */
  keyWrites(before: HeldIds, after: HeldIds): readonly KeyWrite[] {
    const writes: KeyWrite[] = [];
    this.newIds.clear();
    for (const [id, protocols] of after) {
      const previous = before.get(id);
      if (previous === undefined) this.newIds.add(id);
      if (previous === undefined || previous.join() !== protocols.join()) writes.push(this.keyWrite(id, this.keyValueFor(protocols)));
    }
    for (const id of before.keys()) {
      if (after.has(id)) continue;
      const record = this.allocator.recordOf(id);
      // The id of another object is not released.
      if (record === undefined || record.uid === this.owner.uid) writes.push(this.keyWrite(id, undefined));
    }
    return writes;
  }

  /** Call when the transaction has committed at `revision`. */
  recordCommitted(writes: readonly KeyWrite[], revision: Revision): void {
    for (const { key, operation } of writes) {
      if (operation === undefined) continue;
      const id = key.slice(this.allocator.keyOf('').length);
      this.allocator.updateRecord(id, operation.type === 'put' ? { revision, uid: this.owner.uid } : undefined, revision);
      const counts = operation.type === 'put' && this.newIds.has(id) ? this.allocator.countsOf(id) : undefined;
      if (counts !== undefined) counts.allocations[this.dynamicIds.has(id) ? 'dynamic' : 'static'] += 1;
    }
  }

  /** Call when the request is done. Ends its reservations, and counts a refusal unless the request was a dry run. */
  close({ dryRun }: { readonly dryRun: boolean }): void {
    for (const id of this.reserved) this.allocator.unreserve(id);
    this.reserved.clear();
    const counts = this.refusal === undefined || dryRun ? undefined : this.allocator.counts.get(this.refusal.pool);
    if (this.refusal !== undefined && counts !== undefined) counts.errors[this.refusal.scope] += 1;
  }

  private addresses(family: IpFamily): AllocationPool {
    const pool = this.allocator.addresses(family);
    if (pool === undefined) throw new NotAllocatedError(`${family} is not configured on this cluster`);
    return pool;
  }

  private claim(pool: AllocationPool, id: string): void {
    const isClaimedTwice = this.requestedIds.has(id) || this.dynamicIds.has(id);
    if (isClaimedTwice || this.allocator.isAllocated(id, this.owner))
      throw this.allocationError(pool, 'static', pool.messages.alreadyAllocated);
    this.requestedIds.add(id);
    this.reserve(id);
  }

  private choose(pool: AllocationPool): string {
    const reusableIndex = this.reusable.findIndex(
      (id) => pool.contains(id) && !this.requestedIds.has(id) && !this.allocator.isAllocated(id, this.owner),
    );
    const id = reusableIndex < 0 ? this.allocator.pickFree(pool, this.reserved) : this.reusable.splice(reusableIndex, 1)[0];
    if (id === undefined) throw this.allocationError(pool, 'dynamic', RANGE_FULL);
    this.dynamicIds.add(id);
    this.reserve(id);
    return addressOrPortIn(id);
  }

  private reserve(id: string): void {
    if (this.reserved.has(id)) return;
    this.reserved.add(id);
    this.allocator.reserve(id);
  }

  private allocationError(pool: AllocationPool, scope: AllocationScope, text: string): NotAllocatedError {
    this.refusal = { pool, scope };
    return new NotAllocatedError(text);
  }

  private keyWrite(id: string, value: Buffer | undefined): KeyWrite {
    const key = this.allocator.keyOf(id);
    const record = this.allocator.recordOf(id);
    // A put compares that the key does not exist or is the known one of this object. A delete compares the known key.
    const modRevision = record !== undefined && (value === undefined || record.uid === this.owner.uid) ? record.revision : 0;
    const operation = value === undefined ? deleteOperation(key, modRevision) : ({ type: 'put', key, value } as const);
    return {
      key,
      modRevision,
      ...(operation === undefined ? {} : { operation }),
      onConflict: (state, revision) => this.allocator.updateRecord(id, allocationRecordOf(state), revision),
    };
  }

  private keyValueFor(protocols: readonly string[]): Buffer {
    const { namespace, name, uid } = this.owner;
    return Buffer.from(JSON.stringify({ namespace, name, uid, ...(protocols.length === 0 ? {} : { protocols }) }));
  }
}

/** `undefined` when there is no key to delete. */
function deleteOperation(key: string, modRevision: Revision): StoreOperation | undefined {
  return modRevision === 0 ? undefined : { type: 'delete', key };
}
