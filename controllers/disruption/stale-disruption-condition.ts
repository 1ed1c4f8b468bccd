/**
 * Decides when the `DisruptionTarget` condition of a pod is stale, because the pod was not deleted within two minutes,
 * and builds the patch that resets it. Pure: the controller sends the patch.
 */
import type { CoreV1PodCondition } from '../../shared/api/types/generated/members';
import { isBeingDeleted } from '../../shared/client/rest/api-object';
import { parseTimestamp, formatTimestamp } from '../../shared/api/metadata/object-meta';
import { conditionOf, conditionsOf, conditionsPatch, withCondition } from '../runtime/conditions';
import { DISRUPTION_TARGET } from '../runtime/disruption-target';
import { isPodTerminated } from '../runtime/pods';
import type { Pod } from '../../shared/client/rest/typed-objects';

/** Upstream's stalePodDisruptionTimeout. */
const STALE_DISRUPTION_TIMEOUT_MS = 120_000;
/** The reason of conditions that the kubelet sets, and resets itself. */
const KUBELET_REASON = 'TerminationByKubelet';

/** When the condition becomes stale, in milliseconds since 1970; undefined for a pod without a condition that can. */
export function conditionStaleAt(pod: Pod): number | undefined {
  const condition = conditionOf(pod.body, DISRUPTION_TARGET);
  if (condition?.status !== 'True' || condition.reason === KUBELET_REASON) return undefined;
  if (isBeingDeleted(pod) || isPodTerminated(pod)) return undefined;
  return (parseTimestamp(condition.lastTransitionTime ?? undefined) ?? 0) + STALE_DISRUPTION_TIMEOUT_MS;
}

/** The merge patch of the status that sets the condition to `False`. `now`: milliseconds since 1970. */
export function resetConditionPatch(pod: Pod, now: number) {
  const condition: CoreV1PodCondition = {
    type: DISRUPTION_TARGET,
    status: 'False',
    lastProbeTime: null,
    lastTransitionTime: formatTimestamp(now),
  };
  return conditionsPatch(pod, withCondition(conditionsOf(pod.body), condition));
}
