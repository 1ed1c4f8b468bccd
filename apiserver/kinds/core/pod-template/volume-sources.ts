/** What a volume may be made of: a rule for each source, in the order in which they are looked at. */
import { forbiddenField, invalidValue, required, tooLong } from '../../../../shared/api/errors/field-error';
import { type JsonObject, objectAt, own, sortedKeys, stringAt, stringsAt } from '../../../../shared/values/json';
import { dnsLabel, dnsSubdomain } from '../../../../shared/values/name-formats';
import { parseQuantity } from '../../../../shared/values/quantity';
import { isProtectedGroup, RESERVED_DOMAINS } from '../../../../shared/names/dialect';
import {
  checkChoice,
  checkFormat,
  checkLocalPath,
  checkMode,
  checkNoBacksteps,
  checkOptional,
  checkRange,
  checkRequired,
  integerAt,
  isSet,
  textAt,
  type Errors,
} from '../../rules/checks';
import { checkClaimTemplate } from './claim-template';
import { checkDiskUri } from './azure-disk';
import { checkFiles, checkKeys, checkProjections } from './projections';
import { checkQualifiedTarget, UNKNOWN_TARGET } from './iscsi';

export type SourceRule = (source: JsonObject, place: string, errors: Errors) => void;

interface Source {
  readonly member: string;
  /** How messages call the member, where they call it otherwise; `secondAs` when it is one source too many. */
  readonly field?: string;
  readonly secondAs?: string;
  readonly rule: SourceRule;
}

const LAST_PARTITION = 255;
const LAST_LUN = 255;

/** Members that have to have a text. */
export const needs =
  (...members: readonly string[]): SourceRule =>
  (source, place, errors) => {
    for (const member of members) checkRequired(source, member, place, errors);
  };

/** A reference to a Secret that is there has a name. */
const secretIsNamed: SourceRule = (source, place, errors) => {
  const secret = objectAt(source, 'secretRef');
  if (secret !== undefined) checkRequired(secret, 'name', `${place}.secretRef`, errors);
};

export const all =
  (...rules: readonly SourceRule[]): SourceRule =>
  (source, place, errors) => {
    for (const rule of rules) rule(source, place, errors);
  };

const needsOneOf =
  (member: string): SourceRule =>
  (source, place, errors) => {
    if (stringsAt(source, member).length === 0) errors.push(required(`${place}.${member}`));
  };

const partition: SourceRule = (source, place, errors) => {
  const number = integerAt(source, 'partition');
  if (number !== 0) checkRange(number, `${place}.partition`, 1, LAST_PARTITION, errors);
};

const keysOf =
  (name: string): SourceRule =>
  (source, place, errors) => {
    checkRequired(source, name, place, errors);
    checkMode(source, 'defaultMode', place, errors);
    checkKeys(source, place, errors);
  };

export const SOURCES: readonly Source[] = [
  { member: 'emptyDir', rule: checkEmptyDirectory },
  { member: 'hostPath', rule: checkHostPath },
  { member: 'gitRepo', rule: checkRepository },
  { member: 'gcePersistentDisk', field: 'persistentDisk', secondAs: 'gcePersistentDisk', rule: all(needs('pdName'), partition) },
  { member: 'awsElasticBlockStore', rule: all(needs('volumeID'), partition) },
  { member: 'secret', rule: keysOf('secretName') },
  { member: 'nfs', rule: checkNfs },
  { member: 'iscsi', rule: iscsi(UNKNOWN_TARGET.ofPod) },
  { member: 'glusterfs', rule: needs('endpoints', 'path') },
  { member: 'flocker', rule: checkFlocker },
  { member: 'persistentVolumeClaim', rule: needs('claimName') },
  { member: 'rbd', rule: all(needsOneOf('monitors'), needs('image')) },
  { member: 'cinder', rule: all(needs('volumeID'), secretIsNamed) },
  { member: 'cephfs', secondAs: 'cephFS', rule: needsOneOf('monitors') },
  { member: 'quobyte', rule: checkQuobyte },
  { member: 'downwardAPI', secondAs: 'downwarAPI', rule: checkDownward },
  { member: 'fc', rule: checkFibreChannel },
  { member: 'flexVolume', rule: checkFlex },
  { member: 'configMap', rule: keysOf('name') },
  { member: 'azureFile', rule: needs('secretName', 'shareName') },
  { member: 'vsphereVolume', rule: needs('volumePath') },
  { member: 'photonPersistentDisk', rule: needs('pdID') },
  { member: 'portworxVolume', rule: needs('volumeID') },
  { member: 'azureDisk', rule: checkDiskUri },
  { member: 'storageos', rule: all(checkStorageNames, secretIsNamed) },
  { member: 'projected', rule: checkProjections },
  { member: 'scaleIO', rule: needs('gateway', 'system', 'volumeName') },
  { member: 'csi', rule: checkDriver },
  { member: 'ephemeral', rule: checkClaimTemplate },
];

/** The rule of a source that a volume of the cluster may have as well. */
export function ruleOf(member: string): SourceRule | undefined {
  return SOURCES.find((source) => source.member === member)?.rule;
}

function checkEmptyDirectory(source: JsonObject, place: string, errors: Errors): void {
  const limit = stringAt(source, 'sizeLimit');
  if (limit !== undefined && parseQuantity(limit).nanos < 0n) {
    errors.push(forbiddenField(`${place}.sizeLimit`, 'SizeLimit field must be a valid resource quantity'));
  }
}

const PATH_TYPES = ['', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket'];

function checkHostPath(source: JsonObject, place: string, errors: Errors): void {
  const path = textAt(source, 'path');
  if (path === '') errors.push(required(`${place}.path`));
  else {
    checkNoBacksteps(path, `${place}.path`, errors);
    checkChoice(source, 'type', place, PATH_TYPES, errors);
  }
}

function checkRepository(source: JsonObject, place: string, errors: Errors): void {
  checkRequired(source, 'repository', place, errors);
  checkLocalPath(textAt(source, 'directory'), `${place}.directory`, errors);
}

function checkNfs(source: JsonObject, place: string, errors: Errors): void {
  needs('server', 'path')(source, place, errors);
  const path = textAt(source, 'path');
  if (!path.startsWith('/')) errors.push(invalidValue(`${place}.path`, path, 'must be an absolute path'));
}

/** `unknown`: what is said of a target's name of no known kind. */
export function iscsi(unknown: string): SourceRule {
  return (source, place, errors) => {
    needs('targetPortal')(source, place, errors);
    const target = textAt(source, 'iqn');
    if (target === '') errors.push(required(`${place}.iqn`));
    else checkQualifiedTarget(target, unknown, `${place}.iqn`, errors);
    checkRange(integerAt(source, 'lun'), `${place}.lun`, 0, LAST_LUN, errors);
    const authenticates = own(source, 'chapAuthDiscovery') === true || own(source, 'chapAuthSession') === true;
    if (authenticates && !isSet(source, 'secretRef')) errors.push(required(`${place}.secretRef`));
    const initiator = stringAt(source, 'initiatorName');
    if (initiator !== undefined) checkQualifiedTarget(initiator, unknown, `${place}.initiatorname`, errors);
  };
}

function checkFlocker(source: JsonObject, place: string, errors: Errors): void {
  const name = textAt(source, 'datasetName');
  const id = textAt(source, 'datasetUUID');
  if (name === '' && id === '') errors.push(required(place, 'one of datasetName and datasetUUID is required'));
  if (name !== '' && id !== '') {
    errors.push(invalidValue(place, 'resource', 'datasetName and datasetUUID can not be specified simultaneously'));
  }
  if (name.includes('/')) errors.push(invalidValue(`${place}.datasetName`, name, "must not contain '/'"));
}

const REGISTRIES = 'must be a host:port pair or multiple pairs separated by commas';
const LONGEST_TENANT = 64;

function checkQuobyte(source: JsonObject, place: string, errors: Errors): void {
  const registry = textAt(source, 'registry');
  if (registry === '') errors.push(required(`${place}.registry`, REGISTRIES));
  else if (Buffer.byteLength(textAt(source, 'tenant')) > LONGEST_TENANT) {
    errors.push(required(`${place}.tenant`, `must be a UUID and may not exceed a length of ${LONGEST_TENANT} characters`));
  } else if (registry.split(',').some((pair) => pair.split(':').length !== 2)) {
    errors.push(invalidValue(`${place}.registry`, registry, REGISTRIES));
  }
  needs('volume')(source, place, errors);
}

function checkDownward(source: JsonObject, place: string, errors: Errors): void {
  checkMode(source, 'defaultMode', place, errors);
  checkFiles(source, place, errors);
}

function checkFibreChannel(source: JsonObject, place: string, errors: Errors): void {
  const targets = stringsAt(source, 'targetWWNs');
  const ids = stringsAt(source, 'wwids');
  const field = `${place}.targetWWNs`;
  if (targets.length === 0 && ids.length === 0) {
    errors.push(required(field, 'must specify either targetWWNs or wwids, but not both'));
  }
  if (targets.length > 0 && ids.length > 0) {
    errors.push(invalidValue(field, targets, 'targetWWNs and wwids can not be specified simultaneously'));
  }
  if (targets.length === 0) return;
  const lun = integerAt(source, 'lun');
  if (lun === undefined) errors.push(required(`${place}.lun`, 'lun is required if targetWWNs is specified'));
  else checkRange(lun, `${place}.lun`, 0, LAST_LUN, errors);
}

function checkFlex(source: JsonObject, place: string, errors: Errors): void {
  checkRequired(source, 'driver', place, errors);
  const options = objectAt(source, 'options') ?? {};
  for (const name of sortedKeys(options)) {
    const slash = name.indexOf('/');
    if (slash < 0 || !isProtectedGroup(name.slice(0, slash))) continue;
    errors.push(invalidValue(`${place}.options[${name}]`, name, RESERVED_DOMAINS));
  }
}

function checkStorageNames(source: JsonObject, place: string, errors: Errors): void {
  checkRequired(source, 'volumeName', place, errors, dnsLabel);
  checkOptional(source, 'volumeNamespace', place, errors, dnsLabel);
}

const LONGEST_DRIVER = 63;

export function checkDriverName(source: JsonObject, place: string, errors: Errors): void {
  const driver = textAt(source, 'driver');
  const field = `${place}.driver`;
  if (driver === '') errors.push(required(field));
  if (Buffer.byteLength(driver) > LONGEST_DRIVER) errors.push(tooLong(field, LONGEST_DRIVER));
  for (const text of dnsSubdomain(driver.toLowerCase())) errors.push(invalidValue(field, driver, text));
}

function checkDriver(source: JsonObject, place: string, errors: Errors): void {
  checkDriverName(source, place, errors);
  const secret = objectAt(source, 'nodePublishSecretRef');
  if (secret === undefined) return;
  if (textAt(secret, 'name') === '') errors.push(required(`${place}.nodePublishSecretRef.name`));
  // The place lacks the reference (upstream behaviour).
  else checkFormat(textAt(secret, 'name'), `${place}.name`, dnsSubdomain, errors);
}
