/** A Pod's quality-of-service class, from what its containers request and are limited to. */
import { stringAt } from '../../../../shared/values/json';
import { compareQuantities } from '../../../../shared/values/quantity';
import type { CoreV1Pod } from '../../../../shared/api/types/generated/members';

const COUNTED = ['cpu', 'memory'];

export function qualityOfService(pod: CoreV1Pod): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const spec = pod.spec ?? {};
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  let asks = false;
  let guaranteed = containers.length > 0;
  for (const container of containers) {
    const resources = container.resources ?? {};
    const [requests, limits] = [resources.requests ?? {}, resources.limits ?? {}];
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
function quantity(values: Record<string, string>, name: string): string | undefined {
  const text = stringAt(values, name);
  return text !== undefined && compareQuantities(text, '0') > 0 ? text : undefined;
}
