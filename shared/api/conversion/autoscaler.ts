/**
 * Converts HorizontalPodAutoscaler v1, which has fields for CPU utilization only. Other metrics, the behavior, the
 * conditions and the current metrics are in annotations with upstream's names and format.
 */
import { CONVERSION_ANNOTATIONS } from '../../names/dialect';
import { arrayAt, isObject, objectAt, ownMember, type JsonArray, type JsonObject } from '../../values/json';
import { encodeBody } from '../types/encode';
import { annotationAt, metadataWithAnnotations, metadataWithoutAnnotations, type AnnotationKeyOf } from '../metadata/carried-annotations';
import { readBehavior, writeBehavior } from './autoscaler-behavior';
import { cpuUtilization, readJsonList, readMetrics, writeMetrics, type MetricPart } from './autoscaler-metrics';
import type { Conversion } from './conversion';

const METRICS: AnnotationKeyOf = (names) => `${names.autoscalingPrefix}metrics`;
const BEHAVIOR: AnnotationKeyOf = (names) => `${names.autoscalingPrefix}behavior`;
const CURRENT_METRICS: AnnotationKeyOf = (names) => `${names.autoscalingPrefix}current-metrics`;
const CONDITIONS: AnnotationKeyOf = (names) => `${names.autoscalingPrefix}conditions`;
const CONDITION_TYPE = 'autoscaling.v1.HorizontalPodAutoscalerCondition';
const CARRIED = [METRICS, BEHAVIOR, CURRENT_METRICS, CONDITIONS];
/** The default target of the API, in percent. */
const DEFAULT_UTILIZATION = 80;

export const autoscalerConversion: Conversion = {
  fieldAnnotations: CARRIED,
  toHub(object) {
    const metadata = metadataWithoutAnnotations(object, CARRIED);
    return { ...object, metadata, spec: specToHub(object), status: statusToHub(object) };
  },
  fromHub(object, dialect) {
    const spec = objectAt(object, 'spec') ?? {};
    const status = objectAt(object, 'status') ?? {};
    const { utilization, others } = separateCpuMetric(objectsAt(spec, 'metrics'));
    const measured = objectsAt(status, 'currentMetrics');
    const conditions = objectsAt(status, 'conditions');
    const behavior = objectAt(spec, 'behavior');
    const names = CONVERSION_ANNOTATIONS[dialect];
    const added: Record<string, string> = {};
    if (others.length > 0) added[METRICS(names)] = writeMetrics('target', others);
    if (behavior !== undefined) added[BEHAVIOR(names)] = writeBehavior(behavior);
    if (measured.length > 0) added[CURRENT_METRICS(names)] = writeMetrics('current', measured);
    if (conditions.length > 0) added[CONDITIONS(names)] = `[${conditions.map((item) => encodeBody(CONDITION_TYPE, item)).join(',')}]`;
    const current = measured.map((metric) => cpuUtilization('current', metric)).find((value) => value !== undefined);
    return {
      ...object,
      metadata: metadataWithAnnotations({ ...object, metadata: metadataWithoutAnnotations(object, CARRIED) }, added),
      spec: {
        ...omitMembers(spec, ['metrics', 'behavior']),
        ...(utilization === undefined ? {} : { targetCPUUtilizationPercentage: utilization }),
      },
      status: {
        ...omitMembers(status, ['currentMetrics', 'conditions']),
        ...(current === undefined ? {} : { currentCPUUtilizationPercentage: current }),
      },
    };
  },
};

function specToHub(object: JsonObject): JsonObject {
  const { targetCPUUtilizationPercentage: utilization = null, ...spec } = objectAt(object, 'spec') ?? {};
  const text = annotationAt(object, METRICS);
  const metrics: JsonArray = [...((text === undefined ? undefined : readMetrics('target', text)) ?? [])];
  if (utilization !== null) metrics.push(cpuMetric('target', { type: 'Utilization', averageUtilization: utilization }));
  // Upstream applies this default here, because only the conversion knows that there is no metric at all.
  if (metrics.length === 0) metrics.push(cpuMetric('target', { type: 'Utilization', averageUtilization: DEFAULT_UTILIZATION }));
  const behaviorText = annotationAt(object, BEHAVIOR);
  const behavior = behaviorText === undefined ? undefined : readBehavior(behaviorText);
  return { ...spec, metrics, ...(behavior === undefined ? {} : { behavior }) };
}

function statusToHub(object: JsonObject): JsonObject {
  const { currentCPUUtilizationPercentage: utilization = null, ...status } = objectAt(object, 'status') ?? {};
  const metricsText = annotationAt(object, CURRENT_METRICS);
  const annotated = metricsText === undefined ? undefined : readMetrics('current', metricsText);
  // The annotation has more detail than the field.
  const metrics = annotated ?? (utilization === null ? [] : [cpuMetric('current', { averageUtilization: utilization })]);
  const conditionsText = annotationAt(object, CONDITIONS);
  const conditions = (conditionsText === undefined ? undefined : readJsonList(conditionsText, CONDITION_TYPE)) ?? [];
  return {
    ...status,
    currentMetrics: metrics.length === 0 ? null : [...metrics],
    ...(conditions.length === 0 ? {} : { conditions: [...conditions] }),
  };
}

function cpuMetric(part: MetricPart, value: JsonObject): JsonObject {
  return { type: 'Resource', resource: { name: 'cpu', [part]: value } };
}

interface SeparatedMetrics {
  /** The target of the first metric with a target of CPU utilization; `undefined` when there is none. */
  readonly utilization: JsonObject[string] | undefined;
  /** All other metrics. */
  readonly others: readonly JsonObject[];
}

function separateCpuMetric(metrics: readonly JsonObject[]): SeparatedMetrics {
  const cpuIndex = metrics.findIndex((metric) => cpuUtilization('target', metric) !== undefined);
  const metric = metrics[cpuIndex];
  if (metric === undefined) return { utilization: undefined, others: metrics };
  return { utilization: cpuUtilization('target', metric), others: metrics.filter((_, index) => index !== cpuIndex) };
}

function objectsAt(parent: JsonObject, member: string): readonly JsonObject[] {
  return (arrayAt(parent, member) ?? []).filter(isObject);
}

function omitMembers(object: JsonObject, members: readonly string[]): JsonObject {
  const remaining: JsonObject = {};
  for (const member of Object.keys(object)) if (!members.includes(member)) remaining[member] = ownMember(object, member) ?? null;
  return remaining;
}
