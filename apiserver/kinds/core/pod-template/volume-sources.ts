/** What a volume may be made of: a rule for each source, in the order in which they are looked at. */
import { forbiddenField, invalidValue, requiredValue, tooLongValue } from '../../../../shared/api/errors/field-error';
import { type JsonObject, sortedKeys } from '../../../../shared/values/json';
import { checkDnsLabel, checkDnsSubdomain } from '../../../../shared/values/name-formats';
import { parseQuantity } from '../../../../shared/values/quantity';
import { isProtectedGroup, RESERVED_DOMAINS_MESSAGE } from '../../../../shared/names/dialect';
import {
  checkChoice,
  checkFormat,
  checkLocalPath,
  checkNoBacksteps,
  checkOptional,
  checkRequired,
  isSet,
  type Errors,
  type MemberOf,
} from '../../rules/checks';
import { checkMode, checkRange } from '../../rules/numbers';
import type { PartOf, Rule } from '../../rules/parts';
import { checkClaimTemplate } from './claim-template';
import { checkDiskUri } from './azure-disk';
import { checkFiles, checkKeys, checkProjections } from './projections';
import { checkQualifiedTarget, UNKNOWN_TARGET } from './iscsi';
import type {
  CoreV1AWSElasticBlockStoreVolumeSource,
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
} from '../../../../shared/api/types/generated/members';

const LAST_PARTITION = 255;
const LAST_LUN = 255;

/** Members that have to have a text. */
export const needs =
  <T extends JsonObject>(...members: readonly MemberOf<T, string>[]): Rule<T> =>
  (source, place, errors) => {
    for (const member of members) checkRequired(source, member, place, errors);
  };

/** A reference to a Secret that is there has a name. */
const secretIsNamed: Rule<CoreV1CinderVolumeSource | CoreV1StorageOSVolumeSource> = ({ secretRef: secret }, place, errors) => {
  if (secret !== undefined) checkRequired(secret, 'name', `${place}.secretRef`, errors);
};

export const all =
  <T>(...rules: readonly Rule<T>[]): Rule<T> =>
  (source, place, errors) => {
    for (const rule of rules) rule(source, place, errors);
  };

const needsMonitors: Rule<CoreV1RBDVolumeSource | CoreV1CephFSVolumeSource> = ({ monitors }, place, errors) => {
  if ((monitors ?? []).length === 0) errors.push(requiredValue(`${place}.monitors`));
};

const partition: Rule<CoreV1GCEPersistentDiskVolumeSource | CoreV1AWSElasticBlockStoreVolumeSource> = (source, place, errors) => {
  if (source.partition !== 0) checkRange(source.partition, `${place}.partition`, 1, LAST_PARTITION, errors);
};

const checkSecretFiles: Rule<CoreV1SecretVolumeSource> = (source, place, errors) => {
  checkRequired(source, 'secretName', place, errors);
  checkMode(source, 'defaultMode', place, errors);
  checkKeys(source, place, errors);
};

const checkConfigFiles: Rule<CoreV1ConfigMapVolumeSource> = (source, place, errors) => {
  checkRequired(source, 'name', place, errors);
  checkMode(source, 'defaultMode', place, errors);
  checkKeys(source, place, errors);
};

/** The rules of sources that a volume of the cluster may have as well. */
export const SHARED = {
  hostPath: checkHostPath,
  gcePersistentDisk: all(needs<CoreV1GCEPersistentDiskVolumeSource>('pdName'), partition),
  awsElasticBlockStore: all(needs<CoreV1AWSElasticBlockStoreVolumeSource>('volumeID'), partition),
  nfs: checkNfs,
  flocker: checkFlocker,
  rbd: all(needsMonitors, needs<CoreV1RBDVolumeSource>('image')),
  cephfs: needsMonitors,
  quobyte: checkQuobyte,
  fc: checkFibreChannel,
  flexVolume: checkFlex,
  vsphereVolume: needs<CoreV1VsphereVirtualDiskVolumeSource>('volumePath'),
  photonPersistentDisk: needs<CoreV1PhotonPersistentDiskVolumeSource>('pdID'),
  portworxVolume: needs<CoreV1PortworxVolumeSource>('volumeID'),
  azureDisk: checkDiskUri,
  scaleIO: needs<CoreV1ScaleIOVolumeSource>('gateway', 'system', 'volumeName'),
} as const;

export const SOURCES: readonly PartOf<CoreV1Volume>[] = [
  { member: 'emptyDir', rule: checkEmptyDirectory },
  { member: 'hostPath', rule: SHARED.hostPath },
  { member: 'gitRepo', rule: checkRepository },
  { member: 'gcePersistentDisk', field: 'persistentDisk', secondAs: 'gcePersistentDisk', rule: SHARED.gcePersistentDisk },
  { member: 'awsElasticBlockStore', rule: SHARED.awsElasticBlockStore },
  { member: 'secret', rule: checkSecretFiles },
  { member: 'nfs', rule: SHARED.nfs },
  { member: 'iscsi', rule: iscsi(UNKNOWN_TARGET.ofPod) },
  { member: 'glusterfs', rule: needs('endpoints', 'path') },
  { member: 'flocker', rule: SHARED.flocker },
  { member: 'persistentVolumeClaim', rule: needs('claimName') },
  { member: 'rbd', rule: SHARED.rbd },
  { member: 'cinder', rule: all(needs<CoreV1CinderVolumeSource>('volumeID'), secretIsNamed) },
  { member: 'cephfs', secondAs: 'cephFS', rule: SHARED.cephfs },
  { member: 'quobyte', rule: SHARED.quobyte },
  { member: 'downwardAPI', secondAs: 'downwarAPI', rule: checkDownward },
  { member: 'fc', rule: SHARED.fc },
  { member: 'flexVolume', rule: SHARED.flexVolume },
  { member: 'configMap', rule: checkConfigFiles },
  { member: 'azureFile', rule: needs('secretName', 'shareName') },
  { member: 'vsphereVolume', rule: SHARED.vsphereVolume },
  { member: 'photonPersistentDisk', rule: SHARED.photonPersistentDisk },
  { member: 'portworxVolume', rule: SHARED.portworxVolume },
  { member: 'azureDisk', rule: SHARED.azureDisk },
  { member: 'storageos', rule: all(checkStorageNames, secretIsNamed) },
  { member: 'projected', rule: checkProjections },
  { member: 'scaleIO', rule: SHARED.scaleIO },
  { member: 'csi', rule: checkDriver },
  { member: 'ephemeral', rule: checkClaimTemplate },
];

function checkEmptyDirectory(source: CoreV1EmptyDirVolumeSource, place: string, errors: Errors): void {
  const limit = source.sizeLimit;
  if (limit !== undefined && parseQuantity(limit).nanos < 0n) {
    errors.push(forbiddenField(`${place}.sizeLimit`, 'SizeLimit field must be a valid resource quantity'));
  }
}

const PATH_TYPES = ['', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket'];

function checkHostPath(source: CoreV1HostPathVolumeSource, place: string, errors: Errors): void {
  const path = source.path ?? '';
  if (path === '') errors.push(requiredValue(`${place}.path`));
  else {
    checkNoBacksteps(path, `${place}.path`, errors);
    checkChoice(source, 'type', place, PATH_TYPES, errors);
  }
}

function checkRepository(source: CoreV1GitRepoVolumeSource, place: string, errors: Errors): void {
  checkRequired(source, 'repository', place, errors);
  checkLocalPath(source.directory ?? '', `${place}.directory`, errors);
}

function checkNfs(source: CoreV1NFSVolumeSource, place: string, errors: Errors): void {
  for (const member of ['server', 'path'] as const) checkRequired(source, member, place, errors);
  const path = source.path ?? '';
  if (!path.startsWith('/')) errors.push(invalidValue(`${place}.path`, path, 'must be an absolute path'));
}

/** `unknown`: what is said of a target's name of no known kind. */
export function iscsi(unknown: string): Rule<CoreV1ISCSIVolumeSource | CoreV1ISCSIPersistentVolumeSource> {
  return (source, place, errors) => {
    checkRequired(source, 'targetPortal', place, errors);
    const target = source.iqn ?? '';
    if (target === '') errors.push(requiredValue(`${place}.iqn`));
    else checkQualifiedTarget(target, unknown, `${place}.iqn`, errors);
    checkRange(source.lun, `${place}.lun`, 0, LAST_LUN, errors);
    const authenticates = source.chapAuthDiscovery === true || source.chapAuthSession === true;
    if (authenticates && !isSet(source, 'secretRef')) errors.push(requiredValue(`${place}.secretRef`));
    const initiator = source.initiatorName;
    if (initiator !== undefined) checkQualifiedTarget(initiator, unknown, `${place}.initiatorname`, errors);
  };
}

function checkFlocker(source: CoreV1FlockerVolumeSource, place: string, errors: Errors): void {
  const name = source.datasetName ?? '';
  const id = source.datasetUUID ?? '';
  if (name === '' && id === '') errors.push(requiredValue(place, 'one of datasetName and datasetUUID is required'));
  if (name !== '' && id !== '') {
    errors.push(invalidValue(place, 'resource', 'datasetName and datasetUUID can not be specified simultaneously'));
  }
  if (name.includes('/')) errors.push(invalidValue(`${place}.datasetName`, name, "must not contain '/'"));
}

const REGISTRIES = 'must be a host:port pair or multiple pairs separated by commas';
const LONGEST_TENANT = 64;

function checkQuobyte(source: CoreV1QuobyteVolumeSource, place: string, errors: Errors): void {
  const registry = source.registry ?? '';
  if (registry === '') errors.push(requiredValue(`${place}.registry`, REGISTRIES));
  else if (Buffer.byteLength(source.tenant ?? '') > LONGEST_TENANT) {
    errors.push(requiredValue(`${place}.tenant`, `must be a UUID and may not exceed a length of ${LONGEST_TENANT} characters`));
  } else if (registry.split(',').some((pair) => pair.split(':').length !== 2)) {
    errors.push(invalidValue(`${place}.registry`, registry, REGISTRIES));
  }
  checkRequired(source, 'volume', place, errors);
}

function checkDownward(source: CoreV1DownwardAPIVolumeSource, place: string, errors: Errors): void {
  checkMode(source, 'defaultMode', place, errors);
  checkFiles(source, place, errors);
}

function checkFibreChannel(source: CoreV1FCVolumeSource, place: string, errors: Errors): void {
  const targets = source.targetWWNs ?? [];
  const ids = source.wwids ?? [];
  const field = `${place}.targetWWNs`;
  if (targets.length === 0 && ids.length === 0) {
    errors.push(requiredValue(field, 'must specify either targetWWNs or wwids, but not both'));
  }
  if (targets.length > 0 && ids.length > 0) {
    errors.push(invalidValue(field, targets, 'targetWWNs and wwids can not be specified simultaneously'));
  }
  if (targets.length === 0) return;
  const lun = source.lun;
  if (lun === undefined) errors.push(requiredValue(`${place}.lun`, 'lun is required if targetWWNs is specified'));
  else checkRange(lun, `${place}.lun`, 0, LAST_LUN, errors);
}

function checkFlex(source: CoreV1FlexVolumeSource, place: string, errors: Errors): void {
  checkRequired(source, 'driver', place, errors);
  const options = source.options ?? {};
  for (const name of sortedKeys(options)) {
    const slash = name.indexOf('/');
    if (slash < 0 || !isProtectedGroup(name.slice(0, slash))) continue;
    errors.push(invalidValue(`${place}.options[${name}]`, name, RESERVED_DOMAINS_MESSAGE));
  }
}

function checkStorageNames(source: CoreV1StorageOSVolumeSource, place: string, errors: Errors): void {
  checkRequired(source, 'volumeName', place, errors, checkDnsLabel);
  checkOptional(source, 'volumeNamespace', place, errors, checkDnsLabel);
}

const LONGEST_DRIVER = 63;

export function checkDriverName(source: CoreV1CSIVolumeSource | CoreV1CSIPersistentVolumeSource, place: string, errors: Errors): void {
  checkDriverText(source.driver ?? '', `${place}.driver`, errors);
}

/** What a driver may be called, wherever it stands. */
export function checkDriverText(driver: string, field: string, errors: Errors): void {
  if (driver === '') errors.push(requiredValue(field));
  if (Buffer.byteLength(driver) > LONGEST_DRIVER) errors.push(tooLongValue(field, LONGEST_DRIVER));
  for (const text of checkDnsSubdomain(driver.toLowerCase())) errors.push(invalidValue(field, driver, text));
}

function checkDriver(source: CoreV1CSIVolumeSource, place: string, errors: Errors): void {
  checkDriverName(source, place, errors);
  const secret = source.nodePublishSecretRef;
  if (secret === undefined) return;
  if ((secret.name ?? '') === '') errors.push(requiredValue(`${place}.nodePublishSecretRef.name`));
  // The place lacks the reference (upstream behaviour).
  else checkFormat(secret.name ?? '', `${place}.name`, checkDnsSubdomain, errors);
}
