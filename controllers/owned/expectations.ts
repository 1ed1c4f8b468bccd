/**
 * What an owner's controller has asked for and not seen yet: so many creations, and the deletion of these dependants. Until all of it is seen, its copy of the
 * dependants is behind, and a look at it would ask for the same things twice. What is never seen is forgotten after a while. Holds nothing of the dependants but their keys.
 */
import type { Clock } from '../../shared/runtime/clock';

/** Milliseconds. */
const FORGOTTEN_MS = 300_000;

interface Expected {
  creations: number;
  readonly deletions: Set<string>;
  readonly since: number;
}

export class Expectations {
  private readonly owners = new Map<string, Expected>();

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  /** Owners of which something is expected. */
  get size(): number {
    return this.owners.size;
  }

  expectCreations(owner: string, count: number): void {
    if (count > 0) this.renewed(owner).creations += count;
  }

  /** `dependants` = their keys. */
  expectDeletions(owner: string, dependants: Iterable<string>): void {
    for (const key of dependants) this.renewed(owner).deletions.add(key);
  }

  /** One was seen, or will never be: its creation was refused. */
  created(owner: string, count = 1): void {
    const expected = this.owners.get(owner);
    if (expected === undefined) return;
    expected.creations = Math.max(0, expected.creations - count);
    this.settle(owner, expected);
  }

  /** It was seen to go, or its deletion was refused. A second time counts for nothing. */
  deleted(owner: string, dependant: string): void {
    const expected = this.owners.get(owner);
    if (expected?.deletions.delete(dependant) === true) this.settle(owner, expected);
  }

  areMet(owner: string): boolean {
    const expected = this.owners.get(owner);
    if (expected === undefined) return true;
    if (this.clock.monotonic() - expected.since < FORGOTTEN_MS) return false;
    this.owners.delete(owner);
    return true;
  }

  /** Milliseconds until what is expected of the owner is forgotten; undefined where nothing is. */
  forgottenIn(owner: string): number | undefined {
    const expected = this.owners.get(owner);
    return expected === undefined ? undefined : Math.max(0, expected.since + FORGOTTEN_MS - this.clock.monotonic());
  }

  /** The owner is gone. */
  forget(owner: string): void {
    this.owners.delete(owner);
  }

  private renewed(owner: string): Expected {
    const known = this.owners.get(owner);
    const expected = { creations: known?.creations ?? 0, deletions: known?.deletions ?? new Set<string>(), since: this.clock.monotonic() };
    this.owners.set(owner, expected);
    return expected;
  }

  private settle(owner: string, { creations, deletions }: Expected): void {
    if (creations === 0 && deletions.size === 0) this.owners.delete(owner);
  }
}
