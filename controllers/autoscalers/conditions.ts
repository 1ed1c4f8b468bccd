/**
 * The condition types of a HorizontalPodAutoscaler, and how one of them is set. Which content a condition gets is
 * decided by its callers, where the cause is found.
 */
import { formatTimestamp } from '../../shared/api/metadata/object-meta';
import type { AutoscalingV2HorizontalPodAutoscalerCondition } from '../../shared/api/types/generated/members';
import { transitionTime, withCondition } from '../runtime/conditions';

export type AutoscalerCondition = AutoscalingV2HorizontalPodAutoscalerCondition;

/** A condition without its type and times. */
export interface ConditionContent {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** Whether the scale can be read and written. Its reason names a stabilization window that holds back a change. */
export const ABLE_TO_SCALE = 'AbleToScale';
/** Whether the metrics yield a recommendation. */
export const SCALING_ACTIVE = 'ScalingActive';
/** Whether a limit or a scaling policy changed the recommendation. */
export const SCALING_LIMITED = 'ScalingLimited';

/**
 * A copy of the list in which the condition of this type is replaced or added. Its lastTransitionTime changes only with
 * its status. `now`: milliseconds since 1970.
 */
export function setCondition(
  conditions: readonly AutoscalerCondition[],
  type: string,
  { status, reason, message }: ConditionContent,
  now: number,
): readonly AutoscalerCondition[] {
  const lastTransitionTime = transitionTime(conditions, type, status, formatTimestamp(now));
  return withCondition(conditions, { type, status, lastTransitionTime, reason, message });
}
