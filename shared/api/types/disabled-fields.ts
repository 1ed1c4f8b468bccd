/**
 * Drops fields that belong to feature gates which are off in release 1.31, or to features that it no longer has. Such a
 * field is decoded, and owned by the field manager that sent it, but not stored. The features cannot be enabled here, so
 * no stored object has such fields.
 */
import { arrayAt, isObject, type JsonObject } from '../../values/json';
import { createWalker, type ObjectVisitor } from './walker';

/** The fields that are deleted, by type. */
const DISABLED_FIELDS: Readonly<Record<string, readonly string[]>> = {
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

/** Types for which more is needed than deleting a field. */
const DISABLED_RULES: Readonly<Record<string, ObjectVisitor>> = {
  'core.v1.PodSpec': dropImageVolumes,
  'core.v1.SecurityContext': resetProcMount,
};

const walk = createWalker({
  objectVisitor(type) {
    const members = DISABLED_FIELDS[type] ?? [];
    const rule = DISABLED_RULES[type];
    if (members.length === 0) return rule;
    return (object) => {
      for (const member of members) if (object[member] !== undefined) delete object[member];
      rule?.(object);
    };
  },
});

/** Removes fields of disabled features from a decoded object of the type, in place. */
export function dropDisabledFields(type: string, object: JsonObject): void {
  walk(type)?.(object);
}

/** Drops image volumes and the volumeMounts that refer to them. */
function dropImageVolumes(spec: JsonObject): void {
  const volumes = (arrayAt(spec, 'volumes') ?? []).filter(isObject);
  const images = new Set(volumes.filter(({ image }) => image !== undefined && image !== null).map(({ name }) => name));
  if (images.size === 0) return;
  const dropReferences = (holder: JsonObject, member: string): void => {
    const remaining = arrayAt(holder, member)?.filter((item) => !isObject(item) || !images.has(item['name']));
    if (remaining === undefined || remaining.length === 0) delete holder[member];
    else holder[member] = remaining;
  };
  dropReferences(spec, 'volumes');
  for (const list of ['containers', 'initContainers', 'ephemeralContainers'])
    for (const container of arrayAt(spec, list) ?? []) if (isObject(container)) dropReferences(container, 'volumeMounts');
}

/** `Default` is the only enabled value. A field that was set is replaced, not deleted (upstream behaviour). */
function resetProcMount(context: JsonObject): void {
  if (context['procMount'] !== undefined) context['procMount'] = 'Default';
}
