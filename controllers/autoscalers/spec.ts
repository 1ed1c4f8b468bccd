/**
 * The spec of a HorizontalPodAutoscaler with its defaults, as a union of metric types. Quantities are whole
 * thousandths, rounded up.
 */
import type {
  AutoscalingV2CrossVersionObjectReference,
  AutoscalingV2HorizontalPodAutoscaler,
  AutoscalingV2HPAScalingRules,
  AutoscalingV2MetricIdentifier,
  AutoscalingV2MetricSpec,
  AutoscalingV2MetricTarget,
  MetaV1LabelSelector,
} from '../../shared/api/types/generated/members';
import type { ApiObject } from '../../shared/client/rest/api-object';
import { parseMilli } from './quantities';

export type Autoscaler = ApiObject<AutoscalingV2HorizontalPodAutoscaler>;

/** A reference with its absent members filled in as ''. */
export interface CrossVersionObjectReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
}

/** The target value of a metric; `milli` in thousandths. */
export type MetricTarget =
  /** Percent of the pods' resource requests. */
  | { readonly type: 'utilization'; readonly percent: number }
  /** The average of the pods. */
  | { readonly type: 'average'; readonly milli: bigint }
  /** The value of a metric that all pods share. */
  | { readonly type: 'value'; readonly milli: bigint };

/** A custom or external metric; `selector` is undefined when the spec does not restrict its series. */
export interface MetricIdentifier {
  readonly name: string;
  readonly selector: MetaV1LabelSelector | undefined;
}

/** A metric of the spec, by the type of its source. */
export type Metric =
  | { readonly type: 'Resource'; readonly resource: string; readonly target: MetricTarget }
  | { readonly type: 'ContainerResource'; readonly resource: string; readonly container: string; readonly target: MetricTarget }
  | { readonly type: 'Pods'; readonly metric: MetricIdentifier; readonly target: MetricTarget }
  | {
      readonly type: 'Object';
      readonly metric: MetricIdentifier;
      readonly describedObject: CrossVersionObjectReference;
      readonly target: MetricTarget;
    }
  | { readonly type: 'External'; readonly metric: MetricIdentifier; readonly target: MetricTarget }
  /** A metric of a type that release 1.31 does not have. */
  | { readonly type: 'unknown'; readonly name: string };

/** How much the target may change in a period. */
export interface ScalingPolicy {
  readonly type: 'Pods' | 'Percent';
  /** A number of pods, or percent of the replicas at the start of the period. */
  readonly value: number;
  readonly periodMs: number;
}

/** The rules of one direction: scaling up, or scaling down. */
export interface ScalingRules {
  /** Undefined when the rules do not set one: the default depends on the direction (normalize-replicas.ts). */
  readonly stabilizationWindowMs: number | undefined;
  /** Which of several policies applies: that with the largest or the smallest change. `Disabled` allows no change. */
  readonly selectPolicy: 'Max' | 'Min' | 'Disabled';
  readonly policies: readonly ScalingPolicy[];
}

/** The spec with its defaults. */
export interface AutoscalerSpec {
  readonly scaleTargetRef: CrossVersionObjectReference;
  /** At least 0; 0 allows scaling to zero. */
  readonly minReplicas: number;
  readonly maxReplicas: number;
  readonly metrics: readonly Metric[];
  /** `undefined` when the fixed rules of autoscaling/v1 apply. */
  readonly behavior: { readonly scaleUp: ScalingRules; readonly scaleDown: ScalingRules } | undefined;
}

/**
 * Never throws, also for a spec that validation would reject: absent members and unknown values get their defaults, and
 * a text that is no quantity counts as 0.
 */
export function parseSpec({ body: { spec = {} } }: Pick<Autoscaler, 'body'>): AutoscalerSpec {
  const { scaleTargetRef, minReplicas = 1, maxReplicas = 1, metrics = [], behavior } = spec;
  return {
    scaleTargetRef: referenceOf(scaleTargetRef),
    minReplicas,
    maxReplicas,
    metrics: metrics.map(metricOf),
    behavior: behavior === undefined ? undefined : { scaleUp: rulesOf(behavior.scaleUp), scaleDown: rulesOf(behavior.scaleDown) },
  };
}

function metricOf({ type = '', resource, containerResource, pods, object, external }: AutoscalingV2MetricSpec): Metric {
  switch (type) {
    case 'Resource':
      return { type, resource: resource?.name ?? '', target: targetOf(resource?.target) };
    case 'ContainerResource': {
      const { name = '', container = '', target } = containerResource ?? {};
      return { type, resource: name, container, target: targetOf(target) };
    }
    case 'Pods':
      return { type, metric: identifierOf(pods?.metric), target: targetOf(pods?.target) };
    case 'Object': {
      const { metric, describedObject, target } = object ?? {};
      return { type, metric: identifierOf(metric), describedObject: referenceOf(describedObject), target: targetOf(target) };
    }
    case 'External':
      return { type, metric: identifierOf(external?.metric), target: targetOf(external?.target) };
    default:
      return { type: 'unknown', name: type };
  }
}

function targetOf({ averageValue, averageUtilization, value = '0' }: AutoscalingV2MetricTarget = {}): MetricTarget {
  if (averageValue !== undefined) return { type: 'average', milli: parseMilli(averageValue) };
  if (averageUtilization !== undefined) return { type: 'utilization', percent: averageUtilization };
  return { type: 'value', milli: parseMilli(value) };
}

function identifierOf({ name = '', selector }: AutoscalingV2MetricIdentifier = {}): MetricIdentifier {
  return { name, selector };
}

function referenceOf(reference: AutoscalingV2CrossVersionObjectReference = {}): CrossVersionObjectReference {
  const { apiVersion = '', kind = '', name = '' } = reference;
  return { apiVersion, kind, name };
}

function rulesOf({ stabilizationWindowSeconds, selectPolicy, policies = [] }: AutoscalingV2HPAScalingRules = {}): ScalingRules {
  return {
    stabilizationWindowMs: stabilizationWindowSeconds === undefined ? undefined : stabilizationWindowSeconds * 1000,
    selectPolicy: selectPolicy === 'Min' || selectPolicy === 'Disabled' ? selectPolicy : 'Max',
    policies: policies.map(({ type, value = 0, periodSeconds = 0 }) => ({
      type: type === 'Percent' ? 'Percent' : 'Pods',
      value,
      periodMs: periodSeconds * 1000,
    })),
  };
}
