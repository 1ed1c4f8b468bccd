/** Decides how many pods of a ReplicaSet to create and which pods to delete. Pure: the caller executes the action. */
import { isBeingDeleted } from '../../shared/client/rest/api-object';
import type { Pod } from '../../shared/client/rest/typed-objects';
import { sortForDeletion } from '../workload/pod-activity';
import { replicasOf } from '../workload/spec';
import type { ReplicaOwner } from './replica-kinds';

/** The most pods that one reconciliation creates or deletes. */
export const BURST_REPLICAS = 500;

/** What one sync does; pods are deleted in any order. */
export type ReplicaAction =
  | { readonly type: 'none' }
  | { readonly type: 'create'; readonly count: number }
  | { readonly type: 'delete'; readonly pods: readonly Pod[] };

/**
 * At most {@link BURST_REPLICAS} pods are created or deleted; none while the ReplicaSet is being deleted.
 *
 * @param activePods the active pods of the ReplicaSet
 * @param relatedPods the pods among which surplus pods are ranked, see `sortForDeletion`; called only when some but not
 *   all pods are deleted
 * @param now milliseconds since 1970
 */
export function reconcileReplicas(
  replicaSet: ReplicaOwner,
  activePods: readonly Pod[],
  relatedPods: () => Iterable<Pod>,
  now: number,
): ReplicaAction {
  if (isBeingDeleted(replicaSet)) return { type: 'none' };
  const missing = replicasOf(replicaSet) - activePods.length;
  if (missing > 0) return { type: 'create', count: Math.min(missing, BURST_REPLICAS) };
  if (missing === 0) return { type: 'none' };
  const surplus = Math.min(-missing, BURST_REPLICAS);
  const sorted = surplus < activePods.length ? sortForDeletion(activePods, relatedPods(), now) : activePods;
  return { type: 'delete', pods: sorted.slice(0, surplus) };
}
