/**
 * Members that belong to features which are off in this release: they are understood, owned by who sent them, and not kept. None of the features
 * can be turned on here, so no stored object has them.
 */
import { arrayAt, isObject, type JsonObject } from '../../values/json';
import { walker, type ObjectVisitor } from './walker';

const DISABLED: Readonly<Record<string, readonly string[]>> = {
  'apps.v1.RollingUpdateStatefulSetStrategy': ['maxUnavailable'],
  'coordination.v1.LeaseSpec': ['strategy', 'preferredHolder'],
  'core.v1.Container': ['resizePolicy'],
  'core.v1.EphemeralContainer': ['resizePolicy'],
  'core.v1.NodeSpec': ['configSource'],
  'core.v1.NodeStatus': ['features'],
  'core.v1.PersistentVolumeClaimStatus': ['allocatedResources', 'allocatedResourceStatuses'],
  'core.v1.PersistentVolumeClaimSpec': ['volumeAttributesClassName'],
  'core.v1.PersistentVolumeSpec': ['volumeAttributesClassName'],
  'core.v1.PodSecurityContext': ['supplementalGroupsPolicy'],
  'core.v1.PodSpec': ['hostUsers', 'resourceClaims'],
  'core.v1.ResourceRequirements': ['claims'],
  'core.v1.VolumeProjection': ['clusterTrustBundle'],
  'discovery.v1.Endpoint': ['deprecatedTopology'],
};

/** What is more than dropping a member. */
const RULES: Readonly<Record<string, ObjectVisitor>> = {
  'core.v1.PodSpec': dropImageVolumes,
  'core.v1.SecurityContext': maskProc,
};

const walk = walker({
  at(type) {
    const members = DISABLED[type] ?? [];
    const rule = RULES[type];
    if (members.length === 0) return rule;
    return (object) => {
      for (const member of members) if (object[member] !== undefined) delete object[member];
      rule?.(object);
    };
  },
});

/** Removes what is not kept from a decoded object of the type, in place. */
export function dropDisabled(type: string, object: JsonObject): void {
  walk(type)?.(object);
}

/** Volumes made of images go, and with them what mounts them. */
function dropImageVolumes(spec: JsonObject): void {
  const volumes = (arrayAt(spec, 'volumes') ?? []).filter(isObject);
  const images = new Set(volumes.filter(({ image }) => image !== undefined && image !== null).map(({ name }) => name));
  if (images.size === 0) return;
  const keep = (holder: JsonObject, member: string): void => {
    const kept = arrayAt(holder, member)?.filter((item) => !isObject(item) || !images.has(item['name']));
    if (kept === undefined || kept.length === 0) delete holder[member];
    else holder[member] = kept;
  };
  keep(spec, 'volumes');
  for (const list of ['containers', 'initContainers', 'ephemeralContainers'])
    for (const container of arrayAt(spec, list) ?? []) if (isObject(container)) keep(container, 'volumeMounts');
}

/** Other ways to mount `/proc` are off; that one was asked for stays visible. */
function maskProc(context: JsonObject): void {
  if (context['procMount'] !== undefined) context['procMount'] = 'Default';
}
