/**
 * The condition types of a HorizontalPodAutoscaler, and how one of them is set. Which content a condition gets is
 * decided where its cause is found: in reconcile.ts, normalize-replicas.ts and status.ts.
 */
import { formatTimestamp } from '../../shared/api/metadata/object-meta';
import type { AutoscalingV2HorizontalPodAutoscalerCondition } from '../../shared/api/types/generated/members';
import { transitionTime, withCondition } from '../runtime/conditions';

export type AutoscalerCondition = AutoscalingV2HorizontalPodAutoscalerCondition;

export interface ConditionContent {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

export const ABLE_TO_SCALE = 'AbleToScale';
export const SCALING_ACTIVE = 'ScalingActive';
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
