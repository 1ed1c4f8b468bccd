/**
 * Decides which pods of a StatefulSet to create, update or delete. The functions are pure. With the pod management
 * policy `OrderedReady` pods are created from the lowest ordinal, one after the other. Surplus pods and pods of an old
 * revision are deleted from the highest with either policy.
 */
import { isBeingDeleted } from '../../shared/client/rest/api-object';
import { isPodAvailable } from '../workload/pod-activity';
import { minReadySecondsOf, replicasOf } from '../workload/spec';
import { isPodTerminated, isPodReady } from '../runtime/pods';
import type { Pod } from '../../shared/client/rest/typed-objects';
import { ordinalOf, podRevisionOf } from './identity';
import { partitionOf, startOrdinalOf, updateStrategyOf, type StatefulSet } from './stateful-set';

/** A StatefulSet with its pods and revisions, as one sync observes them. */
export interface StatefulSetView {
  readonly set: StatefulSet;
  /** The pods that the StatefulSet controls. */
  readonly pods: readonly Pod[];
  /**
   * The name of the revision before the rolling update, which pods below the partition get; the update revision when no
   * rolling update is in progress.
   */
  readonly currentRevision: string;
  /** The name of the revision of the present template. */
  readonly updateRevision: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** What is done with one ordinal. */
export type PodAction =
  /** Creates the claims, then the pod. */
  | { readonly type: 'create'; readonly ordinal: number; readonly revision: 'current' | 'update' }
  /** Restores the identity labels, the claims and the claims' owners of an existing pod. */
  | { readonly type: 'update'; readonly pod: Pod; readonly ordinal: number }
  /**
   * A condemned pod has an ordinal outside the range of the StatefulSet: its claims are retained or deleted by
   * `whenScaled`.
   */
  | { readonly type: 'delete'; readonly pod: Pod; readonly isCondemned: boolean };

/** The actions in their order; the caller ends the sync at the first that fails. */
export function reconcilePods(view: StatefulSetView): readonly PodAction[] {
  return new PodReconciler(view).reconcile();
}

/** Whether the pod counts as a ready replica. */
export const isRunningAndReady = (pod: Pod): boolean => pod.body.status?.phase === 'Running' && isPodReady(pod);

interface OrdinalPod {
  readonly ordinal: number;
  readonly pod: Pod;
}

/** Collects the actions of one sync. */
class PodReconciler {
  private readonly actions: PodAction[] = [];
  private readonly startOrdinal: number;
  private readonly replicas: number;
  private readonly partition: number;
  /** One pod at a time: the pod management policy is `OrderedReady`. */
  private readonly isMonotonic: boolean;
  private readonly podsByOrdinal: ReadonlyMap<number, Pod>;
  /** Pods outside the range of ordinals, the highest first. */
  private readonly condemned: readonly OrdinalPod[];

  constructor(private readonly view: StatefulSetView) {
    const { set, pods } = view;
    this.startOrdinal = startOrdinalOf(set);
    this.replicas = replicasOf(set);
    this.partition = partitionOf(set);
    this.isMonotonic = set.body.spec?.podManagementPolicy !== 'Parallel';
    const ordinalPods = pods.flatMap((pod): OrdinalPod[] => {
      const ordinal = ordinalOf(set.name, pod.name);
      return ordinal === undefined ? [] : [{ ordinal, pod }];
    });
    this.podsByOrdinal = new Map(ordinalPods.map(({ ordinal, pod }) => [ordinal, pod]));
    const isInRange = ({ ordinal }: OrdinalPod): boolean => ordinal >= this.startOrdinal && ordinal < this.startOrdinal + this.replicas;
    this.condemned = ordinalPods.filter((pod) => !isInRange(pod)).sort((a, b) => b.ordinal - a.ordinal);
  }

  reconcile(): readonly PodAction[] {
    if (this.processReplicas() && this.processCondemned()) this.processOldRevisions();
    return this.actions;
  }

  /**
   * Processes the ordinals of the StatefulSet. Returns false when nothing else may be done before the pod at which it
   * stopped is available.
   */
  private processReplicas(): boolean {
    for (let ordinal = this.startOrdinal; ordinal < this.startOrdinal + this.replicas; ordinal++) {
      const pod = this.podsByOrdinal.get(ordinal);
      const canContinue = pod === undefined ? this.create(ordinal) : this.processReplica(pod, ordinal);
      if (!canContinue && this.isMonotonic) return false;
    }
    return true;
  }

  /** Returns false: the pod is not available yet. */
  private create(ordinal: number): false {
    this.actions.push({ type: 'create', ordinal, revision: ordinal - this.startOrdinal < this.partition ? 'current' : 'update' });
    return false;
  }

  /** Whether the pod is available, so that the next ordinal may be processed. */
  private processReplica(pod: Pod, ordinal: number): boolean {
    if (isBeingDeleted(pod)) return false;
    if (isPodTerminated(pod)) {
      this.actions.push({ type: 'delete', pod, isCondemned: false });
      return false;
    }
    this.actions.push({ type: 'update', pod, ordinal });
    return this.isRunningAndAvailable(pod);
  }

  private isRunningAndAvailable(pod: Pod): boolean {
    return isRunningAndReady(pod) && isPodAvailable(pod, minReadySecondsOf(this.view.set), this.view.now);
  }

  /**
   * Deletes pods outside the range of ordinals. With `OrderedReady` only the highest is considered: it is deleted when it
   * is available, or when no lower pod of the StatefulSet is unhealthy. Returns false when nothing else may be done
   * before a pod has terminated or become available.
   */
  private processCondemned(): boolean {
    const unhealthy = [...this.podsByOrdinal]
      .filter(([, pod]) => isBeingDeleted(pod) || !isRunningAndReady(pod))
      .map(([ordinal]) => ordinal);
    const lowestUnhealthy = unhealthy.length === 0 ? undefined : Math.min(...unhealthy);
    for (const { pod, ordinal } of this.condemned) {
      if (isBeingDeleted(pod)) {
        if (this.isMonotonic) return false;
        continue;
      }
      if (this.isMonotonic && ordinal !== lowestUnhealthy && !this.isRunningAndAvailable(pod)) return false;
      this.actions.push({ type: 'delete', pod, isCondemned: true });
      if (this.isMonotonic) return false;
    }
    return true;
  }

  /** Rolling update: deletes one pod at a time, whatever the pod management policy. */
  private processOldRevisions(): void {
    const { set, updateRevision } = this.view;
    if (updateStrategyOf(set) === 'OnDelete') return;
    for (let index = this.replicas - 1; index >= this.partition; index--) {
      const pod = this.podsByOrdinal.get(this.startOrdinal + index);
      // With `Parallel` the action that creates the pod is in the list, and the rolling update waits for it.
      if (pod === undefined) return;
      if (podRevisionOf(pod) !== updateRevision && !isBeingDeleted(pod)) {
        const isDeleted = this.actions.some((action) => action.type === 'delete' && action.pod === pod);
        if (!isDeleted) this.actions.push({ type: 'delete', pod, isCondemned: false });
        return;
      }
      if (isBeingDeleted(pod) || !this.isRunningAndAvailable(pod)) return;
    }
  }
}
