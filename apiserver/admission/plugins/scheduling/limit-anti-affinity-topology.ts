/**
 * LimitPodHardAntiAffinityTopology: required pod anti-affinity may use the hostname topology only. A pod that keeps
 * others out of a whole zone would deny that zone to every tenant.
 */
import { canonicalQualifiedName } from '../../../../shared/names/dialect';
import type { ValidatingPlugin } from '../../chain';
import { newForbidden } from '../../new-forbidden';
import { podValidatingPlugin, ON_CREATE_OR_UPDATE } from '../../pod-plugin';

const HOSTNAME_KEY = 'platform.io/hostname';

/** `hostnameKey`: the topology key in this server's spelling, for the message. */
export function limitPodHardAntiAffinityTopology(hostnameKey: string): ValidatingPlugin {
  return podValidatingPlugin('LimitPodHardAntiAffinityTopology', ON_CREATE_OR_UPDATE, (request, spec) => {
    const requiredTerms = spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    for (const { topologyKey: key = '' } of requiredTerms) {
      if (canonicalQualifiedName(key) !== HOSTNAME_KEY)
        throw newForbidden(
          request,
          `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${key} but only key ${hostnameKey} is allowed`,
        );
    }
  });
}
