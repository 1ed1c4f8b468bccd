/** Cells of kinds for scheduling and running pods. */
import { objectAt, sortedKeys, stringAt, type JsonObject } from '../../../shared/values/json';
import { creationAge, isTrue, nameOf, numberAt, objectsAt, textOr, scalarText, UNSET, type PrintCells } from '../table/cell';

export const SCHEDULING_CELLS: Readonly<Record<string, PrintCells>> = {
  DeviceClass: (object) => [nameOf(object), creationAge(object)],
  LeaseCandidate: (object) => {
    const spec = objectAt(object, 'spec');
    const texts = ['leaseName', 'binaryVersion', 'emulationVersion'].map((member) => stringAt(spec, member) ?? '');
    return [nameOf(object), ...texts, creationAge(object)];
  },
  PodSchedulingContext: (object) => [nameOf(object), stringAt(objectAt(object, 'spec'), 'selectedNode') ?? '', creationAge(object)],
  ResourceClaim: (object) => [nameOf(object), claimState(object), creationAge(object)],
  ResourceClaimTemplate: (object) => [nameOf(object), creationAge(object)],
  ResourceSlice: (object) => {
    const spec = objectAt(object, 'spec');
    const pool = stringAt(objectAt(spec, 'pool'), 'name') ?? '';
    return [nameOf(object), stringAt(spec, 'nodeName') ?? '', stringAt(spec, 'driver') ?? '', pool, creationAge(object)];
  },
  StorageVersion: (object) => {
    const status = objectAt(object, 'status');
    const servers = objectsAt(status, 'storageVersions');
    const serverVersions = servers.map((server) => `${stringAt(server, 'apiServerID') ?? ''}=${stringAt(server, 'encodingVersion') ?? ''}`);
    return [
      nameOf(object),
      textOr(stringAt(status, 'commonEncodingVersion'), UNSET),
      textOr(serverVersions.join(','), UNSET),
      creationAge(object),
    ];
  },
  VolumeAttributesClass: (object) => [nameOf(object), stringAt(object, 'driverName') ?? '', creationAge(object)],
  PriorityClass: (object) => [nameOf(object), numberAt(object, 'value'), isTrue(object, 'globalDefault'), creationAge(object)],
  ResourceQuota: (object) => [nameOf(object), creationAge(object), quotaUsage(object, false), quotaUsage(object, true)],
  RuntimeClass: (object) => [nameOf(object), stringAt(object, 'handler') ?? '', creationAge(object)],
};

/** In order of precedence. */
function claimState(claim: JsonObject): string {
  const status = objectAt(claim, 'status');
  const states = [
    ...(stringAt(objectAt(claim, 'metadata'), 'deletionTimestamp') === undefined ? [] : ['deleted']),
    ...(objectAt(status, 'allocation') === undefined ? [] : ['allocated']),
    ...(objectsAt(status, 'reservedFor').length === 0 ? [] : ['reserved']),
  ];
  return states.length === 0 ? 'pending' : states.join(',');
}

/** `pods: 1/10`: used and hard. Limits have a column of their own. */
function quotaUsage(object: JsonObject, isForLimits: boolean): string {
  const status = objectAt(object, 'status');
  const hard = objectAt(status, 'hard') ?? {};
  const used = objectAt(status, 'used');
  return sortedKeys(hard)
    .filter((resource) => resource.startsWith('limits.') === isForLimits)
    .map((resource) => `${resource}: ${scalarText(used, resource) ?? '0'}/${scalarText(hard, resource) ?? '0'}`)
    .join(', ');
}
