/**
 * Decides how many replicas the target of an autoscaler gets, and the conditions and Events that follow. Pure: works on
 * the observed target, its pods and the measured metrics. The behaviour is that of upstream 1.31.1.
 */
import type { AutoscalingV2MetricStatus } from '../../shared/api/types/generated/members';
import { conditionsOf } from '../runtime/conditions';
import { compareNames } from '../runtime/pods';
import type { Pod } from '../../shared/client/rest/typed-objects';
import {
  ABLE_TO_SCALE,
  SCALING_ACTIVE,
  SCALING_LIMITED,
  setCondition,
  type AutoscalerCondition,
  type ConditionContent,
} from './conditions';
import { normalizeDesiredReplicas } from './normalize-replicas';
import type { Readiness } from './pod-groups';
import { computeReplicasForMetric, type Measurement, type MetricRecommendation } from './recommendations';
import type { ScalingHistory } from './scaling-history';
import type { Autoscaler, AutoscalerSpec } from './spec';

/** The scale subresource of a target. */
export interface TargetScale {
  readonly specReplicas: number;
  readonly statusReplicas: number;
  /** '' when the scale has no selector. */
  readonly selector: string;
}

/** The settings of the controller that apply to all autoscalers. */
export interface ReconcileSettings {
  /** Ratios of a metric to its target that differ from 1 by at most this much change nothing. */
  readonly tolerance: number;
  /** The stabilization window for scaling down where the spec does not set one. */
  readonly downscaleStabilizationMs: number;
  readonly readiness: Readiness;
}

/** What one reconciliation decides from. */
export interface AutoscalerState {
  readonly autoscaler: Autoscaler;
  readonly spec: AutoscalerSpec;
  readonly scale: TargetScale;
  /** The pods that the target selects. */
  readonly pods: readonly Pod[];
  /** Keys of the autoscalers that select some of these pods, this one included; empty without pods. */
  readonly selectingAutoscalers: readonly string[];
  /** In the order of the spec's metrics; empty unless {@link needsMetrics}. */
  readonly measurements: readonly Measurement[];
  readonly history: Pick<ScalingHistory, 'highestRecommendation' | 'lowestRecommendation' | 'replicasAdded' | 'replicasRemoved'>;
  readonly settings: ReconcileSettings;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The present time on the monotonic clock of the history. */
  readonly monotonicNow: number;
}

/** An Event about the autoscaler. */
export interface AutoscalerEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** The replicas to write to the scale, and why, for the Event. */
export interface Rescale {
  readonly replicas: number;
  readonly reason: string;
}

/** What one reconciliation writes. */
export interface AutoscalerPlan {
  /** `undefined` when the target keeps its replicas. */
  readonly rescale: Rescale | undefined;
  /** The highest recommendation of the metrics, before it is normalized; undefined when there is none. */
  readonly recommendation: number | undefined;
  readonly events: readonly AutoscalerEvent[];
  readonly conditions: readonly AutoscalerCondition[];
  /** The replicas of the target if the rescale succeeds; undefined: the status keeps its value. */
  readonly desiredReplicas: number | undefined;
  /** For the status; undefined when no metric was measured. */
  readonly currentMetrics: readonly AutoscalingV2MetricStatus[] | undefined;
  /** Why the metrics yield no recommendation; undefined when they do or are not needed. */
  readonly error: string | undefined;
  /** In the order of the spec's metrics; empty when none was measured. */
  readonly metrics: readonly MetricRecommendation[];
}

const SUCCEEDED_GET_SCALE: ConditionContent = {
  status: 'True',
  reason: 'SucceededGetScale',
  message: "the HPA controller was able to get the target's current scale",
};

type ScalingMode = 'disabled' | 'aboveMax' | 'belowMin' | 'metrics';

/** A target that was scaled to 0 is left alone, unless the autoscaler may scale to 0 itself. */
function scalingModeOf(
  { minReplicas, maxReplicas }: Pick<AutoscalerSpec, 'minReplicas' | 'maxReplicas'>,
  { specReplicas }: Pick<TargetScale, 'specReplicas'>,
): ScalingMode {
  if (specReplicas === 0 && minReplicas !== 0) return 'disabled';
  if (specReplicas > maxReplicas) return 'aboveMax';
  return specReplicas < minReplicas ? 'belowMin' : 'metrics';
}

/** Whether metrics decide: the target is within its limits, and its pods are known to be its own. */
export function needsMetrics({
  spec,
  scale,
  selectingAutoscalers,
}: Pick<AutoscalerState, 'spec' | 'scale' | 'selectingAutoscalers'>): boolean {
  return scalingModeOf(spec, scale) === 'metrics' && validateSelector({ scale, selectingAutoscalers }) === undefined;
}

/** One reconciliation, once per sync period. The caller writes the scale, the status and the Events of the plan. */
export function reconcileAutoscaler(state: AutoscalerState): AutoscalerPlan {
  const { autoscaler, spec, scale, now } = state;
  const conditions = setCondition(conditionsOf(autoscaler.body), ABLE_TO_SCALE, SUCCEEDED_GET_SCALE, now);
  const { maxReplicas, minReplicas } = spec;
  const plan = { recommendation: undefined, events: [], conditions, currentMetrics: undefined, error: undefined, metrics: [] };
  switch (scalingModeOf(spec, scale)) {
    case 'disabled': {
      const message = 'scaling is disabled since the replica count of the target is zero';
      const inactive = { status: 'False', reason: 'ScalingDisabled', message } as const;
      return { ...plan, conditions: setCondition(conditions, SCALING_ACTIVE, inactive, now), desiredReplicas: 0, rescale: undefined };
    }
    case 'aboveMax':
      return {
        ...plan,
        desiredReplicas: maxReplicas,
        rescale: { replicas: maxReplicas, reason: 'Current number of replicas above Spec.MaxReplicas' },
      };
    case 'belowMin':
      return {
        ...plan,
        desiredReplicas: minReplicas,
        rescale: { replicas: minReplicas, reason: 'Current number of replicas below Spec.MinReplicas' },
      };
    case 'metrics':
      return reconcileMetrics(state, conditions);
  }
}

/** How an autoscaler reports that its pods cannot be measured. */
export interface InvalidSelector {
  readonly condition: ConditionContent;
  readonly event: AutoscalerEvent;
}

/** Why the pods of the target cannot be measured; undefined when they can. */
export function validateSelector({
  scale,
  selectingAutoscalers,
}: Pick<AutoscalerState, 'scale' | 'selectingAutoscalers'>): InvalidSelector | undefined {
  if (scale.selector === '') {
    return {
      condition: { status: 'False', reason: 'InvalidSelector', message: "the HPA target's scale is missing a selector" },
      event: { type: 'Warning', reason: 'SelectorRequired', message: 'selector is required' },
    };
  }
  if (selectingAutoscalers.length < 2) return undefined;
  const keys = [...selectingAutoscalers].sort().join(' ');
  const message = `pods by selector ${scale.selector} are controlled by multiple HPAs: [${keys}]`;
  return {
    condition: { status: 'False', reason: 'AmbiguousSelector', message },
    event: { type: 'Warning', reason: 'AmbiguousSelector', message },
  };
}

/** The plan for a target within its limits. */
function reconcileMetrics(state: AutoscalerState, conditions: readonly AutoscalerCondition[]): AutoscalerPlan {
  const { scale, now } = state;
  const noRecommendation = { rescale: undefined, recommendation: undefined, desiredReplicas: undefined };
  const failedToCompute = (message: string): AutoscalerEvent => ({ type: 'Warning', reason: 'FailedComputeMetricsReplicas', message });
  const selectorError = validateSelector(state);
  if (selectorError !== undefined) {
    const { condition, event } = selectorError;
    return {
      ...noRecommendation,
      events: [event, failedToCompute(event.message)],
      conditions: setCondition(conditions, SCALING_ACTIVE, condition, now),
      currentMetrics: undefined,
      error: event.message,
      metrics: [],
    };
  }
  const metrics = computeReplicasForMetrics(state);
  const currentMetrics = metrics.map((metric) => (metric.type === 'recommendation' ? metric.status : { type: '' }));
  const failures = metrics.filter((metric) => metric.type === 'failed');
  const events = failures.map(({ reason, message }): AutoscalerEvent => ({ type: 'Warning', reason, message }));
  const highest = highestOf(metrics);
  const [firstFailure] = failures;
  // While a metric is missing, the others may scale up but not down: the missing one might recommend more.
  const scalesDownWithFailedMetric = firstFailure !== undefined && (highest?.replicas ?? 0) < scale.specReplicas;
  if (highest === undefined || scalesDownWithFailedMetric) {
    const error = `invalid metrics (${failures.length} invalid out of ${metrics.length}), first error is: ${firstFailure?.summary ?? ''}`;
    const message = `the HPA was unable to compute the replica count: ${firstFailure?.message ?? ''}`;
    const inactive = { status: 'False', reason: firstFailure?.reason ?? '', message } as const;
    return {
      ...noRecommendation,
      events: [...events, failedToCompute(error)],
      conditions: setCondition(conditions, SCALING_ACTIVE, inactive, now),
      currentMetrics,
      error,
      metrics,
    };
  }
  return { ...planRescale(state, highest, conditions), events, currentMetrics, error: undefined, metrics };
}

/** The plan for the highest recommendation, after stabilization windows, policies and limits. */
function planRescale(
  { spec, scale: { specReplicas }, history, settings: { downscaleStabilizationMs }, monotonicNow, now }: AutoscalerState,
  { replicas: recommendation, metricName }: SuccessfulRecommendation,
  conditions: readonly AutoscalerCondition[],
): Pick<AutoscalerPlan, 'rescale' | 'recommendation' | 'conditions' | 'desiredReplicas'> {
  const { replicas, ableToScale, scalingLimited } = normalizeDesiredReplicas({
    spec,
    currentReplicas: specReplicas,
    recommendation,
    history,
    downscaleStabilizationMs,
    now: monotonicNow,
  });
  const message = `the HPA was able to successfully calculate a replica count from ${metricName}`;
  const active = setCondition(conditions, SCALING_ACTIVE, { status: 'True', reason: 'ValidMetricFound', message }, now);
  const able = setCondition(active, ABLE_TO_SCALE, ableToScale, now);
  const isAbove = recommendation > specReplicas;
  const reasonBelow = recommendation < specReplicas ? 'All metrics below target' : '';
  const reason = isAbove ? `${metricName} above target` : reasonBelow;
  return {
    rescale: replicas === specReplicas ? undefined : { replicas, reason },
    recommendation,
    conditions: setCondition(able, SCALING_LIMITED, scalingLimited, now),
    desiredReplicas: replicas,
  };
}

function computeReplicasForMetrics(state: AutoscalerState): readonly MetricRecommendation[] {
  const { autoscaler, spec, scale, pods, measurements, settings, now } = state;
  const { tolerance, readiness } = settings;
  // Messages name the first pod with an error, so the order of pods must be stable.
  const input = {
    pods: [...pods].sort(compareNames),
    currentReplicas: scale.specReplicas,
    tolerance,
    readiness,
    now,
    namespace: autoscaler.namespace,
    statusReplicas: scale.statusReplicas,
  };
  return spec.metrics.flatMap((metric, index) => {
    const measurement = measurements[index];
    return measurement === undefined ? [] : [computeReplicasForMetric(metric, measurement, input)];
  });
}

type SuccessfulRecommendation = Extract<MetricRecommendation, { type: 'recommendation' }>;

/** The first of those with the most replicas. */
function highestOf(metrics: readonly MetricRecommendation[]): SuccessfulRecommendation | undefined {
  let highest: SuccessfulRecommendation | undefined;
  for (const metric of metrics) if (metric.type === 'recommendation' && metric.replicas > (highest?.replicas ?? -1)) highest = metric;
  return highest;
}
