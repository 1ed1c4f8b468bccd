/**
 * What one write asks of the ranges: it chooses and checks while the object is being made, over as many attempts as the write takes, and says
 * which keys have to change with the object. Nothing is allocated before the transaction that stores the object; until then what was
 * chosen is only kept from other requests of this replica.
 */
import type { IpFamily } from '../../shared/values/ip-address';
import type { KeyValue, StoreOperation, Revision } from '../storage/store';
import { holdingOf, type Ledger, type AllocationOwner, type Scope } from './service-allocator';
import { addressId, portId, shownIn, type Pool } from './pool';

/** A wish that cannot be granted; the message is upstream's. */
export class NotAllocated extends Error {
  override readonly name = 'NotAllocated';
}

/** What an object holds: ids, and for ports the protocols that use them. */
export type Held = ReadonlyMap<string, readonly string[]>;

/** A key that changes, or must not have changed, with the object. */
export interface KeyWrite {
  readonly key: string;
  readonly modRevision: Revision;
  readonly operation?: StoreOperation;
  /** The present state when the race for some key of the transaction was lost. */
  lost(state: KeyValue | undefined, revision: Revision): void;
}

const FULL = 'range is full';

export class AllocationClaims {
  private owner: AllocationOwner = { namespace: '', name: '', uid: '' };
  /** What was chosen in earlier attempts and is not used in this one yet. */
  private spare: string[] = [];
  private readonly reserved = new Set<string>();
  /** In this attempt. */
  private readonly dynamic = new Set<string>();
  /** What the last changes take that was not held before. */
  private readonly fresh = new Set<string>();
  private readonly named = new Set<string>();
  private refusal: { readonly pool: Pool; readonly scope: Scope } | undefined;

  constructor(private readonly ledger: Ledger) {}

  get families(): readonly IpFamily[] {
    return this.ledger.families;
  }

  /** A new attempt: everything is asked for again. What was chosen is chosen again where it is still to be had. */
  begin(owner: AllocationOwner): void {
    this.owner = owner;
    this.spare = [...this.dynamic];
    this.dynamic.clear();
    this.named.clear();
    this.refusal = undefined;
  }

  /** What the object does not hold yet. Throws {@link NotAllocated}. */
  claimAddress(family: IpFamily, text: string): void {
    const pool = this.addresses(family);
    const id = addressId(text);
    if (id === undefined || !pool.contains(id)) throw this.refuse(pool, 'static', pool.texts.outside(text));
    this.claim(pool, id);
  }

  chooseAddress(family: IpFamily): string {
    return this.choose(this.addresses(family));
  }

  /** What the object does not hold yet, in whatever role. Throws {@link NotAllocated}. */
  claimPort(port: number): void {
    const pool = this.ledger.ports;
    const id = portId(port);
    if (!pool.contains(id)) throw this.refuse(pool, 'static', pool.texts.outside(String(port)));
    this.claim(pool, id);
  }

  choosePort(): number {
    return Number(this.choose(this.ledger.ports));
  }

  /** The keys that change when an object that held `before` holds `after`. */
  changes(before: Held, after: Held): readonly KeyWrite[] {
    const writes: KeyWrite[] = [];
    this.fresh.clear();
    for (const [id, protocols] of after) {
      const kept = before.get(id);
      if (kept === undefined) this.fresh.add(id);
      if (kept === undefined || kept.join() !== protocols.join()) writes.push(this.write(id, this.valueFor(protocols)));
    }
    for (const id of before.keys()) {
      if (after.has(id)) continue;
      const holding = this.ledger.holding(id);
      // What another object holds is not this one's to give back.
      if (holding === undefined || holding.uid === this.owner.uid) writes.push(this.write(id, undefined));
    }
    return writes;
  }

  /** The transaction with these changes was done at `revision`. */
  committed(writes: readonly KeyWrite[], revision: Revision): void {
    for (const { key, operation } of writes) {
      if (operation === undefined) continue;
      const id = key.slice(this.ledger.keyOf('').length);
      this.ledger.learn(id, operation.type === 'put' ? { revision, uid: this.owner.uid } : undefined, revision);
      const counts = operation.type === 'put' && this.fresh.has(id) ? this.ledger.countsOf(id) : undefined;
      if (counts !== undefined) counts.allocations[this.dynamic.has(id) ? 'dynamic' : 'static'] += 1;
    }
  }

  /** The request is over. */
  close(dryRun: boolean): void {
    for (const id of this.reserved) this.ledger.unreserve(id);
    this.reserved.clear();
    const counts = this.refusal === undefined || dryRun ? undefined : this.ledger.counts.get(this.refusal.pool);
    if (this.refusal !== undefined && counts !== undefined) counts.errors[this.refusal.scope] += 1;
  }

  private addresses(family: IpFamily): Pool {
    const pool = this.ledger.addresses(family);
    if (pool === undefined) throw new NotAllocated(`${family} is not configured on this cluster`);
    return pool;
  }

  private claim(pool: Pool, id: string): void {
    const again = this.named.has(id) || this.dynamic.has(id);
    if (again || this.ledger.isTaken(id, this.owner)) throw this.refuse(pool, 'static', pool.texts.taken);
    this.named.add(id);
    this.reserve(id);
  }

  private choose(pool: Pool): string {
    const again = this.spare.findIndex((id) => pool.contains(id) && !this.named.has(id) && !this.ledger.isTaken(id, this.owner));
    const id = again < 0 ? this.ledger.choose(pool, this.reserved) : this.spare.splice(again, 1)[0];
    if (id === undefined) throw this.refuse(pool, 'dynamic', FULL);
    this.dynamic.add(id);
    this.reserve(id);
    return shownIn(id);
  }

  private reserve(id: string): void {
    if (this.reserved.has(id)) return;
    this.reserved.add(id);
    this.ledger.reserve(id);
  }

  private refuse(pool: Pool, scope: Scope, text: string): NotAllocated {
    this.refusal = { pool, scope };
    return new NotAllocated(text);
  }

  private write(id: string, value: Buffer | undefined): KeyWrite {
    const key = this.ledger.keyOf(id);
    const holding = this.ledger.holding(id);
    // Nobody holds what is to be taken, or the object itself does.
    const modRevision = holding !== undefined && (value === undefined || holding.uid === this.owner.uid) ? holding.revision : 0;
    const operation: StoreOperation | undefined =
      value !== undefined ? { type: 'put', key, value } : modRevision === 0 ? undefined : { type: 'delete', key };
    return {
      key,
      modRevision,
      ...(operation === undefined ? {} : { operation }),
      lost: (state, revision) => this.ledger.learn(id, holdingOf(state), revision),
    };
  }

  private valueFor(protocols: readonly string[]): Buffer {
    const { namespace, name, uid } = this.owner;
    return Buffer.from(JSON.stringify({ namespace, name, uid, ...(protocols.length === 0 ? {} : { protocols }) }));
  }
}
