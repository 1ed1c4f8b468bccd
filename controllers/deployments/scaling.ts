/**
 * How many pods each of a Deployment's sets is to have: while it goes from one template to another, while it is scaled in the middle of that, and when all pods are
 * to go before new ones come. Changes planned sets only, and tells what it scaled.
 */
import type { ApiObject } from '../../shared/client/rest/api-object';
import { objectAt } from '../../shared/values/json';
import { generationOf, numberAt, replicasOf } from '../workload/spec';
import { boundsOf, isRolling } from './bounds';
import { annotatedNumber, withAnnotation } from './names';
import { byAge, isActiveSet, total, type PlannedSet } from './set';

/** What is told in an Event. */
export interface Scaled {
  readonly set: string;
  /** Undefined = it was made so. */
  readonly from: number | undefined;
  readonly to: number;
}

/** A set that was told to shrink has more pods than it asks for until its controller has heard of it: their places are not free yet. */
function held({ seen, replicas, status, annotations }: PlannedSet): number {
  const isUnknown = seen !== undefined && generationOf(seen) > 1 && !status.isCurrent;
  return Math.max(replicas, status.replicas, isUnknown ? (annotatedNumber(annotations, 'max') ?? 0) : 0);
}

/** And some of those that serve will go: they count as gone already. */
const serving = ({ replicas, status }: PlannedSet): number => (status.isCurrent ? Math.min(replicas, status.available) : 0);

export class Scaling {
  readonly scaled: Scaled[] = [];
  private readonly wanted: number;
  private readonly surge: number;
  private readonly unavailable: number;

  constructor(private readonly deployment: ApiObject) {
    this.wanted = replicasOf(deployment);
    ({ surge: this.surge, unavailable: this.unavailable } = boundsOf(deployment));
  }

  /** A set that is to be made. */
  begin(made: PlannedSet, others: readonly PlannedSet[]): void {
    made.replicas = this.sizeOfNew(others, 0);
    if (made.replicas > 0) this.scaled.push({ set: made.name, from: undefined, to: made.replicas });
    this.note(made);
  }

  /** Writes the numbers of the moment down in the set: from them it is told later in what proportion it stood. */
  private note(set: PlannedSet): void {
    const desired = withAnnotation(set.annotations, 'desired', String(this.wanted));
    set.annotations = withAnnotation(desired, 'max', String(this.wanted + this.surge));
  }

  /** How many pods the new set may have beside the others. */
  private sizeOfNew(all: readonly PlannedSet[], present: number): number {
    if (!isRolling(this.deployment)) return this.wanted;
    const room = this.wanted + this.surge - total(all, held);
    return room <= 0 ? present : present + Math.min(room, this.wanted - present);
  }

  /** False = it is as it should be. */
  growNew(all: readonly PlannedSet[], created: PlannedSet): boolean {
    if (created.replicas === this.wanted) return false;
    return this.scale(created, created.replicas > this.wanted ? this.wanted : this.sizeOfNew(all, created.replicas));
  }

  /** Pods that do not serve go first, whatever set of the old ones they are in; then as many as are not needed. */
  shrinkOld(old: readonly PlannedSet[], created: PlannedSet): boolean {
    const active = old.filter(isActiveSet).sort(byAge);
    if (active.length === 0) return false;
    const all = [...active, created];
    const atLeast = this.wanted - this.unavailable;
    const notYet = created.replicas - serving(created);
    const most = total(all, ({ replicas }) => replicas) - atLeast - notYet;
    if (most <= 0) return false;
    const unhealthy = this.shrinkEach(active, most, (set) => set.replicas - set.status.available);
    const spare = total(all, serving) - atLeast;
    const healthy = this.shrinkEach(active, spare, ({ replicas }) => replicas);
    return unhealthy + healthy > 0;
  }

  private shrinkEach(sets: readonly PlannedSet[], most: number, spareOf: (set: PlannedSet) => number): number {
    let gone = 0;
    for (const set of sets) {
      const count = Math.min(most - gone, spareOf(set), set.replicas);
      if (count <= 0) continue;
      this.scale(set, set.replicas - count);
      gone += count;
    }
    return gone;
  }

  toNothing(sets: readonly PlannedSet[]): boolean {
    return sets.filter(isActiveSet).reduce((changed, set) => this.scale(set, 0) || changed, false);
  }

  toWanted(set: PlannedSet): boolean {
    return this.scale(set, this.wanted);
  }

  /** Whether the `desired-replicas` annotation of the set differs from the replicas of the Deployment. */
  isOutdated({ annotations }: PlannedSet): boolean {
    const desired = annotatedNumber(annotations, 'desired');
    return desired !== undefined && desired !== this.wanted;
  }

  /** Scales all active sets in proportion to their sizes, when the replicas of the Deployment have changed or it is paused. */
  inProportion(old: readonly PlannedSet[], created: PlannedSet | undefined): void {
    const all = created === undefined ? old : [...old, created];
    this.resizeInProportion(all, old, created);
    // Also annotate sets that keep their size: while one is outdated, every sync only scales and the rollout does not proceed.
    for (const set of all) if (isActiveSet(set) && this.isOutdated(set)) this.note(set);
  }

  private resizeInProportion(all: readonly PlannedSet[], old: readonly PlannedSet[], created: PlannedSet | undefined): void {
    const active = all.filter(isActiveSet);
    const only = active.length === 1 ? active[0] : active.length === 0 ? (created ?? [...old].sort(byAge).at(-1)) : undefined;
    if (only !== undefined) {
      this.scale(only, this.wanted);
      return;
    }
    if (created !== undefined && this.isSaturated(created)) this.toNothing(old);
    else if (isRolling(this.deployment)) this.spread(active);
  }

  /** The new set has all pods that are wanted, and they serve. */
  private isSaturated({ replicas, status, annotations }: PlannedSet): boolean {
    return replicas === this.wanted && annotatedNumber(annotations, 'desired') === this.wanted && status.available === this.wanted;
  }

  private spread(active: readonly PlannedSet[]): void {
    const allowed = this.wanted > 0 ? this.wanted + this.surge : 0;
    const toAdd = allowed - total(active, ({ replicas }) => replicas);
    const newerFirst = toAdd > 0 ? -1 : 1;
    const sets = [...active].sort((one, other) => other.replicas - one.replicas || newerFirst * byAge(one, other));
    let added = 0;
    const sizes = sets.map((set) => {
      const share = toAdd === 0 || toAdd === added ? 0 : this.shareOf(set, toAdd, toAdd - added);
      added += share;
      return set.replicas + share;
    });
    sets.forEach((set, index) => {
      // What rounding leaves goes to the largest.
      const rest = index === 0 ? toAdd - added : 0;
      this.resize(set, Math.max(0, (sizes[index] ?? 0) + rest));
    });
  }

  private shareOf(set: PlannedSet, toAdd: number, left: number): number {
    const share = this.growthOf(set);
    return toAdd > 0 ? Math.min(share, left) : Math.max(share, left);
  }

  private growthOf(set: PlannedSet): number {
    if (this.wanted === 0) return -set.replicas;
    const before = annotatedNumber(set.annotations, 'max') ?? numberAt(objectAt(this.deployment.body, 'status'), 'replicas') ?? 0;
    const basis = before > 0 ? before : set.replicas;
    return Math.round((set.replicas * (this.wanted + this.surge)) / basis) - set.replicas;
  }

  private scale(set: PlannedSet, to: number): boolean {
    if (set.replicas === to) return false;
    this.resize(set, to);
    return true;
  }

  private resize(set: PlannedSet, to: number): void {
    if (set.replicas !== to) this.scaled.push({ set: set.name, from: set.replicas, to });
    set.replicas = to;
    this.note(set);
  }
}
