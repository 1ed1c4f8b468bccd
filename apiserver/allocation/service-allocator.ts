/**
 * Which addresses and node ports are allocated to whom, as this replica knows it: from the allocation keys that reach it with the cache's one watch,
 * and at once from what its own transactions found or did. The truth is in the store, where every write compares the keys that it takes; this view
 * only makes the first attempt a good one. Never asks the store.
 */
import type { IpFamily } from '../../shared/values/ip-address';
import type { Random } from '../../shared/runtime/random';
import type { KeyValue, Revision } from '../storage/store';
import { AllocationFaults } from './fault-counts';
import { addressPool, portPool, type Pool } from './pool';
import type { PortRange, ServiceRanges } from './ranges';

/** Whose an allocated address or port is. */
export interface AllocationOwner {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export interface Holding {
  /** At which the key was written. */
  readonly revision: Revision;
  /** Of the owner; '' when the value says nothing that this server understands. */
  readonly uid: string;
}

export type Scope = 'static' | 'dynamic';

/** What metrics tell of a pool. */
export interface PoolCounts {
  readonly allocations: Record<Scope, number>;
  readonly errors: Record<Scope, number>;
  /** In the range at present. */
  allocated: number;
}

export interface LedgerOptions {
  readonly ranges: ServiceRanges;
  readonly nodePorts: PortRange;
  /** The store's key prefix, without a slash at its end. */
  readonly prefix: string;
  readonly random: Random;
  /** To whom the first address of the first range belongs before anyone asks for it. */
  readonly firstAddressFor: Pick<AllocationOwner, 'namespace' | 'name'>;
}

/** Below the prefix. */
export const ALLOCATIONS = 'allocations/';

export class Ledger {
  /** Of the configured ranges, in their order. */
  readonly families: readonly IpFamily[];
  readonly ports: Pool;
  readonly counts = new Map<Pool, PoolCounts>();
  readonly faults = new AllocationFaults();
  private readonly byFamily = new Map<IpFamily, Pool>();
  private readonly holdings = new Map<string, Holding>();
  /** Ids that requests of this replica have chosen and not committed yet, with how many have chosen each. */
  private readonly chosen = new Map<string, number>();
  private readonly root: string;

  constructor(private readonly options: LedgerOptions) {
    this.families = options.ranges.map(({ family }) => family);
    for (const range of options.ranges) this.byFamily.set(range.family, addressPool(range));
    this.ports = portPool(options.nodePorts);
    for (const pool of this.pools) this.counts.set(pool, newCounts());
    this.root = `${options.prefix}/${ALLOCATIONS}`;
    this.addresses(this.families[0] ?? 'IPv4')?.take(this.firstAddress);
  }

  get pools(): readonly Pool[] {
    return [...this.byFamily.values(), this.ports];
  }

  /** Undefined for a family that is not configured. */
  addresses(family: IpFamily): Pool | undefined {
    return this.byFamily.get(family);
  }

  keyOf(id: string): string {
    return this.root + id;
  }

  all(): ReadonlyMap<string, Holding> {
    return this.holdings;
  }

  holding(id: string): Holding | undefined {
    return this.holdings.get(id);
  }

  /** Whether it is allocated, as far as this replica knows, or kept for someone else than `owner`. */
  isTaken(id: string, owner: AllocationOwner): boolean {
    if (this.holdings.has(id)) return true;
    const { namespace, name } = this.options.firstAddressFor;
    return id === this.firstAddress && (owner.namespace !== namespace || owner.name !== name);
  }

  /** A free one that no other request is about to take; when all are, one of those, for the store to decide. */
  choose(pool: Pool, except: ReadonlySet<string>): string | undefined {
    const id = pool.choose(this.options.random.float());
    if (id !== undefined) return id;
    for (const contested of this.chosen.keys()) {
      if (pool.contains(contested) && !this.holdings.has(contested) && !except.has(contested)) return contested;
    }
    return undefined;
  }

  reserve(id: string): void {
    this.chosen.set(id, (this.chosen.get(id) ?? 0) + 1);
    this.occupy(id);
  }

  unreserve(id: string): void {
    const left = (this.chosen.get(id) ?? 0) - 1;
    if (left > 0) this.chosen.set(id, left);
    else this.chosen.delete(id);
    this.vacate(id);
  }

  /** What a transaction showed of a key, or made of it, at `revision`. */
  learn(id: string, holding: Holding | undefined, revision: Revision): void {
    const known = this.holdings.get(id);
    if (known !== undefined && known.revision > (holding?.revision ?? revision)) return;
    if (holding === undefined) {
      this.forget(id);
      return;
    }
    this.holdings.set(id, holding);
    this.occupy(id);
    const counts = known === undefined ? this.countsOf(id) : undefined;
    if (counts !== undefined) counts.allocated += 1;
  }

  // What the cache's watch tells (KeyListener). Keys are relative to the prefix.

  onReset(): void {
    for (const id of [...this.holdings.keys()]) this.forget(id);
  }

  onKeyChange(key: string, value: Buffer | undefined, revision: Revision): void {
    const id = key.slice(ALLOCATIONS.length);
    this.learn(id, value === undefined ? undefined : { revision, uid: uidIn(value) }, revision);
  }

  countsOf(id: string): PoolCounts | undefined {
    const pool = this.pools.find((candidate) => candidate.contains(id));
    return pool === undefined ? undefined : this.counts.get(pool);
  }

  private get firstAddress(): string {
    return this.addresses(this.families[0] ?? 'IPv4')?.first ?? '';
  }

  private forget(id: string): void {
    if (!this.holdings.delete(id)) return;
    const counts = this.countsOf(id);
    if (counts !== undefined) counts.allocated -= 1;
    this.vacate(id);
  }

  private occupy(id: string): void {
    for (const pool of this.pools) pool.take(id);
  }

  private vacate(id: string): void {
    if (this.holdings.has(id) || this.chosen.has(id) || id === this.firstAddress) return;
    for (const pool of this.pools) pool.release(id);
  }
}

function newCounts(): PoolCounts {
  return { allocations: { static: 0, dynamic: 0 }, errors: { static: 0, dynamic: 0 }, allocated: 0 };
}

export function holdingOf(kv: KeyValue | undefined): Holding | undefined {
  return kv === undefined ? undefined : { revision: kv.modRevision, uid: uidIn(kv.value) };
}

/** A key whose value cannot be read is taken all the same. */
function uidIn(value: Buffer): string {
  let read: unknown;
  try {
    read = JSON.parse(value.toString());
  } catch {
    return '';
  }
  return typeof read === 'object' && read !== null && 'uid' in read && typeof read.uid === 'string' ? read.uid : '';
}
