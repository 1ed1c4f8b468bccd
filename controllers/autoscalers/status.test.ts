import type {
  AutoscalingV2HorizontalPodAutoscaler,
  AutoscalingV2HorizontalPodAutoscalerStatus,
} from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import type { AutoscalerCondition } from './conditions';
import type { AutoscalerPlan } from './reconcile';
import type { Autoscaler } from './spec';
import { statusAfterScaling, statusWithoutScale } from './status';

const BEFORE = '2026-01-01T00:00:00Z';
const NOW = Date.UTC(2026, 0, 1, 12);
const NOW_TEXT = '2026-01-01T12:00:00Z';

const condition = (type: string, status: string, reason: string, lastTransitionTime = BEFORE): AutoscalerCondition => ({
  type,
  status,
  lastTransitionTime,
  reason,
  message: '',
});
const ABLE_TO_SCALE = condition('AbleToScale', 'True', 'ReadyForNewScale');
const SCALING_ACTIVE = condition('ScalingActive', 'True', 'ValidMetricFound');

/** A target that is to be scaled from 10 to 15 replicas. The previous reconciliation had desired 12. */
const SCALE = { specReplicas: 10, statusReplicas: 10, selector: 'app=a' };
const PLAN: Pick<AutoscalerPlan, 'conditions' | 'currentMetrics' | 'desiredReplicas'> = {
  desiredReplicas: 15,
  currentMetrics: [{ type: 'External' }],
  conditions: [ABLE_TO_SCALE, SCALING_ACTIVE],
};
const PREVIOUS: AutoscalingV2HorizontalPodAutoscalerStatus = {
  observedGeneration: 3,
  currentReplicas: 9,
  desiredReplicas: 12,
  lastScaleTime: BEFORE,
  currentMetrics: [{ type: 'Resource' }],
  conditions: [ABLE_TO_SCALE, SCALING_ACTIVE],
};

const autoscalerWith = (status: AutoscalingV2HorizontalPodAutoscalerStatus): Autoscaler =>
  apiObject<AutoscalingV2HorizontalPodAutoscaler>({ metadata: { namespace: 'n', name: 'h', uid: 'u' }, status });
const stateWith = (status: AutoscalingV2HorizontalPodAutoscalerStatus) => ({
  autoscaler: autoscalerWith(status),
  scale: SCALE,
  now: NOW,
});

describe('statusAfterScaling', () => {
  test('sets the replicas and the time of a successful update', () => {
    expect(statusAfterScaling(stateWith(PREVIOUS), PLAN, { type: 'scaled', replicas: 15 })).toMatchObject({
      currentReplicas: 10,
      desiredReplicas: 15,
      lastScaleTime: NOW_TEXT,
      conditions: [{ type: 'AbleToScale', status: 'True', reason: 'SucceededRescale' }, SCALING_ACTIVE],
    });
  });

  test('keeps desiredReplicas and lastScaleTime when the update of the scale fails', () => {
    expect(statusAfterScaling(stateWith(PREVIOUS), PLAN, { type: 'failed', message: 'no' })).toMatchObject({
      currentReplicas: 10,
      desiredReplicas: 12,
      lastScaleTime: BEFORE,
      conditions: [{ type: 'AbleToScale', status: 'False', reason: 'FailedUpdateScale' }, SCALING_ACTIVE],
    });
  });

  test('keeps desiredReplicas when the plan has none', () => {
    const plan = { ...PLAN, desiredReplicas: undefined };
    expect(statusAfterScaling(stateWith(PREVIOUS), plan, { type: 'unchanged' })).toMatchObject({ desiredReplicas: 12 });
  });

  test('returns undefined for a status that would not change', () => {
    const outcome = { type: 'scaled', replicas: 15 } as const;
    const status = statusAfterScaling(stateWith(PREVIOUS), PLAN, outcome) ?? {};
    expect(statusAfterScaling(stateWith(status), { ...PLAN, conditions: status.conditions ?? [] }, outcome)).toBeUndefined();
  });
});

describe('statusWithoutScale', () => {
  test('changes only the AbleToScale condition', () => {
    const message = "the HPA controller was unable to get the target's current scale: gone";
    expect(statusWithoutScale(autoscalerWith(PREVIOUS), 'gone', NOW)).toEqual({
      ...PREVIOUS,
      conditions: [{ ...condition('AbleToScale', 'False', 'FailedGetScale', NOW_TEXT), message }, SCALING_ACTIVE],
    });
  });

  test('returns undefined while the same error persists', () => {
    const status = statusWithoutScale(autoscalerWith(PREVIOUS), 'gone', NOW) ?? {};
    expect(statusWithoutScale(autoscalerWith(status), 'gone', NOW + 60_000)).toBeUndefined();
  });
});
