/** The condition `DisruptionTarget` of a pod that is about to be deleted. Deleting the pod is left to the callers. */
import { formatTimestamp } from '../../shared/api/metadata/object-meta';
import type { Pod } from '../../shared/client/rest/typed-objects';
import { conditionsOf, conditionsPatch, transitionTime, withCondition } from './conditions';

/** The type of the condition. */
export const DISRUPTION_TARGET = 'DisruptionTarget';

/** The merge patch that sets the condition to True. `now`: milliseconds since 1970. */
export function disruptionTargetPatch(pod: Pod, { reason, message }: { readonly reason: string; readonly message: string }, now: number) {
  const conditions = conditionsOf(pod.body);
  const lastTransitionTime = transitionTime(conditions, DISRUPTION_TARGET, 'True', formatTimestamp(now));
  const condition = { type: DISRUPTION_TARGET, status: 'True', reason, message, lastProbeTime: null, lastTransitionTime };
  return conditionsPatch(pod, withCondition(conditions, condition));
}
