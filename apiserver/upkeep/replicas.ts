/**
 * Which API servers are alive: each keeps a key with a store lease, so that one that dies is gone when its lease ends, and one that stops is gone at
 * once. All see the same keys on the cache's watch. A server whose key is gone although it runs (its lease ended while it got no processor time) puts it
 * again. Never touches an API object.
 */
import { createHash } from 'node:crypto';
import type { Clock } from '../../shared/runtime/clock';
import { StoreError, type LeaseId, type Revision, type Store, type StoreCallOptions } from '../storage/store';
import { keepUp, type Upkeep } from './upkeep';

/** Below the prefix. */
export const REPLICAS = 'replicas/';

const LEASE_SECONDS = 15;
const RENEW_MS = 5_000;
const CALL_MS = 4_000;

/** Where a replica can be reached. */
export interface ReplicaAddress {
  readonly ip: string;
  readonly port: number;
}

export interface ReplicasOptions {
  readonly store: Store;
  /** The store's key prefix, without a slash at its end. */
  readonly prefix: string;
  readonly clock: Clock;
  /** Called for what went wrong; it is tried again. */
  readonly failed: (message: string, error: unknown) => void;
}

export class Replicas {
  private readonly live = new Map<string, ReplicaAddress>();
  private readonly listeners = new Set<() => void>();
  private own: ReplicaAddress | undefined;
  private lease: LeaseId | undefined;
  /** The revision of this replica's key as it was last put; undefined when it has to be put again. */
  private recordedAt: Revision | undefined;
  private upkeep: Upkeep | undefined;

  constructor(private readonly options: ReplicasOptions) {}

  /** Ordered by address and port. */
  get addresses(): readonly ReplicaAddress[] {
    return [...this.live].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, address]) => address);
  }

  /**
   * How many others go before this one with what one of them is enough for. All who see the same replicas see the same order, which is another one for each
   * subject. 0 also where this one is none of them.
   */
  goingBefore(subject: string): number {
    const { own } = this;
    if (own === undefined) return 0;
    const place = placeFor(subject, own);
    return [...this.live.values()].filter((other) => placeFor(subject, other) < place).length;
  }

  onChange(listener: () => void): void {
    this.listeners.add(listener);
  }

  /** From here on this replica is one of them. */
  join(own: ReplicaAddress): void {
    this.own = own;
    this.upkeep = keepUp({ ...this.options, intervalMs: RENEW_MS }, () => this.renew(own));
  }

  /** This replica is none of them any more, as soon as the store hears of it. */
  async leave(): Promise<void> {
    this.own = undefined;
    this.upkeep?.stop();
    const { lease } = this;
    this.lease = undefined;
    if (lease === undefined) return;
    try {
      await this.options.store.revokeLease(lease, { deadline: this.options.clock.monotonic() + CALL_MS });
    } catch (error) {
      if (!isOver(error)) this.options.failed('the lease of this replica could not be ended; it ends by itself', error);
    }
  }

  // What the cache's watch tells (KeyListener). Keys are relative to the prefix.

  reset(): void {
    this.live.clear();
    this.changedNow();
  }

  changed(key: string, value: Buffer | undefined): void {
    const address = value === undefined ? undefined : parseAddress(value.toString());
    if (address === undefined) this.live.delete(key);
    else this.live.set(key, address);
    this.changedNow();
    if (value === undefined && this.own !== undefined && key === keyOf(this.own)) void this.upkeep?.look();
  }

  private changedNow(): void {
    for (const listener of this.listeners) listener();
  }

  /** False = to be tried again soon. */
  private async renew(own: ReplicaAddress): Promise<boolean> {
    try {
      await this.hold(own);
      return true;
    } catch (error) {
      if (this.own !== undefined) this.options.failed('the lease of this replica could not be renewed', error);
      return false;
    }
  }

  private async hold(own: ReplicaAddress): Promise<void> {
    const { store, clock, prefix } = this.options;
    const call = { deadline: clock.monotonic() + CALL_MS };
    const key = `${prefix}/${keyOf(own)}`;
    const lease = (await this.renewedLease(call)) ?? (await this.newLease(call));
    if (lease === undefined) return;
    if (this.recordedAt !== undefined) {
      const { kv } = await store.get(key, call);
      // Another revision is a put of an earlier lease, which arrived late and ends with it.
      if (kv?.modRevision === this.recordedAt) return;
    }
    const put = { type: 'put', key, value: Buffer.from(JSON.stringify(own)), lease } as const;
    this.recordedAt = undefined;
    this.recordedAt = (await store.transact({ compare: [], operations: [put] }, call)).revision;
  }

  /** Undefined when there is none that goes on. */
  private async renewedLease(call: StoreCallOptions): Promise<LeaseId | undefined> {
    const { lease } = this;
    if (lease === undefined) return undefined;
    try {
      await this.options.store.keepLeaseAlive(lease, call);
      return lease;
    } catch (error) {
      if (!isOver(error)) throw error;
      this.lease = undefined;
      return undefined;
    }
  }

  /** Undefined when this replica has left in the meantime. */
  private async newLease(call: StoreCallOptions): Promise<LeaseId | undefined> {
    const { store } = this.options;
    this.recordedAt = undefined;
    const lease = await store.grantLease(LEASE_SECONDS, call);
    if (this.own !== undefined) return (this.lease = lease);
    await store.revokeLease(lease, call);
    return undefined;
  }
}

function keyOf({ ip, port }: ReplicaAddress): string {
  return `${REPLICAS}${ip}:${port}`;
}

function isOver(error: unknown): boolean {
  return error instanceof StoreError && error.failure === 'lease-not-found';
}

function placeFor(subject: string, { ip, port }: ReplicaAddress): string {
  return createHash('sha256').update(`${ip}:${port} ${subject}`).digest('hex');
}

function parseAddress(text: string): ReplicaAddress | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || !('ip' in value) || !('port' in value)) return undefined;
  const { ip, port } = value;
  return typeof ip === 'string' && typeof port === 'number' ? { ip, port } : undefined;
}
