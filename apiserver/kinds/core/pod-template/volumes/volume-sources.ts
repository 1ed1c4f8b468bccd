/**
 * The validation rules of the volume sources of Pods, one per type and in upstream's order: a volume has exactly one
 * source. Rules that PersistentVolumes share are exported for core/volume.
 */
import { forbiddenField, invalidValue, requiredValue, tooLongValue, unsupportedValue } from '../../../../../shared/api/errors/field-error';
import { type JsonObject, sortedKeys } from '../../../../../shared/values/json';
import { checkDnsLabel, checkDnsSubdomain } from '../../../../../shared/values/name-formats';
import { parseQuantity } from '../../../../../shared/values/quantity';
import { isProtectedGroup, RESERVED_DOMAINS_MESSAGE } from '../../../../../shared/names/dialect';
import {
  checkEnum,
  checkFormat,
  checkLocalPath,
  checkNoBacksteps,
  checkIfNotEmpty,
  checkRequired,
  isSet,
  type Errors,
  type MemberOf,
} from '../../../rules/checks';
import { checkFileMode, checkRange } from '../../../rules/numbers';
import type { UnionMemberOf, Rule } from '../../../rules/union-members';
import { checkClaimTemplate } from './claim-template';
import { checkDownwardApiItems, checkKeyItems, checkProjectedVolume } from './projected-volumes';
import { checkIscsiName, UNKNOWN_ISCSI_NAME } from './iscsi';
import type {
  CoreV1AWSElasticBlockStoreVolumeSource,
  CoreV1AzureDiskVolumeSource,
  CoreV1CSIPersistentVolumeSource,
  CoreV1CSIVolumeSource,
  CoreV1CephFSVolumeSource,
  CoreV1CinderVolumeSource,
  CoreV1ConfigMapVolumeSource,
  CoreV1DownwardAPIVolumeSource,
  CoreV1EmptyDirVolumeSource,
  CoreV1FCVolumeSource,
  CoreV1FlexVolumeSource,
  CoreV1FlockerVolumeSource,
  CoreV1GCEPersistentDiskVolumeSource,
  CoreV1GitRepoVolumeSource,
  CoreV1HostPathVolumeSource,
  CoreV1ISCSIPersistentVolumeSource,
  CoreV1ISCSIVolumeSource,
  CoreV1NFSVolumeSource,
  CoreV1PhotonPersistentDiskVolumeSource,
  CoreV1PortworxVolumeSource,
  CoreV1QuobyteVolumeSource,
  CoreV1RBDVolumeSource,
  CoreV1ScaleIOVolumeSource,
  CoreV1SecretVolumeSource,
  CoreV1StorageOSVolumeSource,
  CoreV1Volume,
  CoreV1VsphereVirtualDiskVolumeSource,
} from '../../../../../shared/api/types/generated/members';

const MAX_PARTITION = 255;
const MAX_LUN = 255;

const AZURE_CACHING_MODES = ['None', 'ReadOnly', 'ReadWrite'];
const AZURE_DISK_KINDS = ['Dedicated', 'Managed', 'Shared'];
const AZURE_MANAGED_URI_FORM = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const AZURE_BLOB_URI_FORM = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';

/** The form of the URI depends on the kind of the disk. */
function checkAzureDisk(source: CoreV1AzureDiskVolumeSource, fieldPath: string, errors: Errors): void {
  checkRequired(source, 'diskName', fieldPath, errors);
  checkRequired(source, 'diskURI', fieldPath, errors);
  checkEnum(source, 'cachingMode', fieldPath, AZURE_CACHING_MODES, errors);
  checkEnum(source, 'kind', fieldPath, AZURE_DISK_KINDS, errors);
  const uri = source.diskURI ?? '';
  const isManaged = source.kind === 'Managed';
  const isValid = isManaged ? uri.startsWith('/subscriptions/') : uri.startsWith('https://');
  if (!isValid) errors.push(unsupportedValue(`${fieldPath}.diskURI`, uri, [isManaged ? AZURE_MANAGED_URI_FORM : AZURE_BLOB_URI_FORM]));
}

/** Requires the members to be non-empty strings. */
export const requireMembers =
  <T extends JsonObject>(...members: readonly MemberOf<T, string>[]): Rule<T> =>
  (source, fieldPath, errors) => {
    for (const member of members) checkRequired(source, member, fieldPath, errors);
  };

/** A Secret reference must have a name. */
const checkSecretName: Rule<CoreV1CinderVolumeSource | CoreV1StorageOSVolumeSource> = ({ secretRef: secret }, fieldPath, errors) => {
  if (secret !== undefined) checkRequired(secret, 'name', `${fieldPath}.secretRef`, errors);
};

/** A rule that checks all of the rules, in order. */
export const combineRules =
  <T>(...rules: readonly Rule<T>[]): Rule<T> =>
  (source, fieldPath, errors) => {
    for (const rule of rules) rule(source, fieldPath, errors);
  };

const checkMonitors: Rule<CoreV1RBDVolumeSource | CoreV1CephFSVolumeSource> = ({ monitors }, fieldPath, errors) => {
  if ((monitors ?? []).length === 0) errors.push(requiredValue(`${fieldPath}.monitors`));
};

const checkPartition: Rule<CoreV1GCEPersistentDiskVolumeSource | CoreV1AWSElasticBlockStoreVolumeSource> = (source, fieldPath, errors) => {
  if (source.partition !== 0) checkRange(source.partition, `${fieldPath}.partition`, 1, MAX_PARTITION, errors);
};

const checkSecretVolume: Rule<CoreV1SecretVolumeSource> = (source, fieldPath, errors) => {
  checkRequired(source, 'secretName', fieldPath, errors);
  checkFileMode(source, 'defaultMode', fieldPath, errors);
  checkKeyItems(source, fieldPath, errors);
};

const checkConfigMapVolume: Rule<CoreV1ConfigMapVolumeSource> = (source, fieldPath, errors) => {
  checkRequired(source, 'name', fieldPath, errors);
  checkFileMode(source, 'defaultMode', fieldPath, errors);
  checkKeyItems(source, fieldPath, errors);
};

/** Rules of sources that Pods and PersistentVolumes share. */
export const SHARED_VOLUME_RULES = {
  hostPath: checkHostPath,
  gcePersistentDisk: combineRules(requireMembers<CoreV1GCEPersistentDiskVolumeSource>('pdName'), checkPartition),
  awsElasticBlockStore: combineRules(requireMembers<CoreV1AWSElasticBlockStoreVolumeSource>('volumeID'), checkPartition),
  nfs: checkNfs,
  flocker: checkFlocker,
  rbd: combineRules(checkMonitors, requireMembers<CoreV1RBDVolumeSource>('image')),
  cephfs: checkMonitors,
  quobyte: checkQuobyte,
  fc: checkFibreChannel,
  flexVolume: checkFlex,
  vsphereVolume: requireMembers<CoreV1VsphereVirtualDiskVolumeSource>('volumePath'),
  photonPersistentDisk: requireMembers<CoreV1PhotonPersistentDiskVolumeSource>('pdID'),
  portworxVolume: requireMembers<CoreV1PortworxVolumeSource>('volumeID'),
  azureDisk: checkAzureDisk,
  scaleIO: requireMembers<CoreV1ScaleIOVolumeSource>('gateway', 'system', 'volumeName'),
} as const;

/** When several are set, the first in this order is validated and the others are reported as forbidden. */
export const POD_VOLUME_SOURCES: readonly UnionMemberOf<CoreV1Volume>[] = [
  { member: 'emptyDir', rule: checkEmptyDir },
  { member: 'hostPath', rule: SHARED_VOLUME_RULES.hostPath },
  { member: 'gitRepo', rule: checkGitRepo },
  {
    member: 'gcePersistentDisk',
    field: 'persistentDisk',
    nameWhenSecond: 'gcePersistentDisk',
    rule: SHARED_VOLUME_RULES.gcePersistentDisk,
  },
  { member: 'awsElasticBlockStore', rule: SHARED_VOLUME_RULES.awsElasticBlockStore },
  { member: 'secret', rule: checkSecretVolume },
  { member: 'nfs', rule: SHARED_VOLUME_RULES.nfs },
  { member: 'iscsi', rule: iscsiRule(UNKNOWN_ISCSI_NAME.ofPod) },
  { member: 'glusterfs', rule: requireMembers('endpoints', 'path') },
  { member: 'flocker', rule: SHARED_VOLUME_RULES.flocker },
  { member: 'persistentVolumeClaim', rule: requireMembers('claimName') },
  { member: 'rbd', rule: SHARED_VOLUME_RULES.rbd },
  { member: 'cinder', rule: combineRules(requireMembers<CoreV1CinderVolumeSource>('volumeID'), checkSecretName) },
  { member: 'cephfs', nameWhenSecond: 'cephFS', rule: SHARED_VOLUME_RULES.cephfs },
  { member: 'quobyte', rule: SHARED_VOLUME_RULES.quobyte },
  { member: 'downwardAPI', nameWhenSecond: 'downwarAPI', rule: checkDownwardApiVolume },
  { member: 'fc', rule: SHARED_VOLUME_RULES.fc },
  { member: 'flexVolume', rule: SHARED_VOLUME_RULES.flexVolume },
  { member: 'configMap', rule: checkConfigMapVolume },
  { member: 'azureFile', rule: requireMembers('secretName', 'shareName') },
  { member: 'vsphereVolume', rule: SHARED_VOLUME_RULES.vsphereVolume },
  { member: 'photonPersistentDisk', rule: SHARED_VOLUME_RULES.photonPersistentDisk },
  { member: 'portworxVolume', rule: SHARED_VOLUME_RULES.portworxVolume },
  { member: 'azureDisk', rule: SHARED_VOLUME_RULES.azureDisk },
  { member: 'storageos', rule: combineRules(checkStorageOs, checkSecretName) },
  { member: 'projected', rule: checkProjectedVolume },
  { member: 'scaleIO', rule: SHARED_VOLUME_RULES.scaleIO },
  { member: 'csi', rule: checkCsi },
  { member: 'ephemeral', rule: checkClaimTemplate },
];

function checkEmptyDir(source: CoreV1EmptyDirVolumeSource, fieldPath: string, errors: Errors): void {
  const limit = source.sizeLimit;
  if (limit !== undefined && parseQuantity(limit).nanos < 0n) {
    errors.push(forbiddenField(`${fieldPath}.sizeLimit`, 'SizeLimit field must be a valid resource quantity'));
  }
}

const PATH_TYPES = ['', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket'];

function checkHostPath(source: CoreV1HostPathVolumeSource, fieldPath: string, errors: Errors): void {
  const path = source.path ?? '';
  if (path === '') errors.push(requiredValue(`${fieldPath}.path`));
  else {
    checkNoBacksteps(path, `${fieldPath}.path`, errors);
    checkEnum(source, 'type', fieldPath, PATH_TYPES, errors);
  }
}

function checkGitRepo(source: CoreV1GitRepoVolumeSource, fieldPath: string, errors: Errors): void {
  checkRequired(source, 'repository', fieldPath, errors);
  checkLocalPath(source.directory ?? '', `${fieldPath}.directory`, errors);
}

function checkNfs(source: CoreV1NFSVolumeSource, fieldPath: string, errors: Errors): void {
  for (const member of ['server', 'path'] as const) checkRequired(source, member, fieldPath, errors);
  const path = source.path ?? '';
  if (!path.startsWith('/')) errors.push(invalidValue(`${fieldPath}.path`, path, 'must be an absolute path'));
}

/** `unknownFormatText` is the error text for a name of unknown format. */
export function iscsiRule(unknownFormatText: string): Rule<CoreV1ISCSIVolumeSource | CoreV1ISCSIPersistentVolumeSource> {
  return (source, fieldPath, errors) => {
    checkRequired(source, 'targetPortal', fieldPath, errors);
    const target = source.iqn ?? '';
    if (target === '') errors.push(requiredValue(`${fieldPath}.iqn`));
    else checkIscsiName(target, unknownFormatText, `${fieldPath}.iqn`, errors);
    checkRange(source.lun, `${fieldPath}.lun`, 0, MAX_LUN, errors);
    const needsSecret = source.chapAuthDiscovery === true || source.chapAuthSession === true;
    if (needsSecret && !isSet(source, 'secretRef')) errors.push(requiredValue(`${fieldPath}.secretRef`));
    const initiator = source.initiatorName;
    if (initiator !== undefined) checkIscsiName(initiator, unknownFormatText, `${fieldPath}.initiatorname`, errors);
  };
}

function checkFlocker(source: CoreV1FlockerVolumeSource, fieldPath: string, errors: Errors): void {
  const name = source.datasetName ?? '';
  const id = source.datasetUUID ?? '';
  if (name === '' && id === '') errors.push(requiredValue(fieldPath, 'one of datasetName and datasetUUID is required'));
  if (name !== '' && id !== '') {
    errors.push(invalidValue(fieldPath, 'resource', 'datasetName and datasetUUID can not be specified simultaneously'));
  }
  if (name.includes('/')) errors.push(invalidValue(`${fieldPath}.datasetName`, name, "must not contain '/'"));
}

const REGISTRIES = 'must be a host:port pair or multiple pairs separated by commas';
const MAX_TENANT_LENGTH = 64;

function checkQuobyte(source: CoreV1QuobyteVolumeSource, fieldPath: string, errors: Errors): void {
  const registry = source.registry ?? '';
  if (registry === '') errors.push(requiredValue(`${fieldPath}.registry`, REGISTRIES));
  else if (Buffer.byteLength(source.tenant ?? '') > MAX_TENANT_LENGTH) {
    errors.push(requiredValue(`${fieldPath}.tenant`, `must be a UUID and may not exceed a length of ${MAX_TENANT_LENGTH} characters`));
  } else if (registry.split(',').some((pair) => pair.split(':').length !== 2)) {
    errors.push(invalidValue(`${fieldPath}.registry`, registry, REGISTRIES));
  }
  checkRequired(source, 'volume', fieldPath, errors);
}

function checkDownwardApiVolume(source: CoreV1DownwardAPIVolumeSource, fieldPath: string, errors: Errors): void {
  checkFileMode(source, 'defaultMode', fieldPath, errors);
  checkDownwardApiItems(source, fieldPath, errors);
}

function checkFibreChannel(source: CoreV1FCVolumeSource, fieldPath: string, errors: Errors): void {
  const targets = source.targetWWNs ?? [];
  const ids = source.wwids ?? [];
  const field = `${fieldPath}.targetWWNs`;
  if (targets.length === 0 && ids.length === 0) {
    errors.push(requiredValue(field, 'must specify either targetWWNs or wwids, but not both'));
  }
  if (targets.length > 0 && ids.length > 0) {
    errors.push(invalidValue(field, targets, 'targetWWNs and wwids can not be specified simultaneously'));
  }
  if (targets.length === 0) return;
  const lun = source.lun;
  if (lun === undefined) errors.push(requiredValue(`${fieldPath}.lun`, 'lun is required if targetWWNs is specified'));
  else checkRange(lun, `${fieldPath}.lun`, 0, MAX_LUN, errors);
}

function checkFlex(source: CoreV1FlexVolumeSource, fieldPath: string, errors: Errors): void {
  checkRequired(source, 'driver', fieldPath, errors);
  const options = source.options ?? {};
  for (const name of sortedKeys(options)) {
    const slash = name.indexOf('/');
    if (slash < 0 || !isProtectedGroup(name.slice(0, slash))) continue;
    errors.push(invalidValue(`${fieldPath}.options[${name}]`, name, RESERVED_DOMAINS_MESSAGE));
  }
}

function checkStorageOs(source: CoreV1StorageOSVolumeSource, fieldPath: string, errors: Errors): void {
  checkRequired(source, 'volumeName', fieldPath, errors, checkDnsLabel);
  checkIfNotEmpty(source, 'volumeNamespace', fieldPath, errors, checkDnsLabel);
}

const MAX_DRIVER_NAME_LENGTH = 63;

/** Validates the member `driver` of a CSI volume. */
export function checkCsiDriverMember(
  source: CoreV1CSIVolumeSource | CoreV1CSIPersistentVolumeSource,
  fieldPath: string,
  errors: Errors,
): void {
  checkCsiDriverName(source.driver ?? '', `${fieldPath}.driver`, errors);
}

/** Validates the name of a CSI driver. */
export function checkCsiDriverName(driver: string, field: string, errors: Errors): void {
  if (driver === '') errors.push(requiredValue(field));
  if (Buffer.byteLength(driver) > MAX_DRIVER_NAME_LENGTH) errors.push(tooLongValue(field, MAX_DRIVER_NAME_LENGTH));
  for (const text of checkDnsSubdomain(driver.toLowerCase())) errors.push(invalidValue(field, driver, text));
}

function checkCsi(source: CoreV1CSIVolumeSource, fieldPath: string, errors: Errors): void {
  checkCsiDriverMember(source, fieldPath, errors);
  const secret = source.nodePublishSecretRef;
  if (secret === undefined) return;
  if ((secret.name ?? '') === '') errors.push(requiredValue(`${fieldPath}.nodePublishSecretRef.name`));
  // The field path lacks the reference (upstream behaviour).
  else checkFormat(secret.name ?? '', `${fieldPath}.name`, checkDnsSubdomain, errors);
}
