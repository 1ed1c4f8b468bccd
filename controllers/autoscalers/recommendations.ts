/**
 * The replica count that each metric recommends, its status, and the messages of a metric that recommends none. The
 * functions are pure.
 */
import type {
  AutoscalingV2CrossVersionObjectReference,
  AutoscalingV2MetricIdentifier,
  AutoscalingV2MetricStatus,
  AutoscalingV2MetricValueStatus,
} from '../../shared/api/types/generated/members';
import { formatGoSelector } from './messages';
import type { PodMetrics } from './pod-groups';
import { divideUp, formatMilli } from './quantities';
import {
  CalculationError,
  replicasForAverageValue,
  replicasForPerPodValue,
  replicasForUtilization,
  replicasForValue,
  type CalculatedReplicas,
  type CalculatorInput,
} from './replica-calculator';
import type { CrossVersionObjectReference, Metric, MetricIdentifier, MetricTarget } from './spec';

/** The response of a metrics API: a value for each pod, one value, or why there is none. */
export type Measurement =
  | { readonly type: 'pods'; readonly metrics: PodMetrics }
  /** A value that all pods share, in thousandths. */
  | { readonly type: 'value'; readonly milli: bigint }
  | { readonly type: 'failed'; readonly message: string };

/** The target and its pods. */
export interface RecommendationInput extends CalculatorInput {
  readonly namespace: string;
  /** `status.replicas` of the target. */
  readonly statusReplicas: number;
}

/** The recommendation of one metric. */
interface Recommendation {
  readonly replicas: number;
  /** How messages name the metric. */
  readonly metricName: string;
  readonly status: AutoscalingV2MetricStatus;
}

/** The result of one metric. */
export type MetricRecommendation =
  | ({ readonly type: 'recommendation' } & Recommendation)
  | {
      readonly type: 'failed';
      /** The reason of both the condition and the Event. */
      readonly reason: string;
      readonly message: string;
      /** The message as part of the summary of all metrics. */
      readonly summary: string;
    };

/**
 * A metric that cannot be computed is returned as failed; no {@link CalculationError} is thrown. The message is upstream's,
 * except for a measurement that is one value where the metric needs one for each pod, or the reverse.
 */
export function computeReplicasForMetric(metric: Metric, measurement: Measurement, input: RecommendationInput): MetricRecommendation {
  try {
    return { type: 'recommendation', ...recommend(metric, measurement, input) };
  } catch (error) {
    if (!(error instanceof CalculationError)) throw error;
    return failedRecommendation(metric, error.message);
  }
}

/** Throws {@link CalculationError}. */
function recommend(metric: Metric, measurement: Measurement, input: RecommendationInput): Recommendation {
  switch (metric.type) {
    case 'Resource':
      return recommendForResource(metric, measurement, input);
    case 'ContainerResource':
      return recommendForContainerResource(metric, measurement, input);
    case 'Pods':
      return recommendForPods(metric, measurement, input);
    case 'Object':
      return recommendForObject(metric, measurement, input);
    case 'External':
      return recommendForExternal(metric, measurement, input);
    case 'unknown':
      throw new CalculationError(`unknown metric source type "${metric.name}"`);
  }
}

type MetricOf<T extends Metric['type']> = Extract<Metric, { readonly type: T }>;

function recommendForResource(
  { resource, target }: MetricOf<'Resource'>,
  measurement: Measurement,
  input: RecommendationInput,
): Recommendation {
  const calculated = resourceReplicas({ resource, target, container: undefined }, measurement, input);
  const { replicas, utilization } = calculated;
  const metricName = utilization === undefined ? `${resource} resource` : `${resource} resource utilization (percentage of request)`;
  return { replicas, metricName, status: { type: 'Resource', resource: { name: resource, current: currentOf(calculated) } } };
}

function recommendForContainerResource(
  { resource, container, target }: MetricOf<'ContainerResource'>,
  measurement: Measurement,
  input: RecommendationInput,
): Recommendation {
  const calculated = resourceReplicas({ resource, target, container }, measurement, input);
  const { replicas, utilization } = calculated;
  // As upstream: only the name with a utilization contains the word `container`.
  const metricName =
    utilization === undefined ? `${resource} resource` : `${resource} container resource utilization (percentage of request)`;
  const containerResource = { name: resource, container, current: currentOf(calculated) };
  return { replicas, metricName, status: { type: 'ContainerResource', containerResource } };
}

/** The resource of which the usage is compared with a target. */
interface ResourceTarget {
  readonly resource: string;
  readonly target: MetricTarget;
  /** `undefined` for the sum of all containers. */
  readonly container: string | undefined;
}

function resourceReplicas(
  { resource, target, container }: ResourceTarget,
  measurement: Measurement,
  input: RecommendationInput,
): CalculatedReplicas {
  const metrics = podMetricsIn(measurement, (message) => `unable to get metrics for resource ${resource}: ${message}`);
  return target.type === 'utilization'
    ? replicasForUtilization(input, metrics, { resource, container, percent: target.percent })
    : replicasForAverageValue(input, metrics, resource, target.milli);
}

function recommendForPods({ metric, target }: MetricOf<'Pods'>, measurement: Measurement, input: RecommendationInput): Recommendation {
  const metrics = podMetricsIn(measurement, (message) => `unable to get metric ${metric.name}: ${message}`);
  const { replicas, average } = replicasForAverageValue(input, metrics, undefined, targetMilli(target));
  const pods = { metric: identifierStatus(metric), current: { averageValue: formatMilli(average) } };
  return { replicas, metricName: `pods metric ${metric.name}`, status: { type: 'Pods', pods } };
}

function recommendForObject(
  { metric, describedObject, target }: MetricOf<'Object'>,
  measurement: Measurement,
  input: RecommendationInput,
): Recommendation {
  const { kind, name } = describedObject;
  // Upstream's format: the kind, the namespace, and the name with the cause.
  const milli = valueIn(measurement, (message) => `unable to get metric ${metric.name}: ${kind} on ${input.namespace} ${name}/${message}`);
  const { replicas, current } = sharedValueReplicas(target, milli, input);
  // For a target per pod, release 1.31.1 leaves describedObject empty and calls the metric an external one.
  const isPerPod = target.type === 'average';
  return {
    replicas,
    metricName: isPerPod ? externalMetricName(metric) : `${kind} metric ${metric.name}`,
    status: {
      type: 'Object',
      object: {
        metric: identifierStatus(metric),
        describedObject: isPerPod ? { kind: '', name: '' } : referenceStatus(describedObject),
        current,
      },
    },
  };
}

function recommendForExternal(
  { metric, target }: MetricOf<'External'>,
  measurement: Measurement,
  input: RecommendationInput,
): Recommendation {
  const identifier = `${input.namespace}/${metric.name}/${formatGoSelector(metric.selector)}`;
  const milli = valueIn(measurement, (message) => `unable to get external metric ${identifier}: ${message}`);
  const { replicas, current } = sharedValueReplicas(target, milli, input);
  const external = { metric: identifierStatus(metric), current };
  return { replicas, metricName: externalMetricName(metric), status: { type: 'External', external } };
}

const externalMetricName = ({ name, selector }: MetricIdentifier): string => `external metric ${name}(${formatGoSelector(selector)})`;

/**
 * Returns the replicas for a metric that all pods share, and its value for the status. With a target per pod, this value
 * is the average per pod.
 */
function sharedValueReplicas(
  target: MetricTarget,
  milli: bigint,
  input: RecommendationInput,
): { readonly replicas: number; readonly current: AutoscalingV2MetricValueStatus } {
  if (target.type !== 'average') {
    return { replicas: replicasForValue(input, { milli, target: targetMilli(target) }), current: { value: formatMilli(milli) } };
  }
  const { statusReplicas } = input;
  return {
    replicas: replicasForPerPodValue(input, statusReplicas, { milli, target: target.milli }),
    // A target without replicas has no average: the status shows the whole value.
    current: { averageValue: formatMilli(divideUp(milli, BigInt(Math.max(1, statusReplicas)))) },
  };
}

/**
 * In thousandths. The API accepts utilization targets only for resource metrics; the percentage of one that is stored for
 * another metric counts as a value, which is multiplied to be in thousandths as well.
 */
const targetMilli = (target: MetricTarget): bigint => (target.type === 'utilization' ? BigInt(target.percent) * 1000n : target.milli);

/** Throws {@link CalculationError}. */
function podMetricsIn(measurement: Measurement, withContext: (message: string) => string): PodMetrics {
  if (measurement.type === 'pods') return measurement.metrics;
  throw new CalculationError(withContext(measurement.type === 'failed' ? measurement.message : 'one amount was measured for all pods'));
}

/** Throws {@link CalculationError}. */
function valueIn(measurement: Measurement, withContext: (message: string) => string): bigint {
  if (measurement.type === 'value') return measurement.milli;
  throw new CalculationError(withContext(measurement.type === 'failed' ? measurement.message : 'an amount was measured for each pod'));
}

const currentOf = ({ average, utilization }: CalculatedReplicas): AutoscalingV2MetricValueStatus => ({
  averageValue: formatMilli(average),
  ...(utilization === undefined ? {} : { averageUtilization: utilization }),
});

const identifierStatus = ({ name, selector }: MetricIdentifier): AutoscalingV2MetricIdentifier => ({
  name,
  ...(selector === undefined ? {} : { selector }),
});

const referenceStatus = ({ apiVersion, kind, name }: CrossVersionObjectReference): AutoscalingV2CrossVersionObjectReference => ({
  kind,
  name,
  ...(apiVersion === '' ? {} : { apiVersion }),
});

function failedRecommendation(metric: Metric, cause: string): MetricRecommendation {
  const failed = (reason: string, message: string, context: string): MetricRecommendation => ({
    type: 'failed',
    reason,
    message,
    summary: `${context}: ${message}`,
  });
  switch (metric.type) {
    case 'Resource':
      return failed('FailedGetResourceMetric', resourceMessage(metric, cause), `failed to get ${metric.resource} resource metric value`);
    case 'ContainerResource':
      return failed(
        'FailedGetContainerResourceMetric',
        resourceMessage(metric, cause),
        `failed to get ${metric.container} container metric value`,
      );
    case 'Pods':
      return failed('FailedGetPodsMetric', cause, 'failed to get pods metric value');
    case 'Object':
      return failed('FailedGetObjectMetric', cause, 'failed to get object metric value');
    case 'External': {
      const { name } = metric.metric;
      const metricName = metric.target.type === 'average' ? `${name} external metric` : `external metric ${name}`;
      return failed('FailedGetExternalMetric', cause, `failed to get ${name} external metric value: failed to get ${metricName}`);
    }
    case 'unknown':
      return { type: 'failed', reason: 'InvalidMetricSourceType', message: cause, summary: cause };
  }
}

function resourceMessage({ resource, target }: Pick<ResourceTarget, 'resource' | 'target'>, cause: string): string {
  return `failed to get ${resource} ${target.type === 'utilization' ? 'utilization' : 'usage'}: ${cause}`;
}
