/**
 * ExtendedResourceToleration: a pod that requests an extended resource gets a toleration of the taint that keeps other
 * pods off the nodes with that resource.
 */
import type { CoreV1PodSpec, CoreV1Toleration } from '../../../../shared/api/types/generated/members';
import { isExtendedResource } from '../../../kinds/rules/resource-names';
import type { MutatingPlugin } from '../../chain';
import { podMutatingPlugin, ON_CREATE_OR_UPDATE } from '../../pod-plugin';

/** Creates the plug-in. */
export function extendedResourceToleration(): MutatingPlugin {
  return podMutatingPlugin('ExtendedResourceToleration', ON_CREATE_OR_UPDATE, (_request, spec) => {
    const { tolerations = [] } = spec;
    const isTolerated = (resource: string): boolean => tolerations.some((toleration) => isTolerationFor(toleration, resource));
    const missing = requestedExtendedResources(spec).filter((resource) => !isTolerated(resource));
    if (missing.length === 0) return;
    const added = missing.map((key) => ({ key, operator: 'Exists', effect: 'NoSchedule' }));
    spec.tolerations = [...tolerations, ...added];
  });
}

/** The names of the requested extended resources, sorted. */
function requestedExtendedResources({ containers, initContainers = [] }: CoreV1PodSpec): readonly string[] {
  const requestedNames = [...(containers ?? []), ...initContainers].flatMap(({ resources }) => Object.keys(resources?.requests ?? {}));
  return [...new Set(requestedNames)].filter(isExtendedResource).sort();
}

/** Whether this is exactly the toleration that the plug-in adds; a broader one does not count (upstream behaviour). */
function isTolerationFor({ key, operator, effect, value = '' }: CoreV1Toleration, resource: string): boolean {
  return key === resource && operator === 'Exists' && effect === 'NoSchedule' && value === '';
}
