/**
 * Which API servers are alive: each keeps a key with a store lease, so that one that dies is gone when its lease ends, and one that stops is gone at
 * once. All see the same keys on the cache's watch. Never touches an API object.
 */
import { createHash } from 'node:crypto';
import type { Clock, Timer } from '../../shared/runtime/clock';
import { StoreError, type LeaseId, type Store } from '../storage/store';

/** Below the prefix. */
export const REPLICAS = 'replicas/';

const LEASE_SECONDS = 15;
const RENEW_MS = 5_000;
const RETRY_MS = 1_000;
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
  /** Told of what went wrong; it is tried again. */
  readonly failed: (message: string, error: unknown) => void;
}

export class Replicas {
  private readonly live = new Map<string, ReplicaAddress>();
  private readonly listeners = new Set<() => void>();
  private own: ReplicaAddress | undefined;
  private lease: LeaseId | undefined;
  private timer: Timer | undefined;

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
    this.renew();
  }

  /** This replica is none of them any more, as soon as the store hears of it. */
  async leave(): Promise<void> {
    this.own = undefined;
    this.timer?.cancel();
    const { lease } = this;
    this.lease = undefined;
    if (lease === undefined) return;
    try {
      await this.options.store.revokeLease(lease, { deadline: this.options.clock.monotonic() + CALL_MS });
    } catch (error) {
      this.options.failed('the lease of this replica could not be ended; it ends by itself', error);
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
  }

  private changedNow(): void {
    for (const listener of this.listeners) listener();
  }

  private renew(): void {
    const { clock, failed } = this.options;
    void this.hold()
      .then(
        () => RENEW_MS,
        (error: unknown) => {
          failed('the lease of this replica could not be renewed', error);
          return RETRY_MS;
        },
      )
      .then((delay) => {
        if (this.own !== undefined) this.timer = clock.after(delay, () => this.renew());
      });
  }

  private async hold(): Promise<void> {
    const { store, clock, prefix } = this.options;
    const call = { deadline: clock.monotonic() + CALL_MS };
    if (this.lease !== undefined) {
      try {
        await store.keepLeaseAlive(this.lease, call);
        return;
      } catch (error) {
        if (!(error instanceof StoreError) || error.failure !== 'lease-not-found') throw error;
        this.lease = undefined;
      }
    }
    const { own } = this;
    if (own === undefined) return;
    const lease = await store.grantLease(LEASE_SECONDS, call);
    const put = { type: 'put', key: `${prefix}/${REPLICAS}${own.ip}:${own.port}`, value: Buffer.from(JSON.stringify(own)), lease } as const;
    await store.transact({ compare: [], operations: [put] }, call);
    // The server may have been told to stop in the meantime.
    if (this.own === undefined) await store.revokeLease(lease, call);
    else this.lease = lease;
  }
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
