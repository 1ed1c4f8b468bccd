/** Cells of how pods are run and placed. */
import { objectAt, sortedKeys, stringAt, type JsonObject } from '../../../shared/values/json';
import { created, isTrue, name, numberAt, objects, or, scalarText, UNSET, type Cells } from '../table/cell';

export const MACHINE_CELLS: Readonly<Record<string, Cells>> = {
  DeviceClass: (object) => [name(object), created(object)],
  LeaseCandidate: (object) => {
    const spec = objectAt(object, 'spec');
    const texts = ['leaseName', 'binaryVersion', 'emulationVersion'].map((member) => stringAt(spec, member) ?? '');
    return [name(object), ...texts, created(object)];
  },
  PodSchedulingContext: (object) => [name(object), stringAt(objectAt(object, 'spec'), 'selectedNode') ?? '', created(object)],
  ResourceClaim: (object) => [name(object), claimState(object), created(object)],
  ResourceClaimTemplate: (object) => [name(object), created(object)],
  ResourceSlice: (object) => {
    const spec = objectAt(object, 'spec');
    const pool = stringAt(objectAt(spec, 'pool'), 'name') ?? '';
    return [name(object), stringAt(spec, 'nodeName') ?? '', stringAt(spec, 'driver') ?? '', pool, created(object)];
  },
  StorageVersion: (object) => {
    const status = objectAt(object, 'status');
    const servers = objects(status, 'storageVersions');
    const each = servers.map((server) => `${stringAt(server, 'apiServerID') ?? ''}=${stringAt(server, 'encodingVersion') ?? ''}`);
    return [name(object), or(stringAt(status, 'commonEncodingVersion'), UNSET), or(each.join(','), UNSET), created(object)];
  },
  VolumeAttributesClass: (object) => [name(object), stringAt(object, 'driverName') ?? '', created(object)],
  PriorityClass: (object) => [name(object), numberAt(object, 'value'), isTrue(object, 'globalDefault'), created(object)],
  ResourceQuota: (object) => [name(object), created(object), usage(object, false), usage(object, true)],
  RuntimeClass: (object) => [name(object), stringAt(object, 'handler') ?? '', created(object)],
};

/** In the order in which they are named. */
function claimState(claim: JsonObject): string {
  const status = objectAt(claim, 'status');
  const states = [
    ...(stringAt(objectAt(claim, 'metadata'), 'deletionTimestamp') === undefined ? [] : ['deleted']),
    ...(objectAt(status, 'allocation') === undefined ? [] : ['allocated']),
    ...(objects(status, 'reservedFor').length === 0 ? [] : ['reserved']),
  ];
  return states.length === 0 ? 'pending' : states.join(',');
}

/** `pods: 1/10`: used and allowed; what is limited and what is requested apart. */
function usage(object: JsonObject, limits: boolean): string {
  const status = objectAt(object, 'status');
  const hard = objectAt(status, 'hard') ?? {};
  const used = objectAt(status, 'used');
  return sortedKeys(hard)
    .filter((resource) => resource.startsWith('limits.') === limits)
    .map((resource) => `${resource}: ${scalarText(used, resource) ?? '0'}/${scalarText(hard, resource) ?? '0'}`)
    .join(', ');
}
