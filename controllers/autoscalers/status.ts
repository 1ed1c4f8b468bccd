/**
 * The status of an autoscaler after a reconciliation. Pure; returns undefined instead of a status that equals the
 * present one.
 */
import { formatTimestamp } from '../../shared/api/metadata/object-meta';
import type { AutoscalingV2HorizontalPodAutoscalerStatus } from '../../shared/api/types/generated/members';
import { equalJson } from '../../shared/values/json';
import { conditionsOf } from '../runtime/conditions';
import { ABLE_TO_SCALE, setCondition, type AutoscalerCondition } from './conditions';
import type { AutoscalerPlan, AutoscalerState } from './reconcile';
import type { Autoscaler } from './spec';

export type AutoscalerStatus = AutoscalingV2HorizontalPodAutoscalerStatus;

/** The result of the plan's rescale. */
export type ScalingOutcome =
  | { readonly type: 'unchanged' }
  | { readonly type: 'scaled'; readonly replicas: number }
  | { readonly type: 'failed'; readonly message: string };

/** The status after a reconciliation that executed its plan with this outcome. */
export function statusAfterScaling(
  { autoscaler, scale, now }: Pick<AutoscalerState, 'autoscaler' | 'scale' | 'now'>,
  plan: Pick<AutoscalerPlan, 'conditions' | 'currentMetrics' | 'desiredReplicas'>,
  outcome: ScalingOutcome,
): AutoscalerStatus | undefined {
  const { status = {} } = autoscaler.body;
  const previousDesired = status.desiredReplicas ?? 0;
  const update = { currentReplicas: scale.specReplicas, conditions: plan.conditions, currentMetrics: plan.currentMetrics ?? [] };
  switch (outcome.type) {
    case 'unchanged':
      return changedStatus(status, { ...update, desiredReplicas: plan.desiredReplicas ?? previousDesired });
    case 'scaled': {
      const message = `the HPA controller was able to update the target scale to ${outcome.replicas}`;
      const conditions = setCondition(plan.conditions, ABLE_TO_SCALE, { status: 'True', reason: 'SucceededRescale', message }, now);
      const lastScaleTime = formatTimestamp(now);
      return changedStatus({ ...status, lastScaleTime }, { ...update, conditions, desiredReplicas: outcome.replicas }, status);
    }
    case 'failed': {
      const message = `the HPA controller was unable to update the target scale: ${outcome.message}`;
      const conditions = setCondition(plan.conditions, ABLE_TO_SCALE, { status: 'False', reason: 'FailedUpdateScale', message }, now);
      return changedStatus(status, { ...update, conditions, desiredReplicas: previousDesired });
    }
  }
}

/** The status when the scale cannot be read: changes the condition only. `now`: milliseconds since 1970. */
export function statusWithoutScale({ body }: Autoscaler, error: string, now: number): AutoscalerStatus | undefined {
  const { status = {} } = body;
  const message = `the HPA controller was unable to get the target's current scale: ${error}`;
  const conditions = setCondition(conditionsOf(body), ABLE_TO_SCALE, { status: 'False', reason: 'FailedGetScale', message }, now);
  const changed: AutoscalerStatus = { ...status, conditions: [...conditions] };
  return equalJson(changed, status) ? undefined : changed;
}

/** The members of the status that each reconciliation writes. */
interface StatusUpdate {
  readonly currentReplicas: number;
  readonly desiredReplicas: number;
  readonly currentMetrics: NonNullable<AutoscalerPlan['currentMetrics']>;
  readonly conditions: readonly AutoscalerCondition[];
}

/**
 * The base with the update; undefined when that equals `previous`, the status that is stored. A `currentReplicas` of 0
 * is left out, as the API does.
 */
function changedStatus(
  base: AutoscalerStatus,
  { currentReplicas, desiredReplicas, currentMetrics, conditions }: StatusUpdate,
  previous = base,
): AutoscalerStatus | undefined {
  const { currentReplicas: _, ...rest } = base;
  const changed: AutoscalerStatus = {
    ...rest,
    ...(currentReplicas === 0 ? {} : { currentReplicas }),
    desiredReplicas,
    currentMetrics: currentMetrics.length === 0 ? null : [...currentMetrics],
    conditions: [...conditions],
  };
  return equalJson(changed, { ...previous, currentMetrics: previous.currentMetrics ?? null }) ? undefined : changed;
}
