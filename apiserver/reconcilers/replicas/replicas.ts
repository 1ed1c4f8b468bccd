/**
 * Tracks the live API servers. Each server keeps a key under a store lease, and all servers read these keys from the
 * watch of the cache. The key of a server that dies is deleted when its lease expires; a server that stops revokes its
 * lease. A running server puts its key again when its lease has expired, for example because it got no processor time.
 * Writes no API objects.
 */
import { createHash } from 'node:crypto';
import type { Clock } from '../../../shared/runtime/clock';
import { StoreError, type LeaseId, type Revision, type Store, type StoreCallOptions } from '../../storage/store';
import { startReconciler, type Reconciler } from '../reconciler';

/** The prefix of the replicas' keys, relative to the key prefix of the store. */
export const REPLICAS = 'replicas/';

/** The key of a replica that has not renewed its store lease for this time is deleted. */
const LEASE_SECONDS = 15;
/** Interval of renewals. */
const RENEW_MS = 5_000;
/** Time limit of all calls of one renewal. */
const CALL_MS = 4_000;

/** The address of an API server. */
export interface ServerAddress {
  readonly ip: string;
  readonly port: number;
}

/** A replica. The workers of one server are replicas that share its address. */
export interface ReplicaAddress extends ServerAddress {
  /** The number of the worker, from 1; absent in a server without workers. */
  readonly worker?: number;
}

/** The store of the replicas' keys. */
export interface ReplicasOptions {
  readonly store: Store;
  /** Key prefix of the store, without a trailing slash. */
  readonly prefix: string;
  readonly clock: Clock;
  /** Called for each failure; renewals are retried, and a lease that could not be revoked expires. */
  readonly onFailure: (message: string, error: unknown) => void;
}

/** The live replicas as the cache has seen them, and the key of this one. */
export class Replicas {
  /** By key. */
  private readonly live = new Map<string, ReplicaAddress>();
  private readonly listeners = new Set<() => void>();
  private address: ReplicaAddress | undefined;
  private lease: LeaseId | undefined;
  /** The revision of the last put of this replica's key; `undefined` when the key must be put again. */
  private putRevision: Revision | undefined;
  private reconciler: Reconciler | undefined;

  constructor(private readonly options: ReplicasOptions) {}

  /** The addresses of the live servers in the order of their texts `<ip>:<port>`; workers that share an address count once. */
  get addresses(): readonly ServerAddress[] {
    const distinct = new Map([...this.live.values()].map(({ ip, port }) => [serverName(ip, port), { ip, port }]));
    return [...distinct].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, address]) => address);
  }

  /**
   * The rank of this replica, from 0, for work about a subject that one replica should do: the number of replicas that
   * precede it. All replicas with the same view compute the same order, which differs per subject. 0 when this replica has
   * not joined.
   */
  rankFor(subject: string): number {
    const { address } = this;
    if (address === undefined) return 0;
    const sortKey = sortKeyFor(subject, address);
    return [...this.live.values()].filter((replica) => sortKeyFor(subject, replica) < sortKey).length;
  }

  /** Called after every change of the live replicas; listeners are never removed. */
  onChange(listener: () => void): void {
    this.listeners.add(listener);
  }

  /** Puts the key of this replica and renews its lease until {@link leave}. Call it once. */
  join(address: ReplicaAddress): void {
    this.address = address;
    this.reconciler = startReconciler({ ...this.options, intervalMs: RENEW_MS }, () => this.renew(address));
  }

  /** Revokes the lease of this replica, which deletes its key. Does not reject. */
  async leave(): Promise<void> {
    this.address = undefined;
    this.reconciler?.stop();
    const { lease } = this;
    this.lease = undefined;
    if (lease === undefined) return;
    try {
      await this.options.store.revokeLease(lease, { deadline: this.options.clock.monotonic() + CALL_MS });
    } catch (error) {
      if (!isLeaseNotFound(error)) this.options.onFailure('the lease of this replica could not be revoked; it will expire', error);
    }
  }

  // This class is a KeyListener of the cache (cache/sync). Keys are relative to the key prefix of the store.

  /** The watch of the cache starts again; a change of each existing key follows. */
  onReset(): void {
    this.live.clear();
    this.notifyListeners();
  }

  /** A key was put, or, with the value `undefined`, deleted. */
  onKeyChange(key: string, value: Buffer | undefined): void {
    const address = value === undefined ? undefined : parseAddress(value.toString());
    if (address === undefined) this.live.delete(key);
    else this.live.set(key, address);
    this.notifyListeners();
    const isOwnKey = this.address !== undefined && key === keyOf(this.address);
    // The lease of this replica has expired although it is alive: put the key again now.
    if (value === undefined && isOwnKey) void this.reconciler?.trigger();
  }

  private notifyListeners(): void {
    for (const listener of this.listeners) listener();
  }

  /** Resolves with false when the renewal must be repeated soon. */
  private async renew(address: ReplicaAddress): Promise<boolean> {
    try {
      await this.ensureKey(address);
      return true;
    } catch (error) {
      if (this.address !== undefined) this.options.onFailure('the lease of this replica could not be renewed', error);
      return false;
    }
  }

  /** Renews the lease, or grants a new one, and puts the key unless it is still at the revision of the last put. */
  private async ensureKey(address: ReplicaAddress): Promise<void> {
    const { store, clock, prefix } = this.options;
    const call = { deadline: clock.monotonic() + CALL_MS };
    const key = `${prefix}/${keyOf(address)}`;
    const lease = (await this.renewedLease(call)) ?? (await this.newLease(call));
    if (lease === undefined) return;
    if (this.putRevision !== undefined) {
      const { kv } = await store.get(key, call);
      // At another revision, a late put has attached the key to an earlier lease, at the end of which it would be deleted.
      if (kv?.modRevision === this.putRevision) return;
    }
    const put = { type: 'put', key, value: Buffer.from(JSON.stringify(address)), lease } as const;
    // Stays `undefined` when the put fails, so that the next renewal puts the key again.
    this.putRevision = undefined;
    this.putRevision = (await store.transact({ compare: [], operations: [put] }, call)).revision;
  }

  /** Renews the lease of this replica. `undefined` when there is none, or it has expired. */
  private async renewedLease(call: StoreCallOptions): Promise<LeaseId | undefined> {
    const { lease } = this;
    if (lease === undefined) return undefined;
    try {
      await this.options.store.keepLeaseAlive(lease, call);
      return lease;
    } catch (error) {
      if (!isLeaseNotFound(error)) throw error;
      this.lease = undefined;
      return undefined;
    }
  }

  /** Grants a lease to this replica. `undefined` when the replica has left in the meantime. */
  private async newLease(call: StoreCallOptions): Promise<LeaseId | undefined> {
    const { store } = this.options;
    this.putRevision = undefined;
    const lease = await store.grantLease(LEASE_SECONDS, call);
    if (this.address !== undefined) return (this.lease = lease);
    await store.revokeLease(lease, call);
    return undefined;
  }
}

function keyOf(address: ReplicaAddress): string {
  return `${REPLICAS}${nameOf(address)}`;
}

/**
 * Names a server by its host name or address. The first worker has the name of a server without workers, so that the
 * name outlives a change of their number.
 */
export const serverName = (host: string, port: number, worker = 1): string =>
  worker === 1 ? `${host}:${port}` : `${host}:${port}/${worker}`;

const nameOf = ({ ip, port, worker }: ReplicaAddress): string => serverName(ip, port, worker);

function isLeaseNotFound(error: unknown): boolean {
  return error instanceof StoreError && error.failure === 'lease-not-found';
}

/** The text by which the replicas are sorted for a subject. */
function sortKeyFor(subject: string, address: ReplicaAddress): string {
  return createHash('sha256')
    .update(`${nameOf(address)} ${subject}`)
    .digest('hex');
}

function parseAddress(text: string): ReplicaAddress | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if (!('ip' in value) || !('port' in value)) return undefined;
  const { ip, port } = value;
  if (typeof ip !== 'string' || typeof port !== 'number') return undefined;
  return 'worker' in value && typeof value.worker === 'number' ? { ip, port, worker: value.worker } : { ip, port };
}
