/** Pods insist on being apart on machines only: who kept others out of a whole zone would deny it to everybody. */
import { canonicalQualifiedName } from '../../shared/names/dialect';
import { arrayAt, isObject, objectAt, stringAt } from '../../shared/values/json';
import type { ValidatingPlugin } from './chain';
import { podValidation, refused, WRITTEN_PODS } from './pod-creation';

const MACHINE = 'platform.io/hostname';

/** `machine`: the key as this server spells it. */
export function hardAntiAffinity(machine: string): ValidatingPlugin {
  return podValidation('LimitPodHardAntiAffinityTopology', WRITTEN_PODS, (request, spec) => {
    const terms = arrayAt(objectAt(objectAt(spec, 'affinity'), 'podAntiAffinity'), 'requiredDuringSchedulingIgnoredDuringExecution');
    for (const term of (terms ?? []).filter(isObject)) {
      const key = stringAt(term, 'topologyKey') ?? '';
      if (canonicalQualifiedName(key) !== MACHINE)
        throw refused(
          request,
          `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${key} but only key ${machine} is allowed`,
        );
    }
  });
}
