/** A pod that asks for an extended resource tolerates the taint that keeps others from the nodes that have it. */
import { arrayAt, isObject, objectAt, stringAt, type JsonObject, type JsonValue } from '../../shared/values/json';
import { isExtendedResource } from '../kinds/rules/resource-names';
import type { MutatingPlugin } from './chain';
import { podMutation, WRITTEN_PODS } from './pod-creation';

const LISTS = ['containers', 'initContainers'];

export function extendedResourceToleration(): MutatingPlugin {
  return podMutation('ExtendedResourceToleration', WRITTEN_PODS, (_request, spec) => {
    const given = arrayAt(spec, 'tolerations') ?? [];
    const missing = resourcesOf(spec).filter((resource) => !given.some((toleration) => toleratesJust(toleration, resource)));
    if (missing.length > 0) spec['tolerations'] = [...given, ...missing.map((key) => ({ key, operator: 'Exists', effect: 'NoSchedule' }))];
  });
}

function resourcesOf(spec: JsonObject): readonly string[] {
  const containers = LISTS.flatMap((list) => (arrayAt(spec, list) ?? []).filter(isObject));
  const asked = containers.flatMap((container) => Object.keys(objectAt(objectAt(container, 'resources'), 'requests') ?? {}));
  return [...new Set(asked)].filter(isExtendedResource).sort();
}

/** One that tolerates more is another. */
function toleratesJust(toleration: JsonValue, resource: string): boolean {
  if (!isObject(toleration)) return false;
  const { key, operator, effect } = toleration;
  return key === resource && operator === 'Exists' && effect === 'NoSchedule' && (stringAt(toleration, 'value') ?? '') === '';
}
