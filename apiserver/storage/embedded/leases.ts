/**
 * The leases of the embedded store: which exist, when they end, which keys go with them. They are kept on disk with
 * their time to live; after a restart each lives that long again, as etcd does it. It never writes: it says what ends,
 * the store does it.
 */
import type { Clock, Timer } from '../../../shared/runtime/clock';
import type { Environment } from './environment';

interface Lease {
  readonly ttlMs: number;
  /** On the monotonic clock. */
  expiry: number;
  readonly keys: Set<string>;
}

const SHORTEST_WAIT_MS = 100;

export class Leases {
  private readonly leases = new Map<number, Lease>();
  private timer: Timer | undefined;
  private closed = false;

  constructor(
    private readonly clock: Clock,
    private readonly expired: (lease: number) => void,
  ) {}

  /** Forgets everything and reads leases and their keys anew; running leases keep their end. */
  load(environment: Environment): void {
    const before = new Map(this.leases);
    this.leases.clear();
    const snapshot = environment.snapshot();
    try {
      for (const { lease, ttlSeconds } of snapshot.leases()) this.add(lease, ttlSeconds, before.get(lease)?.expiry);
      if (this.leases.size === 0) return;
      for (const { key, latest } of snapshot.live(Buffer.alloc(1), Buffer.alloc(1, 0xff), Infinity)) {
        if (latest.lease !== 0) this.leases.get(latest.lease)?.keys.add(key.toString());
      }
    } finally {
      snapshot.done();
    }
  }

  add(lease: number, ttlSeconds: number, expiry?: number): void {
    const ttlMs = ttlSeconds * 1_000;
    this.leases.set(lease, { ttlMs, expiry: expiry ?? this.clock.monotonic() + ttlMs, keys: new Set() });
    this.timer?.cancel();
    this.timer = undefined;
    this.schedule();
  }

  /** False when there is no such lease. */
  renew(lease: number): boolean {
    const found = this.leases.get(lease);
    if (found === undefined) return false;
    found.expiry = this.clock.monotonic() + found.ttlMs;
    return true;
  }

  has(lease: number): boolean {
    return this.leases.has(lease);
  }

  keys(lease: number): readonly string[] {
    return [...(this.leases.get(lease)?.keys ?? [])];
  }

  remove(lease: number): void {
    this.leases.delete(lease);
  }

  /** Moves `key` from one lease to another; 0 = none. */
  attach(key: string, from: number, to: number): void {
    if (from === to) return;
    this.leases.get(from)?.keys.delete(key);
    this.leases.get(to)?.keys.add(key);
  }

  close(): void {
    this.closed = true;
    this.timer?.cancel();
  }

  private schedule(): void {
    if (this.closed || this.timer !== undefined || this.leases.size === 0) return;
    let earliest = Infinity;
    for (const { expiry } of this.leases.values()) earliest = Math.min(earliest, expiry);
    this.timer = this.clock.after(Math.max(SHORTEST_WAIT_MS, earliest - this.clock.monotonic()), () => {
      this.timer = undefined;
      const now = this.clock.monotonic();
      for (const [lease, { expiry }] of [...this.leases]) {
        if (expiry <= now) this.expired(lease);
      }
      this.schedule();
    });
  }
}
