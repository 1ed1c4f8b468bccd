/**
 * Converts the metrics of a HorizontalPodAutoscaler between v2 and the annotations of v1 (autoscaler.ts), driven by a
 * table of field paths. An annotation that cannot be decoded counts as absent (upstream behaviour).
 */
import { isObject, objectAt, ownMember, stringAt, type JsonObject, type JsonValue } from '../../values/json';
import { DecodeError } from '../types/decode-error';
import { decodeObject } from '../types/decode';
import { encodeBody } from '../types/encode';
import { parseAnnotationJson } from '../metadata/carried-annotations';

/** The target of a metric, or its current value. */
export type MetricPart = 'target' | 'current';

/**
 * By metric source, the field paths in v2 and the field names in v1. `@` stands for the {@link MetricPart}: the row
 * `['@.value', '@Value']` is `target.value` and `targetValue`, or `current.value` and `currentValue`.
 */
const MEMBERS: Readonly<Record<string, readonly (readonly [newer: string, older: string])[]>> = {
  object: [
    ['describedObject', 'target'],
    ['metric.name', 'metricName'],
    ['metric.selector', 'selector'],
    ['@.value', '@Value'],
    ['@.averageValue', 'averageValue'],
  ],
  pods: [
    ['metric.name', 'metricName'],
    ['metric.selector', 'selector'],
    ['@.averageValue', '@AverageValue'],
  ],
  resource: [
    ['name', 'name'],
    ['@.averageUtilization', '@AverageUtilization'],
    ['@.averageValue', '@AverageValue'],
  ],
  containerResource: [
    ['name', 'name'],
    ['container', 'container'],
    ['@.averageUtilization', '@AverageUtilization'],
    ['@.averageValue', '@AverageValue'],
  ],
  external: [
    ['metric.name', 'metricName'],
    ['metric.selector', 'metricSelector'],
    ['@.value', '@Value'],
    ['@.averageValue', '@AverageValue'],
  ],
};

const TYPES: Readonly<Record<MetricPart, string>> = { target: 'autoscaling.v1.MetricSpec', current: 'autoscaling.v1.MetricStatus' };

/** The text of the annotation, a JSON list of metrics in v1's form. */
export function writeMetrics(part: MetricPart, metrics: readonly JsonObject[]): string {
  return `[${metrics.map((metric) => encodeBody(TYPES[part], toV1Metric(part, metric))).join(',')}]`;
}

/** Metrics in v2's form; `undefined` when the text is not a list of metrics. */
export function readMetrics(part: MetricPart, text: string): readonly JsonObject[] | undefined {
  return readJsonList(text, TYPES[part])?.map((metric) => toV2Metric(part, metric));
}

/** Decodes a JSON list of objects of the type; `undefined` when the text is anything else. */
export function readJsonList(text: string, type: string): readonly JsonObject[] | undefined {
  const list = parseAnnotationJson(text);
  if (!Array.isArray(list)) return undefined;
  try {
    return list.map((item) => decodeObject(type, isObject(item) ? item : rejectNonObject(type)).object);
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

function rejectNonObject(type: string): never {
  throw new DecodeError(`an item of the list is not a ${type}`);
}

function toV1Metric(part: MetricPart, metric: JsonObject): JsonObject {
  return convertSources(metric, (source, members) => {
    const converted: JsonObject = {};
    for (const [path, member] of members) {
      const [outer = '', inner] = path.replace('@', part).split('.');
      const value = inner === undefined ? ownMember(source, outer) : ownMember(objectAt(source, outer) ?? {}, inner);
      if (value !== undefined) converted[member.replace('@', part)] = value;
    }
    return converted;
  });
}

function toV2Metric(part: MetricPart, metric: JsonObject): JsonObject {
  return convertSources(metric, (source, members) => {
    const converted: JsonObject = {};
    for (const [path, member] of members) {
      const value = ownMember(source, member.replace('@', part));
      const [outer = '', inner] = path.replace('@', part).split('.');
      if (value === undefined || value === null) continue;
      if (inner === undefined) converted[outer] = value;
      else converted[outer] = { ...objectAt(converted, outer), [inner]: value };
    }
    return part === 'target' ? { ...converted, target: withTargetType(objectAt(converted, 'target') ?? {}) } : converted;
  });
}

function convertSources(
  metric: JsonObject,
  convert: (source: JsonObject, members: readonly (readonly [newer: string, older: string])[]) => JsonObject,
): JsonObject {
  const converted: JsonObject = { type: ownMember(metric, 'type') ?? '' };
  for (const [sourceName, members] of Object.entries(MEMBERS)) {
    const source = objectAt(metric, sourceName);
    if (source !== undefined) converted[sourceName] = convert(source, members);
  }
  return converted;
}

/**
 * Derives the type of a target, which only v2 has, from its fields. In object metrics of v1 the field of `value` is
 * always present, so a zero beside an average value is no target.
 */
function withTargetType({ value, ...target }: JsonObject): JsonObject {
  if (target['averageUtilization'] !== undefined) return { type: 'Utilization', ...target };
  if (target['averageValue'] === undefined) return { type: 'Value', ...(value === undefined ? {} : { value }) };
  return { type: 'AverageValue', ...(value === undefined || value === '0' ? {} : { value }), ...target };
}

/** The CPU utilization, in percent, of a resource metric; `undefined` for any other metric. */
export function cpuUtilization(part: MetricPart, metric: JsonObject): JsonValue | undefined {
  const resource = objectAt(metric, 'resource');
  if (stringAt(metric, 'type') !== 'Resource' || stringAt(resource, 'name') !== 'cpu') return undefined;
  return ownMember(objectAt(resource, part) ?? {}, 'averageUtilization') ?? undefined;
}
