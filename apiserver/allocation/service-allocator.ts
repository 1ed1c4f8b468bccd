/**
 * The allocated addresses and node ports as this replica knows them, from the watch of allocation keys and from its
 * own transactions. The store is authoritative: every write compares the keys that it allocates. This view only makes
 * the first attempt likely to succeed; it never reads the store.
 */
import type { IpFamily } from '../../shared/values/network/ip-address';
import type { Random } from '../../shared/runtime/random';
import type { KeyValue, Revision } from '../storage/store';
import { AllocationErrorCounts } from './allocation-error-counts';
import { addressPool, portPool, type AllocationPool } from './pool';
import type { PortRange, ServiceRanges } from './ranges';

/** The object to which an id is allocated. */
export interface AllocationOwner {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** An allocation key, as this replica knows it. */
export interface AllocationRecord {
  /** Revision of the allocation key. */
  readonly revision: Revision;
  /** uid of the owner; empty when the value of the key cannot be parsed. */
  readonly uid: string;
}

/** Whether the client has requested the id, or the server has chosen it. */
export type AllocationScope = 'static' | 'dynamic';

/** Metrics of a pool. `allocations` and `errors` only grow; `allocated` is the present number of allocated ids. */
export interface PoolCounts {
  readonly allocations: Record<AllocationScope, number>;
  readonly errors: Record<AllocationScope, number>;
  allocated: number;
}

/** The configured ranges. */
export interface ServiceAllocatorOptions {
  readonly ranges: ServiceRanges;
  readonly nodePorts: PortRange;
  /** Key prefix of the store, without a trailing slash. */
  readonly prefix: string;
  readonly random: Random;
  /** The object for which the first address of the first range is reserved. */
  readonly firstAddressFor: Pick<AllocationOwner, 'namespace' | 'name'>;
}

/** The prefix of allocation keys, relative to the key prefix of the store. */
export const ALLOCATIONS = 'allocations/';

/** The allocations of all ranges. A listener of the allocation keys. */
export class ServiceAllocator {
  /** In the order of the configured ranges. */
  readonly families: readonly IpFamily[];
  /** The pool of node ports, which may be empty. */
  readonly ports: AllocationPool;
  /** The metrics of each pool. */
  readonly counts = new Map<AllocationPool, PoolCounts>();
  /** The errors that allocation repair has found. */
  readonly errorCounts = new AllocationErrorCounts();
  private readonly byFamily = new Map<IpFamily, AllocationPool>();
  private readonly records = new Map<string, AllocationRecord>();
  /** Ids that requests of this replica have reserved but not committed, with the number of these requests. */
  private readonly reservations = new Map<string, number>();
  private readonly root: string;

  constructor(private readonly options: ServiceAllocatorOptions) {
    this.families = options.ranges.map(({ family }) => family);
    for (const range of options.ranges) this.byFamily.set(range.family, addressPool(range));
    this.ports = portPool(options.nodePorts);
    for (const pool of this.pools) this.counts.set(pool, newCounts());
    this.root = `${options.prefix}/${ALLOCATIONS}`;
    this.addresses(this.families[0] ?? 'IPv4')?.markAllocated(this.firstAddress);
  }

  /** One for each family, and that of node ports. */
  get pools(): readonly AllocationPool[] {
    return [...this.byFamily.values(), this.ports];
  }

  /** `undefined` for a family that is not configured. */
  addresses(family: IpFamily): AllocationPool | undefined {
    return this.byFamily.get(family);
  }

  /** The store key of an id. */
  keyOf(id: string): string {
    return this.root + id;
  }

  /** The allocation keys by id. */
  allRecords(): ReadonlyMap<string, AllocationRecord> {
    return this.records;
  }

  /** `undefined` when the id has no key. */
  recordOf(id: string): AllocationRecord | undefined {
    return this.records.get(id);
  }

  /** Whether the id has a key, or is the first address, which only {@link ServiceAllocatorOptions.firstAddressFor} may hold. */
  isAllocated(id: string, owner: AllocationOwner): boolean {
    if (this.records.has(id)) return true;
    const { namespace, name } = this.options.firstAddressFor;
    return id === this.firstAddress && (owner.namespace !== namespace || owner.name !== name);
  }

  /**
   * A free id that no request has reserved. If there is none, an id that is only reserved, apart from those in `except`: the
   * transactions of both requests then decide which of them gets it.
   */
  pickFree(pool: AllocationPool, except: ReadonlySet<string>): string | undefined {
    const id = pool.pickFree(this.options.random.float());
    if (id !== undefined) return id;
    const isOnlyReserved = (reserved: string): boolean => pool.contains(reserved) && !this.records.has(reserved);
    for (const reserved of this.reservations.keys()) if (isOnlyReserved(reserved) && !except.has(reserved)) return reserved;
    return undefined;
  }

  /** Keeps other requests of this replica from choosing the id while another one is free; undone by {@link unreserve}. */
  reserve(id: string): void {
    this.reservations.set(id, (this.reservations.get(id) ?? 0) + 1);
    this.markAllocated(id);
  }

  /** Ends one reservation; the id is free again when nothing else holds it. */
  unreserve(id: string): void {
    const remaining = (this.reservations.get(id) ?? 0) - 1;
    if (remaining > 0) this.reservations.set(id, remaining);
    else this.reservations.delete(id);
    this.markFree(id);
  }

  /** Records the state of a key at `revision`, from a transaction or the watch. Ignored when a later state is known. */
  updateRecord(id: string, record: AllocationRecord | undefined, revision: Revision): void {
    const known = this.records.get(id);
    if (known !== undefined && known.revision > (record?.revision ?? revision)) return;
    if (record === undefined) {
      this.removeRecord(id);
      return;
    }
    this.records.set(id, record);
    this.markAllocated(id);
    const counts = known === undefined ? this.countsOf(id) : undefined;
    if (counts !== undefined) counts.allocated += 1;
  }

  // The members of the cache's KeyListener; keys are relative to the key prefix.

  /** All keys are unknown; those that exist follow as changes. */
  onReset(): void {
    for (const id of [...this.records.keys()]) this.removeRecord(id);
  }

  /** `value` is `undefined` when the key was deleted. */
  onKeyChange(key: string, value: Buffer | undefined, revision: Revision): void {
    const id = key.slice(ALLOCATIONS.length);
    this.updateRecord(id, value === undefined ? undefined : { revision, uid: uidIn(value) }, revision);
  }

  /** The metrics of the pool that contains the id; `undefined` when none does. */
  countsOf(id: string): PoolCounts | undefined {
    const pool = this.pools.find((candidate) => candidate.contains(id));
    return pool === undefined ? undefined : this.counts.get(pool);
  }

  private get firstAddress(): string {
    return this.addresses(this.families[0] ?? 'IPv4')?.first ?? '';
  }

  private removeRecord(id: string): void {
    if (!this.records.delete(id)) return;
    const counts = this.countsOf(id);
    if (counts !== undefined) counts.allocated -= 1;
    this.markFree(id);
  }

  private markAllocated(id: string): void {
    for (const pool of this.pools) pool.markAllocated(id);
  }

  private markFree(id: string): void {
    if (this.records.has(id) || this.reservations.has(id) || id === this.firstAddress) return;
    for (const pool of this.pools) pool.release(id);
  }
}

function newCounts(): PoolCounts {
  return { allocations: { static: 0, dynamic: 0 }, errors: { static: 0, dynamic: 0 }, allocated: 0 };
}

/** The record of an allocation key; `undefined` when the key does not exist. */
export function allocationRecordOf(kv: KeyValue | undefined): AllocationRecord | undefined {
  return kv === undefined ? undefined : { revision: kv.modRevision, uid: uidIn(kv.value) };
}

/** Empty for an unreadable value; its id is allocated nevertheless. */
function uidIn(value: Buffer): string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(value.toString());
  } catch {
    return '';
  }
  return typeof parsed === 'object' && parsed !== null && 'uid' in parsed && typeof parsed.uid === 'string' ? parsed.uid : '';
}
