/**
 * Selects the pods that the garbage collector deletes, and the change of their status that it writes before. The functions
 * are pure; `MissingNodes` remembers since when nodes have been missing. The behaviour is that of upstream 1.31.1, except
 * that
 * - terminated pods that are being deleted are not deleted again,
 * - terminated pods with the same age and name are ordered by namespace,
 * - a pod without a phase has not terminated,
 * - a Succeeded pod with the reason `Evicted` counts as evicted,
 * - a node that returns and is missing again starts another quarantine,
 * - a `DisruptionTarget` condition that is replaced moves to the end of the list.
 */
import { creationTimestampOf, isBeingDeleted } from '../../shared/client/rest/api-object';
import { formatTimestamp } from '../../shared/api/metadata/object-meta';
import type { CoreV1PodStatus } from '../../shared/api/types/generated/members';
import { canonicalQualifiedName } from '../../shared/names/dialect';
import { compareBytes, equalJson } from '../../shared/values/json';
import { conditionsOf, conditionStatus } from '../runtime/conditions';
import { taintsOf, type Node } from '../runtime/nodes';
import { isPodTerminated, nodeNameOf } from '../runtime/pods';
import type { Pod } from '../../shared/client/rest/typed-objects';

/** Why a pod is deleted: a label of the metrics. */
export type PodGarbageReason = 'terminated' | 'orphaned' | 'unscheduled' | 'out-of-service';

const OUT_OF_SERVICE = 'node.platform.io/out-of-service';

/**
 * Terminated pods beyond the threshold: evicted ones first, then the oldest. Those of them that are being deleted are left
 * out, not replaced by others, because they end anyway. None when the threshold is not positive.
 */
export function terminatedPodsBeyondThreshold(pods: readonly Pod[], threshold: number): readonly Pod[] {
  if (threshold <= 0) return [];
  const terminated = pods.filter(isPodTerminated);
  if (terminated.length <= threshold) return [];
  return terminated
    .sort(compareForDeletion)
    .slice(0, terminated.length - threshold)
    .filter((pod) => !isBeingDeleted(pod));
}

/** Evicted pods first, then by creation time, name and namespace. */
const compareForDeletion = (a: Pod, b: Pod): number =>
  Number(isEvicted(b)) - Number(isEvicted(a)) ||
  compareBytes(creationTimestampOf(a), creationTimestampOf(b)) ||
  compareBytes(a.name, b.name) ||
  compareBytes(a.namespace, b.namespace);

const isEvicted = ({ body }: Pod): boolean => body.status?.reason === 'Evicted';

/** Pods that are being deleted before they were scheduled: no kubelet ends them. */
export function unscheduledTerminatingPods(pods: readonly Pod[]): readonly Pod[] {
  return pods.filter((pod) => nodeNameOf(pod) === '' && isBeingDeleted(pod));
}

/**
 * Pods that are being deleted on nodes that are not ready and have the taint `out-of-service`, which administrators
 * set.
 */
export function podsOnOutOfServiceNodes(pods: readonly Pod[], nodes: readonly Node[]): readonly Pod[] {
  const names = new Set(nodes.filter(isOutOfService).map(({ name }) => name));
  return names.size === 0 ? [] : pods.filter((pod) => isBeingDeleted(pod) && names.has(nodeNameOf(pod)));
}

function isOutOfService(node: Node): boolean {
  return conditionStatus(node.body, 'Ready') !== 'True' && taintsOf(node).some(({ key }) => canonicalQualifiedName(key) === OUT_OF_SERVICE);
}

/** Orphaned pods by the name of their missing node. */
export function podsByMissingNode(pods: readonly Pod[], nodeNames: ReadonlySet<string>): ReadonlyMap<string, readonly Pod[]> {
  const byNode = new Map<string, Pod[]>();
  for (const pod of pods) {
    const node = nodeNameOf(pod);
    if (node === '' || nodeNames.has(node)) continue;
    const others = byNode.get(node);
    if (others === undefined) byNode.set(node, [pod]);
    else others.push(pod);
  }
  return byNode;
}

/**
 * The merge patch of the status, to write before the pod is deleted, so that its controller counts it as failed.
 * `undefined` for a terminated pod. `now`: milliseconds since 1970.
 */
export function failedPodStatus(pod: Pod, reason: PodGarbageReason, now: number): CoreV1PodStatus | undefined {
  if (isPodTerminated(pod)) return undefined;
  if (reason !== 'orphaned') return { phase: 'Failed' };
  const conditions = conditionsOf(pod.body);
  const previous = conditions.find(({ type }) => type === 'DisruptionTarget');
  const since = previous?.status === 'True' ? previous.lastTransitionTime : undefined;
  const disruptionTarget = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'DeletionByPodGC',
    message: 'PodGC: node no longer exists',
    lastTransitionTime: since ?? formatTimestamp(now),
  };
  return { phase: 'Failed', conditions: [...conditions.filter((condition) => !equalJson(condition, previous)), disruptionTarget] };
}

/** Whether the pod is being deleted with a grace period of zero. */
export function isForceDeleted(pod: Pod): boolean {
  return isBeingDeleted(pod) && pod.metadata.deletionGracePeriodSeconds === 0;
}

/** Remembers since when nodes have been missing from the informer. */
export class MissingNodes {
  private readonly missingSince = new Map<string, number>();

  /**
   * Returns those of `missingNodes` that were missing in each call of the last `periodMs`. A node that is not among them
   * is forgotten. `now`: monotonic milliseconds.
   */
  missingFor(periodMs: number, missingNodes: Iterable<string>, now: number): readonly string[] {
    const missing = new Set(missingNodes);
    for (const name of [...this.missingSince.keys()]) if (!missing.has(name)) this.missingSince.delete(name);
    for (const name of missing) if (!this.missingSince.has(name)) this.missingSince.set(name, now);
    return [...missing].filter((name) => now - (this.missingSince.get(name) ?? now) >= periodMs);
  }
}
