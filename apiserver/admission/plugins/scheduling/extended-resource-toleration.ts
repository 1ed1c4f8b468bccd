/**
 * ExtendedResourceToleration: a pod that requests an extended resource gets a toleration of the taint that keeps other
 * pods off the nodes with that resource.
 */
import { arrayAt, isObject, objectAt, stringAt, type JsonObject, type JsonValue } from '../../../../shared/values/json';
import { isExtendedResource } from '../../../kinds/rules/resource-names';
import type { MutatingPlugin } from '../../chain';
import { podMutatingPlugin, ON_CREATE_OR_UPDATE } from '../../pod-plugin';

const CONTAINER_LISTS = ['containers', 'initContainers'];

export function extendedResourceToleration(): MutatingPlugin {
  return podMutatingPlugin('ExtendedResourceToleration', ON_CREATE_OR_UPDATE, (_request, spec) => {
    const tolerations = arrayAt(spec, 'tolerations') ?? [];
    const missing = requestedExtendedResources(spec).filter(
      (resource) => !tolerations.some((toleration) => isTolerationFor(toleration, resource)),
    );
    if (missing.length > 0)
      spec['tolerations'] = [...tolerations, ...missing.map((key) => ({ key, operator: 'Exists', effect: 'NoSchedule' }))];
  });
}

function requestedExtendedResources(spec: JsonObject): readonly string[] {
  const containers = CONTAINER_LISTS.flatMap((list) => (arrayAt(spec, list) ?? []).filter(isObject));
  const requestedNames = containers.flatMap((container) => Object.keys(objectAt(objectAt(container, 'resources'), 'requests') ?? {}));
  return [...new Set(requestedNames)].filter(isExtendedResource).sort();
}

/** Whether this is exactly the toleration that the plug-in adds; a broader one does not count (upstream behaviour). */
function isTolerationFor(toleration: JsonValue, resource: string): boolean {
  if (!isObject(toleration)) return false;
  const { key, operator, effect } = toleration;
  return key === resource && operator === 'Exists' && effect === 'NoSchedule' && (stringAt(toleration, 'value') ?? '') === '';
}
