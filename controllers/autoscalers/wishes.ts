/** How many pods each metric asks for, what is to be said of it, and in which words it is told that it says nothing. Pure. */
import { goSelector } from './texts';
import { divideUp, quantityOf } from './quantities';
import type { PodValues } from './pods';
import type { Metric, MetricReference, KindReference, MetricTarget } from './spec';
import { byAverage, byShare, byUtilization, byValue, NoWish, type PodSight, type Usage } from './usage';
import type { JsonObject } from '../../shared/values/json';

/** What came of asking for a metric. */
export type Measured =
  | { readonly type: 'pods'; readonly values: PodValues }
  /** Of something that all pods share, in thousandths. */
  | { readonly type: 'amount'; readonly milli: bigint }
  | { readonly type: 'failed'; readonly message: string };

export interface WishSight extends PodSight {
  readonly namespace: string;
  /** Pods that the target says it has. */
  readonly present: number;
}

export type MetricWish =
  | {
      readonly type: 'wish';
      readonly replicas: number;
      /** In sentences. */
      readonly name: string;
      readonly status: JsonObject;
    }
  | {
      readonly type: 'none';
      /** Of the condition and of the Event. */
      readonly reason: string;
      readonly message: string;
      /** As part of what is told of all metrics. */
      readonly told: string;
    };

type Found = Omit<Extract<MetricWish, { type: 'wish' }>, 'type'>;

export function wishOf(metric: Metric, measured: Measured, sight: WishSight): MetricWish {
  try {
    return { type: 'wish', ...found(metric, measured, sight) };
  } catch (error) {
    if (!(error instanceof NoWish)) throw error;
    return failed(metric, error.message);
  }
}

/** Throws {@link NoWish}. */
function found(metric: Metric, measured: Measured, sight: WishSight): Found {
  switch (metric.type) {
    case 'Resource':
      return ofResource(metric, measured, sight);
    case 'ContainerResource':
      return ofContainer(metric, measured, sight);
    case 'Pods':
      return ofPods(metric, measured, sight);
    case 'Object':
      return ofObject(metric, measured, sight);
    case 'External':
      return ofOthers(metric, measured, sight);
    case 'unknown':
      throw new NoWish(`unknown metric source type "${metric.name}"`);
  }
}

type Of<T extends Metric['type']> = Extract<Metric, { readonly type: T }>;

function ofResource({ resource, target }: Of<'Resource'>, measured: Measured, sight: WishSight): Found {
  const usage = resourceUsage({ resource, target, container: undefined }, measured, sight);
  const name = usage.percent === undefined ? `${resource} resource` : `${resource} resource utilization (percentage of request)`;
  return { replicas: usage.replicas, name, status: { type: 'Resource', resource: { name: resource, current: currentOf(usage) } } };
}

function ofContainer({ resource, container, target }: Of<'ContainerResource'>, measured: Measured, sight: WishSight): Found {
  const usage = resourceUsage({ resource, target, container }, measured, sight);
  const name = usage.percent === undefined ? `${resource} resource` : `${resource} container resource utilization (percentage of request)`;
  const status = { type: 'ContainerResource', containerResource: { name: resource, container, current: currentOf(usage) } };
  return { replicas: usage.replicas, name, status };
}

interface ResourceWish {
  readonly resource: string;
  readonly target: MetricTarget;
  readonly container: string | undefined;
}

function resourceUsage({ resource, target, container }: ResourceWish, measured: Measured, sight: WishSight): Usage {
  const values = podValues(measured, (message) => `unable to get metrics for resource ${resource}: ${message}`);
  return target.type === 'utilization'
    ? byUtilization(sight, values, { resource, container, percent: target.percent })
    : byAverage(sight, values, resource, target.milli);
}

function ofPods({ metric, target }: Of<'Pods'>, measured: Measured, sight: WishSight): Found {
  const values = podValues(measured, (message) => `unable to get metric ${metric.name}: ${message}`);
  const { replicas, average } = byAverage(sight, values, undefined, amountOf(target));
  const status = { type: 'Pods', pods: { metric: identified(metric), current: { averageValue: quantityOf(average) } } };
  return { replicas, name: `pods metric ${metric.name}`, status };
}

function ofObject({ metric, described, target }: Of<'Object'>, measured: Measured, sight: WishSight): Found {
  const { kind, name } = described;
  const milli = amountIn(measured, (message) => `unable to get metric ${metric.name}: ${kind} on ${sight.namespace} ${name}/${message}`);
  const { replicas, current } = sharedUsage(target, milli, sight);
  // Release 1.31.1 does not say of which object it was that pods share it, and calls it by another name.
  const [of, called]: [KindReference | undefined, string] =
    target.type === 'average' ? [undefined, othersName(metric)] : [described, `${kind} metric ${metric.name}`];
  return {
    replicas,
    name: called,
    status: { type: 'Object', object: { metric: identified(metric), describedObject: referenceTo(of), current } },
  };
}

function ofOthers({ metric, target }: Of<'External'>, measured: Measured, sight: WishSight): Found {
  const which = `${sight.namespace}/${metric.name}/${goSelector(metric.selector)}`;
  const milli = amountIn(measured, (message) => `unable to get external metric ${which}: ${message}`);
  const { replicas, current } = sharedUsage(target, milli, sight);
  return { replicas, name: othersName(metric), status: { type: 'External', external: { metric: identified(metric), current } } };
}

const othersName = ({ name, selector }: MetricReference): string => `external metric ${name}(${goSelector(selector)})`;

function sharedUsage(target: MetricTarget, milli: bigint, sight: WishSight): { readonly replicas: number; readonly current: JsonObject } {
  if (target.type !== 'average') return { replicas: byValue(sight, milli, amountOf(target)), current: { value: quantityOf(milli) } };
  const present = BigInt(Math.max(1, sight.present));
  return { replicas: byShare(sight, sight.present, milli, target.milli), current: { averageValue: quantityOf(divideUp(milli, present)) } };
}

/** The API takes no share of what pods ask for where they are asked for nothing. */
const amountOf = (target: MetricTarget): bigint => (target.type === 'utilization' ? BigInt(target.percent) * 1000n : target.milli);

function podValues(measured: Measured, told: (message: string) => string): PodValues {
  if (measured.type === 'pods') return measured.values;
  throw new NoWish(told(measured.type === 'failed' ? measured.message : 'one amount was measured for all pods'));
}

function amountIn(measured: Measured, told: (message: string) => string): bigint {
  if (measured.type === 'amount') return measured.milli;
  throw new NoWish(told(measured.type === 'failed' ? measured.message : 'an amount was measured for each pod'));
}

const currentOf = ({ average, percent }: Usage): JsonObject => ({
  averageValue: quantityOf(average),
  ...(percent === undefined ? {} : { averageUtilization: percent }),
});

const identified = ({ name, selector }: MetricReference): JsonObject => ({ name, ...(selector === undefined ? {} : { selector }) });

function referenceTo(reference: KindReference | undefined): JsonObject {
  if (reference === undefined) return { kind: '', name: '' };
  const { apiVersion, kind, name } = reference;
  return { kind, name, ...(apiVersion === '' ? {} : { apiVersion }) };
}

function failed(metric: Metric, fault: string): MetricWish {
  const none = (reason: string, message: string, told: string): MetricWish => ({
    type: 'none',
    reason,
    message,
    told: `${told}: ${message}`,
  });
  switch (metric.type) {
    case 'Resource':
      return none('FailedGetResourceMetric', usageFault(metric, fault), `failed to get ${metric.resource} resource metric value`);
    case 'ContainerResource':
      return none(
        'FailedGetContainerResourceMetric',
        usageFault(metric, fault),
        `failed to get ${metric.container} container metric value`,
      );
    case 'Pods':
      return none('FailedGetPodsMetric', fault, 'failed to get pods metric value');
    case 'Object':
      return none('FailedGetObjectMetric', fault, 'failed to get object metric value');
    case 'External': {
      const { name } = metric.metric;
      const what = metric.target.type === 'average' ? `${name} external metric` : `external metric ${name}`;
      return none('FailedGetExternalMetric', fault, `failed to get ${name} external metric value: failed to get ${what}`);
    }
    case 'unknown':
      return { type: 'none', reason: 'InvalidMetricSourceType', message: fault, told: fault };
  }
}

function usageFault({ resource, target }: Pick<ResourceWish, 'resource' | 'target'>, fault: string): string {
  return `failed to get ${resource} ${target.type === 'utilization' ? 'utilization' : 'usage'}: ${fault}`;
}
