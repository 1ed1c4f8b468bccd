/**
 * Converts HorizontalPodAutoscaler between v1 and v2, its storage version. v1 has fields for CPU utilization only. Its
 * annotations carry the other metrics, the behavior, the current metrics and the conditions, in upstream's format.
 */
import { CONVERSION_ANNOTATIONS } from '../../names/dialect';
import { arrayAt, isObject, objectAt, ownMember, type JsonArray, type JsonObject, type JsonValue } from '../../values/json';
import { encodeBody } from '../types/encode';
import { annotationAt, metadataWithAnnotations, metadataWithoutAnnotations, type AnnotationKeyOf } from '../metadata/carried-annotations';
import { readBehavior, writeBehavior } from './autoscaler-behavior';
import { cpuUtilization, readJsonList, readMetrics, writeMetrics, type MetricPart } from './autoscaler-metrics';
import type { Conversion } from './conversion';

const metricsKey: AnnotationKeyOf = (names) => `${names.autoscalingPrefix}metrics`;
const behaviorKey: AnnotationKeyOf = (names) => `${names.autoscalingPrefix}behavior`;
const currentMetricsKey: AnnotationKeyOf = (names) => `${names.autoscalingPrefix}current-metrics`;
const conditionsKey: AnnotationKeyOf = (names) => `${names.autoscalingPrefix}conditions`;
const ANNOTATION_KEYS = [metricsKey, behaviorKey, currentMetricsKey, conditionsKey];
const CONDITION_TYPE = 'autoscaling.v1.HorizontalPodAutoscalerCondition';
/** The default target of the API, in percent. */
const DEFAULT_UTILIZATION = 80;

export const autoscalerConversion: Conversion = {
  fieldAnnotations: ANNOTATION_KEYS,
  toHub(object) {
    const metadata = metadataWithoutAnnotations(object, ANNOTATION_KEYS);
    return { ...object, metadata, spec: specToHub(object), status: statusToHub(object) };
  },
  fromHub(object, dialect) {
    const spec = objectAt(object, 'spec') ?? {};
    const status = objectAt(object, 'status') ?? {};
    const { cpuTarget, otherMetrics } = separateCpuMetric(objectsAt(spec, 'metrics'));
    const currentMetrics = objectsAt(status, 'currentMetrics');
    const conditions = objectsAt(status, 'conditions');
    const behavior = objectAt(spec, 'behavior');
    const names = CONVERSION_ANNOTATIONS[dialect];
    const added: Record<string, string> = {};
    if (otherMetrics.length > 0) added[metricsKey(names)] = writeMetrics('target', otherMetrics);
    if (behavior !== undefined) added[behaviorKey(names)] = writeBehavior(behavior);
    if (currentMetrics.length > 0) added[currentMetricsKey(names)] = writeMetrics('current', currentMetrics);
    if (conditions.length > 0) added[conditionsKey(names)] = `[${conditions.map((item) => encodeBody(CONDITION_TYPE, item)).join(',')}]`;
    const cpuCurrent = currentMetrics.map((metric) => cpuUtilization('current', metric)).find((value) => value !== undefined);
    return {
      ...object,
      metadata: metadataWithAnnotations({ ...object, metadata: metadataWithoutAnnotations(object, ANNOTATION_KEYS) }, added),
      spec: {
        ...omitMembers(spec, ['metrics', 'behavior']),
        ...(cpuTarget === undefined ? {} : { targetCPUUtilizationPercentage: cpuTarget }),
      },
      status: {
        ...omitMembers(status, ['currentMetrics', 'conditions']),
        ...(cpuCurrent === undefined ? {} : { currentCPUUtilizationPercentage: cpuCurrent }),
      },
    };
  },
};

function specToHub(object: JsonObject): JsonObject {
  const { targetCPUUtilizationPercentage: utilization = null, ...spec } = objectAt(object, 'spec') ?? {};
  const text = annotationAt(object, metricsKey);
  const metrics: JsonArray = [...((text === undefined ? undefined : readMetrics('target', text)) ?? [])];
  if (utilization !== null) metrics.push(cpuMetric('target', { type: 'Utilization', averageUtilization: utilization }));
  // Upstream applies this default here: the defaults of v1 do not see whether the annotation has other metrics.
  if (metrics.length === 0) metrics.push(cpuMetric('target', { type: 'Utilization', averageUtilization: DEFAULT_UTILIZATION }));
  const behaviorText = annotationAt(object, behaviorKey);
  const behavior = behaviorText === undefined ? undefined : readBehavior(behaviorText);
  return { ...spec, metrics, ...(behavior === undefined ? {} : { behavior }) };
}

function statusToHub(object: JsonObject): JsonObject {
  const { currentCPUUtilizationPercentage: utilization = null, ...status } = objectAt(object, 'status') ?? {};
  const metricsText = annotationAt(object, currentMetricsKey);
  const annotated = metricsText === undefined ? undefined : readMetrics('current', metricsText);
  // The annotation has all current metrics, that of the field included, in more detail.
  const metrics = annotated ?? (utilization === null ? [] : [cpuMetric('current', { averageUtilization: utilization })]);
  const conditionsText = annotationAt(object, conditionsKey);
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
  /** The target, in percent, of the first metric of CPU utilization; `undefined` when there is none. */
  readonly cpuTarget: JsonValue | undefined;
  readonly otherMetrics: readonly JsonObject[];
}

function separateCpuMetric(metrics: readonly JsonObject[]): SeparatedMetrics {
  const cpuIndex = metrics.findIndex((metric) => cpuUtilization('target', metric) !== undefined);
  const metric = metrics[cpuIndex];
  if (metric === undefined) return { cpuTarget: undefined, otherMetrics: metrics };
  return { cpuTarget: cpuUtilization('target', metric), otherMetrics: metrics.filter((_, index) => index !== cpuIndex) };
}

function objectsAt(parent: JsonObject, member: string): readonly JsonObject[] {
  return (arrayAt(parent, member) ?? []).filter(isObject);
}

function omitMembers(object: JsonObject, members: readonly string[]): JsonObject {
  const remaining: JsonObject = {};
  for (const member of Object.keys(object)) if (!members.includes(member)) remaining[member] = ownMember(object, member) ?? null;
  return remaining;
}
