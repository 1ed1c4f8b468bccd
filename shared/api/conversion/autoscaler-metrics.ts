/**
 * The metrics of an autoscaler as version 2 has them, and as version 1 writes them into annotations. Which member goes where is data; what an
 * annotation says that cannot be read counts as nothing (upstream behaviour).
 */
import { isObject, objectAt, own, stringAt, type JsonObject, type JsonValue } from '../../values/json';
import { DecodeError } from '../types/decode-error';
import { decodeObject } from '../types/decode';
import { encodeBody } from '../types/encode';
import { parseText } from '../metadata/carried-annotations';

/** What is wanted, or what was found. */
export type MetricPart = 'target' | 'current';

/** By source, the members of version 2 as paths and those of version 1; `@` stands for the part. */
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

/** The annotation's text. */
export function writeMetrics(part: MetricPart, metrics: readonly JsonObject[]): string {
  return `[${metrics.map((metric) => encodeBody(TYPES[part], older(part, metric))).join(',')}]`;
}

/** Undefined for a text that is no list of metrics. */
export function readMetrics(part: MetricPart, text: string): readonly JsonObject[] | undefined {
  return readList(text, TYPES[part])?.map((metric) => newer(part, metric));
}

/** The objects of a type that a text lists as JSON; undefined when it does not. */
export function readList(text: string, type: string): readonly JsonObject[] | undefined {
  const list = parseText(text);
  if (!Array.isArray(list)) return undefined;
  try {
    return list.map((item) => decodeObject(type, isObject(item) ? item : notAnObject(type)).object);
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

function notAnObject(type: string): never {
  throw new DecodeError(`an item of the list is no ${type}`);
}

function older(part: MetricPart, metric: JsonObject): JsonObject {
  return eachSource(metric, (source, members) => {
    const made: JsonObject = {};
    for (const [path, member] of members) {
      const [outer = '', inner] = path.replace('@', part).split('.');
      const value = inner === undefined ? own(source, outer) : own(objectAt(source, outer) ?? {}, inner);
      if (value !== undefined) made[member.replace('@', part)] = value;
    }
    return made;
  });
}

function newer(part: MetricPart, metric: JsonObject): JsonObject {
  return eachSource(metric, (source, members) => {
    const made: JsonObject = {};
    for (const [path, member] of members) {
      const value = own(source, member.replace('@', part));
      const [outer = '', inner] = path.replace('@', part).split('.');
      if (value === undefined || value === null) continue;
      if (inner === undefined) made[outer] = value;
      else made[outer] = { ...objectAt(made, outer), [inner]: value };
    }
    return part === 'target' ? { ...made, target: typedTarget(objectAt(made, 'target') ?? {}) } : made;
  });
}

function eachSource(
  metric: JsonObject,
  convert: (source: JsonObject, members: readonly (readonly [newer: string, older: string])[]) => JsonObject,
): JsonObject {
  const made: JsonObject = { type: own(metric, 'type') ?? '' };
  for (const [source, members] of Object.entries(MEMBERS)) {
    const found = objectAt(metric, source);
    if (found !== undefined) made[source] = convert(found, members);
  }
  return made;
}

/** What kind of target it is follows from what it says. A value of zero stands there only because version 1 cannot leave it out. */
function typedTarget({ value, ...target }: JsonObject): JsonObject {
  if (target['averageUtilization'] !== undefined) return { type: 'Utilization', ...target };
  if (target['averageValue'] === undefined) return { type: 'Value', ...(value === undefined ? {} : { value }) };
  return { type: 'AverageValue', ...(value === undefined || value === '0' ? {} : { value }), ...target };
}

/** The share of the processor that a metric speaks of; undefined when it does not. */
export function processorShare(part: MetricPart, metric: JsonObject): JsonValue | undefined {
  const resource = objectAt(metric, 'resource');
  if (stringAt(metric, 'type') !== 'Resource' || stringAt(resource, 'name') !== 'cpu') return undefined;
  return own(objectAt(resource, part) ?? {}, 'averageUtilization') ?? undefined;
}
