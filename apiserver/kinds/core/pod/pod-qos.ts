/**
 * Computes a Pod's QoS class from the requests and limits of its containers for CPU and memory:
 *
 * - Guaranteed: every container has a limit for both, and requests either nothing or as much as the limit.
 * - BestEffort: no container has a request or a limit for either.
 * - Burstable: all other Pods.
 *
 * Init containers count like the others, ephemeral containers do not.
 */
import { stringAt } from '../../../../shared/values/json';
import { compareQuantities } from '../../../../shared/values/quantity';
import type { CoreV1Pod } from '../../../../shared/api/types/generated/members';

const QOS_RESOURCES = ['cpu', 'memory'];

/** Reads only the spec, not the class in the status. */
export function computePodQos(pod: CoreV1Pod): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const spec = pod.spec ?? {};
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  let hasResources = false;
  let isGuaranteed = containers.length > 0;
  for (const { resources } of containers) {
    const requests = resources?.requests ?? {};
    const limits = resources?.limits ?? {};
    for (const name of QOS_RESOURCES) {
      const request = positiveQuantity(requests, name);
      const limit = positiveQuantity(limits, name);
      hasResources ||= request !== undefined || limit !== undefined;
      isGuaranteed &&= limit !== undefined && (request === undefined || compareQuantities(request, limit) === 0);
    }
  }
  if (!hasResources) return 'BestEffort';
  return isGuaranteed ? 'Guaranteed' : 'Burstable';
}

/** The quantity of the resource if it is above zero; `undefined` otherwise. */
function positiveQuantity(values: Record<string, string>, name: string): string | undefined {
  const text = stringAt(values, name);
  return text !== undefined && compareQuantities(text, '0') > 0 ? text : undefined;
}
