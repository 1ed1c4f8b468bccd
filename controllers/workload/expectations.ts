/**
 * Remembers, for each owner, the creations and deletions of dependents that its controller has requested and its
 * informer has not yet shown. While they are outstanding the informer is behind, and a reconciliation would request
 * them again. The same as upstream's ControllerExpectations.
 *
 *  - Expectations are satisfied when every creation and deletion was observed or has failed, and expire after 5
 *    minutes.
 *  - Deletions are counted by key, so observing one twice is harmless.
 */
import type { Clock } from '../../shared/runtime/clock';

/** Upstream's ExpectationsTimeout: an event that was lost delays its workload by no more. */
const EXPIRY_MS = 300_000;

interface Expectation {
  creations: number;
  readonly deletions: Set<string>;
  readonly since: number;
}

export class Expectations {
  private readonly owners = new Map<string, Expectation>();

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  /** Owners with outstanding expectations. */
  get size(): number {
    return this.owners.size;
  }

  expectCreations(owner: string, count: number): void {
    if (count > 0) this.renew(owner).creations += count;
  }

  /** `dependents`: their keys. */
  expectDeletions(owner: string, dependents: Iterable<string>): void {
    for (const key of dependents) this.renew(owner).deletions.add(key);
  }

  /** Call it for each creation that the informer shows, and for each that failed. */
  creationObserved(owner: string, count = 1): void {
    const expected = this.owners.get(owner);
    if (expected === undefined) return;
    expected.creations = Math.max(0, expected.creations - count);
    this.deleteIfSatisfied(owner, expected);
  }

  /** Call it for each deletion that the informer shows, and for each that failed. */
  deletionObserved(owner: string, dependent: string): void {
    const expected = this.owners.get(owner);
    if (expected?.deletions.delete(dependent) === true) this.deleteIfSatisfied(owner, expected);
  }

  areSatisfied(owner: string): boolean {
    const expected = this.owners.get(owner);
    if (expected === undefined) return true;
    if (this.clock.monotonic() - expected.since < EXPIRY_MS) return false;
    this.owners.delete(owner);
    return true;
  }

  /** Undefined when nothing is expected. */
  msUntilExpired(owner: string): number | undefined {
    const expected = this.owners.get(owner);
    return expected === undefined ? undefined : Math.max(0, expected.since + EXPIRY_MS - this.clock.monotonic());
  }

  /** Call it when the owner was deleted. */
  delete(owner: string): void {
    this.owners.delete(owner);
  }

  private renew(owner: string): Expectation {
    const known = this.owners.get(owner);
    const expected = { creations: known?.creations ?? 0, deletions: known?.deletions ?? new Set<string>(), since: this.clock.monotonic() };
    this.owners.set(owner, expected);
    return expected;
  }

  private deleteIfSatisfied(owner: string, { creations, deletions }: Expectation): void {
    if (creations === 0 && deletions.size === 0) this.owners.delete(owner);
  }
}
