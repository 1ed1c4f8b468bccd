/** A Pod's quality-of-service class, from what its containers request and are limited to. */
import { arrayAt, isObject, objectAt, stringAt, type JsonObject } from '../../../../shared/values/json';
import { compareQuantities } from '../../../../shared/values/quantity';

const COUNTED = ['cpu', 'memory'];

export function qualityOfService(pod: JsonObject): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const spec = objectAt(pod, 'spec') ?? {};
  const containers = [...(arrayAt(spec, 'containers') ?? []), ...(arrayAt(spec, 'initContainers') ?? [])].filter(isObject);
  let asks = false;
  let guaranteed = containers.length > 0;
  for (const container of containers) {
    const resources = objectAt(container, 'resources') ?? {};
    const [requests, limits] = [objectAt(resources, 'requests') ?? {}, objectAt(resources, 'limits') ?? {}];
    for (const name of COUNTED) {
      const [request, limit] = [quantity(requests, name), quantity(limits, name)];
      asks ||= request !== undefined || limit !== undefined;
      guaranteed &&= limit !== undefined && (request === undefined || compareQuantities(request, limit) === 0);
    }
  }
  if (!asks) return 'BestEffort';
  return guaranteed ? 'Guaranteed' : 'Burstable';
}

/** A quantity above zero. */
function quantity(values: JsonObject, name: string): string | undefined {
  const text = stringAt(values, name);
  return text !== undefined && compareQuantities(text, '0') > 0 ? text : undefined;
}
