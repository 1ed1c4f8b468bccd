/**
 * The leases of the embedded store: their expiry and the keys attached to them. The disk holds each lease with its TTL;
 * after a restart the full TTL starts again, as in etcd. An expired lease is never renewed, even while its end is not
 * on disk yet. Writes nothing itself: `onEnd` asks the store to delete the lease and its keys, and is called again
 * until the store confirms that with `remove`.
 */
import type { Clock, Timer } from '../../../shared/runtime/clock';
import type { Environment } from './environment';

interface Lease {
  readonly ttlMs: number;
  /** Monotonic milliseconds: when the lease ends, or, once it has ended, when its end is requested again. */
  due: number;
  hasEnded: boolean;
  readonly keys: Set<string>;
}

/** Shortest time until the timer fires, so that leases which end shortly after each other end together. */
const MIN_WAIT_MS = 100;
/** Time until the end of a lease is requested again: the timeout of the write that was requested first (open.ts). */
const END_RETRY_MS = 10_000;

/** The leases of one store, with the time at which each ends. */
export class Leases {
  private readonly leases = new Map<number, Lease>();
  private timer: Timer | undefined;
  private isClosed = false;

  constructor(
    private readonly clock: Clock,
    /** Called when a lease expires, and again until it is removed. */
    private readonly onEnd: (lease: number) => void,
  ) {}

  /** Replaces all leases by those on disk, with their keys. A lease that was known before keeps its expiry. */
  load(environment: Environment): void {
    const before = new Map(this.leases);
    this.leases.clear();
    const snapshot = environment.snapshot();
    try {
      for (const { lease, ttlSeconds } of snapshot.storedLeases()) this.add(lease, ttlSeconds, before.get(lease));
      if (this.leases.size === 0) return;
      // All keys: none is below NUL, and no UTF-8 text contains the byte 0xff.
      const [start, end] = [Buffer.of(0), Buffer.of(0xff)];
      for (const { key, latest } of snapshot.liveKeys(start, end, Infinity)) {
        if (latest.lease !== 0) this.leases.get(latest.lease)?.keys.add(key.toString());
      }
    } finally {
      snapshot.end();
    }
  }

  /** `existing`: keeps the expiry of this lease; absent: the TTL starts now. */
  add(lease: number, ttlSeconds: number, existing?: Pick<Lease, 'due' | 'hasEnded'>): void {
    const ttlMs = ttlSeconds * 1_000;
    const { due, hasEnded } = existing ?? { due: this.clock.monotonic() + ttlMs, hasEnded: false };
    this.leases.set(lease, { ttlMs, due, hasEnded, keys: new Set() });
    this.reschedule();
  }

  /** Returns false when the lease does not exist or has expired. */
  renew(lease: number): boolean {
    const entry = this.leases.get(lease);
    if (entry === undefined || !this.isAlive(entry)) return false;
    // The timer is left as it is: when it fires too early, it ends nothing and is set again.
    entry.due = this.clock.monotonic() + entry.ttlMs;
    return true;
  }

  /** Whether the lease exists and has not expired. */
  isActive(lease: number): boolean {
    const entry = this.leases.get(lease);
    return entry !== undefined && this.isAlive(entry);
  }

  /**
   * Marks the lease as ended. Returns the keys that were attached to it; some may have been attached to another lease
   * since.
   */
  end(lease: number): readonly string[] {
    const entry = this.leases.get(lease);
    if (entry === undefined) return [];
    entry.hasEnded = true;
    entry.due = this.clock.monotonic() + END_RETRY_MS;
    this.reschedule();
    return [...entry.keys];
  }

  /** Called once the end is on disk. */
  remove(lease: number): void {
    this.leases.delete(lease);
  }

  /** Moves `key` from the lease `from` to the lease `to`; 0 stands for no lease. */
  attach(key: string, from: number, to: number): void {
    if (from === to) return;
    this.leases.get(from)?.keys.delete(key);
    this.leases.get(to)?.keys.add(key);
  }

  /** Ends no more leases; they start again with their full TTL when the store is opened. */
  close(): void {
    this.isClosed = true;
    this.timer?.cancel();
  }

  private isAlive({ hasEnded, due }: Lease): boolean {
    return !hasEnded && due > this.clock.monotonic();
  }

  private reschedule(): void {
    this.timer?.cancel();
    this.timer = undefined;
    this.schedule();
  }

  private schedule(): void {
    if (this.isClosed || this.timer !== undefined || this.leases.size === 0) return;
    let earliest = Infinity;
    for (const { due } of this.leases.values()) earliest = Math.min(earliest, due);
    this.timer = this.clock.after(Math.max(MIN_WAIT_MS, earliest - this.clock.monotonic()), () => {
      this.timer = undefined;
      const now = this.clock.monotonic();
      for (const [lease, { due }] of [...this.leases]) {
        if (due <= now) this.onEnd(lease);
      }
      this.schedule();
    });
  }
}
