/**
 * Sets the replicas of a Deployment's ReplicaSets: during a rolling update, for the Recreate strategy, and in
 * proportion when the Deployment is scaled during a rollout. Changes planned ReplicaSets only, and records each change
 * for an Event.
 */
import { generationOf } from '../../shared/client/rest/api-object';
import { replicasOf } from '../workload/spec';
import { annotatedReplicas, withAnnotation } from './annotations';
import { isRollingUpdate, type Deployment } from './deployment';
import { resolveFenceposts } from './fenceposts';
import { compareCreation, isActive, sumOf, type PlannedReplicaSet } from './planned-replica-set';

/** A change of the replicas of a ReplicaSet, for the Event `ScalingReplicaSet`. */
export interface ScalingEvent {
  /** The name of the ReplicaSet. */
  readonly replicaSet: string;
  /** Undefined for a ReplicaSet that is created. */
  readonly from: number | undefined;
  readonly to: number;
}

/**
 * The pods that count towards the surge limit. A ReplicaSet that was scaled down has more pods than its spec until its
 * controller has observed the change. While its status is outdated it may have as many as its annotation `max-replicas`,
 * unless its spec has never changed.
 */
function surgeReplicas({ observed, replicas, status, annotations }: PlannedReplicaSet): number {
  const isUnknown = observed !== undefined && generationOf(observed) > 1 && !status.isUpToDate;
  return Math.max(replicas, status.replicas, isUnknown ? (annotatedReplicas(annotations, 'maxReplicas') ?? 0) : 0);
}

/** The pods that count as available: none while the status is outdated, and no more than remain after a scale-down. */
const guaranteedAvailable = ({ replicas, status }: PlannedReplicaSet): number =>
  status.isUpToDate ? Math.min(replicas, status.availableReplicas) : 0;

/** Scales the ReplicaSets of one Deployment for one plan. */
export class ReplicaSetScaler {
  /** The changes so far, in their order. */
  readonly events: ScalingEvent[] = [];
  private readonly desiredReplicas: number;
  private readonly maxSurge: number;
  private readonly maxUnavailable: number;

  constructor(private readonly deployment: Deployment) {
    this.desiredReplicas = replicasOf(deployment);
    ({ maxSurge: this.maxSurge, maxUnavailable: this.maxUnavailable } = resolveFenceposts(deployment));
  }

  /** Sets the initial replicas of a ReplicaSet that is to be created. */
  initialize(newReplicaSet: PlannedReplicaSet, others: readonly PlannedReplicaSet[]): void {
    newReplicaSet.replicas = this.newReplicaSetSize(others, 0);
    if (newReplicaSet.replicas > 0) this.events.push({ replicaSet: newReplicaSet.name, from: undefined, to: newReplicaSet.replicas });
    this.setReplicasAnnotations(newReplicaSet);
  }

  /**
   * The annotations record the size of the Deployment to which this ReplicaSet was scaled: proportional scaling is
   * computed from them.
   */
  private setReplicasAnnotations(replicaSet: PlannedReplicaSet): void {
    const annotations = withAnnotation(replicaSet.annotations, 'desiredReplicas', String(this.desiredReplicas));
    replicaSet.annotations = withAnnotation(annotations, 'maxReplicas', String(this.desiredReplicas + this.maxSurge));
  }

  /**
   * The size that the surge limit allows the new ReplicaSet. `currentSize`: its pods, if `replicaSets` contains it,
   * else 0.
   */
  private newReplicaSetSize(replicaSets: readonly PlannedReplicaSet[], currentSize: number): number {
    if (!isRollingUpdate(this.deployment)) return this.desiredReplicas;
    const room = this.desiredReplicas + this.maxSurge - sumOf(replicaSets, surgeReplicas);
    return room <= 0 ? currentSize : currentSize + Math.min(room, this.desiredReplicas - currentSize);
  }

  /** Scales the new ReplicaSet towards the desired replicas. Returns whether it changed. */
  reconcileNewReplicaSet(replicaSets: readonly PlannedReplicaSet[], newReplicaSet: PlannedReplicaSet): boolean {
    const { replicas } = newReplicaSet;
    if (replicas === this.desiredReplicas) return false;
    return this.scale(
      newReplicaSet,
      replicas > this.desiredReplicas ? this.desiredReplicas : this.newReplicaSetSize(replicaSets, replicas),
    );
  }

  /**
   * Scales old ReplicaSets down: first removes unavailable pods of all of them, then as many available pods as are not
   * needed. Returns whether one changed.
   */
  reconcileOldReplicaSets(oldReplicaSets: readonly PlannedReplicaSet[], newReplicaSet: PlannedReplicaSet): boolean {
    const active = oldReplicaSets.filter(isActive).sort(compareCreation);
    if (active.length === 0) return false;
    const replicaSets = [...active, newReplicaSet];
    const minAvailable = this.desiredReplicas - this.maxUnavailable;
    const newUnavailable = newReplicaSet.replicas - guaranteedAvailable(newReplicaSet);
    const maxScaledDown = sumOf(replicaSets, ({ replicas }) => replicas) - minAvailable - newUnavailable;
    if (maxScaledDown <= 0) return false;
    const unhealthy = this.scaleDownEach(active, maxScaledDown, ({ replicas, status }) => replicas - status.availableReplicas);
    const surplus = sumOf(replicaSets, guaranteedAvailable) - minAvailable;
    const healthy = this.scaleDownEach(active, surplus, ({ replicas }) => replicas);
    return unhealthy + healthy > 0;
  }

  /**
   * Removes at most `limit` pods in total, and of each ReplicaSet at most as many as `removable` returns. Returns how
   * many.
   */
  private scaleDownEach(
    replicaSets: readonly PlannedReplicaSet[],
    limit: number,
    removable: (replicaSet: PlannedReplicaSet) => number,
  ): number {
    let removed = 0;
    for (const replicaSet of replicaSets) {
      const count = Math.min(limit - removed, removable(replicaSet), replicaSet.replicas);
      if (count <= 0) continue;
      this.scale(replicaSet, replicaSet.replicas - count);
      removed += count;
    }
    return removed;
  }

  /** Scales all ReplicaSets to 0. Returns whether one changed. */
  scaleDownToZero(replicaSets: readonly PlannedReplicaSet[]): boolean {
    const active = replicaSets.filter(isActive);
    for (const replicaSet of active) this.scale(replicaSet, 0);
    return active.length > 0;
  }

  /** Gives the ReplicaSet all replicas of the Deployment. */
  scaleToDesired(replicaSet: PlannedReplicaSet): void {
    this.scale(replicaSet, this.desiredReplicas);
  }

  /** Whether the `desired-replicas` annotation differs from the replicas of the Deployment; false without the annotation. */
  isOutdated({ annotations }: PlannedReplicaSet): boolean {
    const desiredReplicas = annotatedReplicas(annotations, 'desiredReplicas');
    return desiredReplicas !== undefined && desiredReplicas !== this.desiredReplicas;
  }

  /**
   * Scales the ReplicaSets after the replicas of the Deployment have changed, or while it is paused:
   *
   * - at most one ReplicaSet is active: it (or else the newest) gets all replicas
   * - the new ReplicaSet has all pods, and they are available: the old ones get none
   * - RollingUpdate: the active ReplicaSets are scaled in proportion to their sizes
   * - Recreate: they keep their sizes
   */
  scaleProportionally(oldReplicaSets: readonly PlannedReplicaSet[], newReplicaSet: PlannedReplicaSet | undefined): void {
    const replicaSets = newReplicaSet === undefined ? oldReplicaSets : [...oldReplicaSets, newReplicaSet];
    this.resizeProportionally(replicaSets, oldReplicaSets, newReplicaSet);
    // Also annotate ReplicaSets that keep their size: while one is outdated, every sync only scales and the rollout
    // does not proceed.
    for (const replicaSet of replicaSets) {
      if (isActive(replicaSet) && this.isOutdated(replicaSet)) this.setReplicasAnnotations(replicaSet);
    }
  }

  private resizeProportionally(
    replicaSets: readonly PlannedReplicaSet[],
    oldReplicaSets: readonly PlannedReplicaSet[],
    newReplicaSet: PlannedReplicaSet | undefined,
  ): void {
    const active = replicaSets.filter(isActive);
    const latest = newReplicaSet ?? [...oldReplicaSets].sort(compareCreation).at(-1);
    if (active.length <= 1) {
      const activeOrLatest = active[0] ?? latest;
      if (activeOrLatest !== undefined) this.scale(activeOrLatest, this.desiredReplicas);
      return;
    }
    if (newReplicaSet !== undefined && this.isSaturated(newReplicaSet)) this.scaleDownToZero(oldReplicaSets);
    else if (isRollingUpdate(this.deployment)) this.distribute(active);
  }

  /** Whether the new ReplicaSet has all desired pods and all are available. */
  private isSaturated({ replicas, status, annotations }: PlannedReplicaSet): boolean {
    return (
      replicas === this.desiredReplicas &&
      annotatedReplicas(annotations, 'desiredReplicas') === this.desiredReplicas &&
      status.availableReplicas === this.desiredReplicas
    );
  }

  /**
   * Scales the ReplicaSets so that the sum of their sizes is the Deployment's size with its surge. The difference is
   * distributed in proportion to the sizes, to the largest first.
   */
  private distribute(active: readonly PlannedReplicaSet[]): void {
    const allowedSize = this.desiredReplicas > 0 ? this.desiredReplicas + this.maxSurge : 0;
    const replicasToAdd = allowedSize - sumOf(active, ({ replicas }) => replicas);
    // Of equal sizes, the newer one is the first to grow and the older one the first to shrink.
    const ageOrder = replicasToAdd > 0 ? -1 : 1;
    const largestFirst = [...active].sort((a, b) => b.replicas - a.replicas || ageOrder * compareCreation(a, b));
    let added = 0;
    const sizes = largestFirst.map((replicaSet) => {
      const share =
        replicasToAdd === 0 || replicasToAdd === added ? 0 : this.proportionOf(replicaSet, replicasToAdd, replicasToAdd - added);
      added += share;
      return replicaSet.replicas + share;
    });
    largestFirst.forEach((replicaSet, index) => {
      // The largest ReplicaSet gets what rounding leaves over.
      const leftover = index === 0 ? replicasToAdd - added : 0;
      this.resize(replicaSet, Math.max(0, (sizes[index] ?? 0) + leftover));
    });
  }

  /** The change of the ReplicaSet by {@link fractionOf}, limited to what is left to add or remove. */
  private proportionOf(replicaSet: PlannedReplicaSet, replicasToAdd: number, remaining: number): number {
    const fraction = this.fractionOf(replicaSet);
    return replicasToAdd > 0 ? Math.min(fraction, remaining) : Math.max(fraction, remaining);
  }

  /** By how many pods the ReplicaSet must grow or shrink to have the same part of the Deployment's new size as of its previous one. */
  private fractionOf({ replicas, annotations }: PlannedReplicaSet): number {
    if (this.desiredReplicas === 0) return -replicas;
    const previousSize = annotatedReplicas(annotations, 'maxReplicas') ?? this.deployment.body.status?.replicas ?? 0;
    const divisor = previousSize > 0 ? previousSize : replicas;
    return Math.round((replicas * (this.desiredReplicas + this.maxSurge)) / divisor) - replicas;
  }

  /** Returns whether the replicas changed. */
  private scale(replicaSet: PlannedReplicaSet, replicas: number): boolean {
    if (replicaSet.replicas === replicas) return false;
    this.resize(replicaSet, replicas);
    return true;
  }

  /** Also annotates a ReplicaSet that keeps its size. */
  private resize(replicaSet: PlannedReplicaSet, replicas: number): void {
    if (replicaSet.replicas !== replicas) this.events.push({ replicaSet: replicaSet.name, from: replicaSet.replicas, to: replicas });
    replicaSet.replicas = replicas;
    this.setReplicasAnnotations(replicaSet);
  }
}
