/** The conditions of a HorizontalPodAutoscaler. */
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

/** Sets or adds the condition. Its lastTransitionTime stays while its status does. */
export function setCondition(
  conditions: readonly AutoscalerCondition[],
  type: string,
  { status, reason, message }: ConditionContent,
  now: number,
): readonly AutoscalerCondition[] {
  const lastTransitionTime = transitionTime(conditions, type, status, formatTimestamp(now));
  return withCondition(conditions, { type, status, lastTransitionTime, reason, message });
}
