/**
 * Remembers, for each owner, the creations and deletions of dependents that its controller has requested and its
 * informer has not yet shown. While they are outstanding the informer is behind, and a reconciliation would request
 * them again. Modelled on upstream's UIDTrackingControllerExpectations; unlike there, a new expectation is added to the
 * outstanding ones of its owner instead of replacing them.
 */
import type { Clock } from '../../shared/runtime/clock';

/** Upstream's ExpectationsTimeout: the longest time for which a lost event delays its workload. */
const EXPIRY_MS = 300_000;

/** What is outstanding for one owner. */
interface Expectation {
  /** The number of creations. */
  creations: number;
  /** The keys of the dependents. */
  readonly deletions: Set<string>;
  /** Monotonic milliseconds at which the last expectation was added. */
  readonly since: number;
}

/**
 * Owners and dependents are named by their keys.
 *
 *  - Expectations are satisfied when every creation and deletion was observed or has failed. Those of an owner expire 5
 *    minutes after the last one was added.
 *  - Deletions are counted by key, so observing one twice is harmless.
 */
export class Expectations {
  private readonly byOwner = new Map<string, Expectation>();

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  /** The number of owners with outstanding or expired expectations. */
  get size(): number {
    return this.byOwner.size;
  }

  /** Call it before the requests are sent: the informer may show an object before its request returns. */
  expectCreations(owner: string, count: number): void {
    if (count > 0) this.renew(owner).creations += count;
  }

  /** Call it before the requests are sent. */
  expectDeletions(owner: string, dependents: Iterable<string>): void {
    for (const key of dependents) this.renew(owner).deletions.add(key);
  }

  /** Call it for each creation that the informer shows, and for each that failed. */
  creationObserved(owner: string, count = 1): void {
    const expected = this.byOwner.get(owner);
    if (expected === undefined) return;
    expected.creations = Math.max(0, expected.creations - count);
    this.deleteIfSatisfied(owner, expected);
  }

  /** Call it for each deletion that the informer shows, and for each that failed. */
  deletionObserved(owner: string, dependent: string): void {
    const expected = this.byOwner.get(owner);
    if (expected?.deletions.delete(dependent) === true) this.deleteIfSatisfied(owner, expected);
  }

  /** Whether nothing is outstanding. Drops expired expectations, which count as satisfied. */
  areSatisfied(owner: string): boolean {
    const expected = this.byOwner.get(owner);
    if (expected === undefined) return true;
    if (this.clock.monotonic() - expected.since < EXPIRY_MS) return false;
    this.byOwner.delete(owner);
    return true;
  }

  /** Milliseconds; 0 for expired expectations, `undefined` when nothing is outstanding. */
  msUntilExpired(owner: string): number | undefined {
    const expected = this.byOwner.get(owner);
    return expected === undefined ? undefined : Math.max(0, expected.since + EXPIRY_MS - this.clock.monotonic());
  }

  /** Call it when the owner was deleted. */
  delete(owner: string): void {
    this.byOwner.delete(owner);
  }

  /** The expectation of the owner, with a new expiry. */
  private renew(owner: string): Expectation {
    const known = this.byOwner.get(owner);
    const expected = { creations: known?.creations ?? 0, deletions: known?.deletions ?? new Set<string>(), since: this.clock.monotonic() };
    this.byOwner.set(owner, expected);
    return expected;
  }

  private deleteIfSatisfied(owner: string, { creations, deletions }: Expectation): void {
    if (creations === 0 && deletions.size === 0) this.byOwner.delete(owner);
  }
}
