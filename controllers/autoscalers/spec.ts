/** What an autoscaler asks for, read into precise types. Amounts are whole thousandths, rounded up. Decides nothing. */
import type { ApiObject } from '../../shared/client/rest/api-object';
import { arrayAt, isObject, objectAt, own, stringAt, type JsonObject } from '../../shared/values/json';
import { milliOf } from './quantities';

/** An object by its kind, in whatever version. */
export interface KindReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
}

export type MetricTarget =
  /** Percent of what pods ask for. */
  | { readonly type: 'utilization'; readonly percent: number }
  /** For each pod. */
  | { readonly type: 'average'; readonly milli: bigint }
  | { readonly type: 'value'; readonly milli: bigint };

export interface MetricReference {
  readonly name: string;
  readonly selector: JsonObject | undefined;
}

export type Metric =
  | { readonly type: 'Resource'; readonly resource: string; readonly target: MetricTarget }
  | { readonly type: 'ContainerResource'; readonly resource: string; readonly container: string; readonly target: MetricTarget }
  | { readonly type: 'Pods'; readonly metric: MetricReference; readonly target: MetricTarget }
  | { readonly type: 'Object'; readonly metric: MetricReference; readonly described: KindReference; readonly target: MetricTarget }
  | { readonly type: 'External'; readonly metric: MetricReference; readonly target: MetricTarget }
  /** Of a type that release 1.31 does not know. */
  | { readonly type: 'unknown'; readonly name: string };

export interface ScalingPolicy {
  readonly type: 'Pods' | 'Percent';
  readonly value: number;
  readonly periodMs: number;
}

export interface Rules {
  /** Undefined = nothing is said. */
  readonly windowMs: number | undefined;
  readonly select: 'Max' | 'Min' | 'Disabled';
  readonly policies: readonly ScalingPolicy[];
}

export interface AutoscalerSpec {
  readonly target: KindReference;
  readonly min: number;
  readonly max: number;
  readonly metrics: readonly Metric[];
  /** Undefined = the rules of the first version, which nobody can change. */
  readonly behavior: { readonly up: Rules; readonly down: Rules } | undefined;
}

export function specOf({ body }: ApiObject): AutoscalerSpec {
  const spec = objectAt(body, 'spec') ?? {};
  const behavior = objectAt(spec, 'behavior');
  return {
    target: referenceOf(objectAt(spec, 'scaleTargetRef')),
    min: numberAt(spec, 'minReplicas') ?? 1,
    max: numberAt(spec, 'maxReplicas') ?? 1,
    metrics: (arrayAt(spec, 'metrics') ?? []).filter(isObject).map(metricOf),
    behavior:
      behavior === undefined ? undefined : { up: rulesOf(objectAt(behavior, 'scaleUp')), down: rulesOf(objectAt(behavior, 'scaleDown')) },
  };
}

function metricOf(metric: JsonObject): Metric {
  const type = stringAt(metric, 'type') ?? '';
  const source = (member: string): JsonObject => objectAt(metric, member) ?? {};
  switch (type) {
    case 'Resource': {
      const resource = source('resource');
      return { type, resource: stringAt(resource, 'name') ?? '', target: targetOf(resource) };
    }
    case 'ContainerResource': {
      const resource = source('containerResource');
      const [name, container] = [stringAt(resource, 'name') ?? '', stringAt(resource, 'container') ?? ''];
      return { type, resource: name, container, target: targetOf(resource) };
    }
    case 'Pods': {
      const pods = source('pods');
      return { type, metric: metricNameOf(pods), target: targetOf(pods) };
    }
    case 'Object': {
      const object = source('object');
      return { type, metric: metricNameOf(object), described: referenceOf(objectAt(object, 'describedObject')), target: targetOf(object) };
    }
    case 'External': {
      const external = source('external');
      return { type, metric: metricNameOf(external), target: targetOf(external) };
    }
    default:
      return { type: 'unknown', name: type };
  }
}

function targetOf(source: JsonObject): MetricTarget {
  const target = objectAt(source, 'target') ?? {};
  const [percent, average] = [numberAt(target, 'averageUtilization'), stringAt(target, 'averageValue')];
  if (average !== undefined) return { type: 'average', milli: milliOf(average) };
  if (percent !== undefined) return { type: 'utilization', percent };
  return { type: 'value', milli: milliOf(stringAt(target, 'value') ?? '0') };
}

function metricNameOf(source: JsonObject): MetricReference {
  const metric = objectAt(source, 'metric') ?? {};
  return { name: stringAt(metric, 'name') ?? '', selector: objectAt(metric, 'selector') };
}

function referenceOf(reference: JsonObject | undefined): KindReference {
  const text = (member: string): string => stringAt(reference, member) ?? '';
  return { apiVersion: text('apiVersion'), kind: text('kind'), name: text('name') };
}

function rulesOf(rules: JsonObject = {}): Rules {
  const [seconds, select] = [numberAt(rules, 'stabilizationWindowSeconds'), stringAt(rules, 'selectPolicy')];
  return {
    windowMs: seconds === undefined ? undefined : seconds * 1000,
    select: select === 'Min' || select === 'Disabled' ? select : 'Max',
    policies: (arrayAt(rules, 'policies') ?? []).filter(isObject).map((policy) => ({
      type: stringAt(policy, 'type') === 'Percent' ? 'Percent' : 'Pods',
      value: numberAt(policy, 'value') ?? 0,
      periodMs: (numberAt(policy, 'periodSeconds') ?? 0) * 1000,
    })),
  };
}

export function numberAt(value: JsonObject | undefined, member: string): number | undefined {
  const found = value === undefined ? undefined : own(value, member);
  return typeof found === 'number' ? found : undefined;
}
