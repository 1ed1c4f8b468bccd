/**
 * HorizontalPodAutoscaler v1: it knows a share of the processor and nothing else; other metrics, the behaviour, the conditions and what was
 * measured stand in annotations, as upstream names and writes them.
 */
import { CONVERSION_ANNOTATIONS } from '../../names/dialect';
import { arrayAt, isObject, objectAt, own, type JsonArray, type JsonObject } from '../../values/json';
import { encodeBody } from '../types/encode';
import { annotationAt, metadataWith, metadataWithout, type KeyOf } from '../metadata/carried-annotations';
import { readBehavior, writeBehavior } from './autoscaler-behavior';
import { processorShare, readList, readMetrics, writeMetrics, type MetricPart } from './autoscaler-metrics';
import type { Conversion } from './conversion';

const METRICS: KeyOf = (names) => `${names.autoscalingPrefix}metrics`;
const BEHAVIOR: KeyOf = (names) => `${names.autoscalingPrefix}behavior`;
const CURRENT_METRICS: KeyOf = (names) => `${names.autoscalingPrefix}current-metrics`;
const CONDITIONS: KeyOf = (names) => `${names.autoscalingPrefix}conditions`;
const CONDITION_TYPE = 'autoscaling.v1.HorizontalPodAutoscalerCondition';
const CARRIED = [METRICS, BEHAVIOR, CURRENT_METRICS, CONDITIONS];
const DEFAULT_SHARE = 80;

export const autoscaler: Conversion = {
  carried: CARRIED,
  toHub(object) {
    const metadata = metadataWithout(object, CARRIED);
    return { ...object, metadata, spec: newerSpec(object), status: newerStatus(object) };
  },
  fromHub(object, dialect) {
    const spec = objectAt(object, 'spec') ?? {};
    const status = objectAt(object, 'status') ?? {};
    const [share, others] = splitMetrics(objects(spec, 'metrics'));
    const measured = objects(status, 'currentMetrics');
    const conditions = objects(status, 'conditions');
    const behavior = objectAt(spec, 'behavior');
    const names = CONVERSION_ANNOTATIONS[dialect];
    const added: Record<string, string> = {};
    if (others.length > 0) added[METRICS(names)] = writeMetrics('target', others);
    if (behavior !== undefined) added[BEHAVIOR(names)] = writeBehavior(behavior);
    if (measured.length > 0) added[CURRENT_METRICS(names)] = writeMetrics('current', measured);
    if (conditions.length > 0) added[CONDITIONS(names)] = `[${conditions.map((item) => encodeBody(CONDITION_TYPE, item)).join(',')}]`;
    const current = measured.map((metric) => processorShare('current', metric)).find((value) => value !== undefined);
    return {
      ...object,
      metadata: metadataWith({ ...object, metadata: metadataWithout(object, CARRIED) }, added),
      spec: { ...without(spec, ['metrics', 'behavior']), ...(share === undefined ? {} : { targetCPUUtilizationPercentage: share }) },
      status: {
        ...without(status, ['currentMetrics', 'conditions']),
        ...(current === undefined ? {} : { currentCPUUtilizationPercentage: current }),
      },
    };
  },
};

function newerSpec(object: JsonObject): JsonObject {
  const { targetCPUUtilizationPercentage: share = null, ...spec } = objectAt(object, 'spec') ?? {};
  const text = annotationAt(object, METRICS);
  const metrics: JsonArray = [...((text === undefined ? undefined : readMetrics('target', text)) ?? [])];
  if (share !== null) metrics.push(processorMetric('target', { type: 'Utilization', averageUtilization: share }));
  // Upstream defaults here, because only now it is known that there is no metric at all.
  if (metrics.length === 0) metrics.push(processorMetric('target', { type: 'Utilization', averageUtilization: DEFAULT_SHARE }));
  const behaviorText = annotationAt(object, BEHAVIOR);
  const behavior = behaviorText === undefined ? undefined : readBehavior(behaviorText);
  return { ...spec, metrics, ...(behavior === undefined ? {} : { behavior }) };
}

function newerStatus(object: JsonObject): JsonObject {
  const { currentCPUUtilizationPercentage: share = null, ...status } = objectAt(object, 'status') ?? {};
  const metricsText = annotationAt(object, CURRENT_METRICS);
  const known = metricsText === undefined ? undefined : readMetrics('current', metricsText);
  // What stands in the annotation says more.
  const metrics = known ?? (share === null ? [] : [processorMetric('current', { averageUtilization: share })]);
  const conditionsText = annotationAt(object, CONDITIONS);
  const conditions = (conditionsText === undefined ? undefined : readList(conditionsText, CONDITION_TYPE)) ?? [];
  return {
    ...status,
    currentMetrics: metrics.length === 0 ? null : [...metrics],
    ...(conditions.length === 0 ? {} : { conditions: [...conditions] }),
  };
}

function processorMetric(part: MetricPart, value: JsonObject): JsonObject {
  return { type: 'Resource', resource: { name: 'cpu', [part]: value } };
}

/** The first share of the processor that is wanted, and all other metrics. */
function splitMetrics(metrics: readonly JsonObject[]): readonly [share: JsonObject[string] | undefined, others: readonly JsonObject[]] {
  const at = metrics.findIndex((metric) => processorShare('target', metric) !== undefined);
  const metric = metrics[at];
  if (metric === undefined) return [undefined, metrics];
  return [processorShare('target', metric), metrics.filter((_, index) => index !== at)];
}

function objects(parent: JsonObject, member: string): readonly JsonObject[] {
  return (arrayAt(parent, member) ?? []).filter(isObject);
}

function without(object: JsonObject, members: readonly string[]): JsonObject {
  const left: JsonObject = {};
  for (const member of Object.keys(object)) if (!members.includes(member)) left[member] = own(object, member) ?? null;
  return left;
}
