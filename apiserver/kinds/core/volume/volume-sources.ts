/** What a PersistentVolume may be made of. Most sources are a pod's as well, and have its rule. */
import { forbiddenField, requiredValue } from '../../../../shared/api/errors/field-error';
import { checkDnsLabel, checkDnsSubdomain, type NameCheck } from '../../../../shared/values/name-formats';
import { checkFormat, checkNoBacksteps, checkRequired, isSet, type Errors } from '../../rules/checks';
import { checkFirstPart, type PartOf } from '../../rules/parts';
import { UNKNOWN_TARGET } from '../pod-template/iscsi';
import { checkDriverName, iscsi, needs, SHARED } from '../pod-template/volume-sources';
import type {
  CoreV1AzureFilePersistentVolumeSource,
  CoreV1CSIPersistentVolumeSource,
  CoreV1CinderPersistentVolumeSource,
  CoreV1GlusterfsPersistentVolumeSource,
  CoreV1LocalVolumeSource,
  CoreV1PersistentVolumeSpec,
  CoreV1SecretReference,
} from '../../../../shared/api/types/generated/members';

type Sourced = CoreV1PersistentVolumeSpec;

/** Sources in upstream's order, which decides which of two is one too many. */
export const SOURCES: readonly PartOf<Sourced>[] = [
  { member: 'hostPath', rule: SHARED.hostPath },
  { member: 'gcePersistentDisk', field: 'persistentDisk', rule: SHARED.gcePersistentDisk },
  { member: 'awsElasticBlockStore', rule: SHARED.awsElasticBlockStore },
  { member: 'glusterfs', rule: checkGlusterfs },
  { member: 'flocker', rule: SHARED.flocker },
  { member: 'nfs', rule: SHARED.nfs },
  { member: 'rbd', rule: SHARED.rbd },
  { member: 'quobyte', rule: SHARED.quobyte },
  { member: 'cephfs', rule: SHARED.cephfs },
  { member: 'iscsi', rule: iscsi(UNKNOWN_TARGET.ofVolume) },
  { member: 'cinder', rule: checkCinder },
  { member: 'fc', rule: SHARED.fc },
  { member: 'flexVolume', rule: SHARED.flexVolume },
  { member: 'azureFile', rule: checkAzureFile },
  { member: 'vsphereVolume', rule: SHARED.vsphereVolume },
  { member: 'photonPersistentDisk', rule: SHARED.photonPersistentDisk },
  { member: 'portworxVolume', rule: SHARED.portworxVolume },
  { member: 'azureDisk', rule: SHARED.azureDisk },
  { member: 'scaleIO', rule: SHARED.scaleIO },
  { member: 'local', rule: checkLocal },
  { member: 'storageos', rule: needs('volumeName') },
  { member: 'csi', rule: checkDriver },
];

/** The sources of a volume's `spec`; more than one is refused, and so is none. */
export function checkSources(spec: Sourced, errors: Errors, place = 'spec'): void {
  const found = checkFirstPart(spec, place, SOURCES, 'may not specify more than 1 volume type', errors);
  if (found === 0) errors.push(requiredValue(place, 'must specify a volume type'));
}

/** They are mounted in a way that has options. */
const TAKE_OPTIONS: readonly (keyof Sourced)[] = [
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'nfs',
  'rbd',
  'quobyte',
  'cephfs',
  'iscsi',
  'cinder',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'azureDisk',
];

/** The annotation with mount options, where it means nothing to the source of `spec`. */
export function checkMountOptions(spec: Sourced, annotation: string | undefined, errors: Errors): void {
  if (annotation === undefined || TAKE_OPTIONS.some((member) => isSet(spec, member))) return;
  errors.push(forbiddenField(`metadata.annotations.${annotation}`, 'may not specify mount options for this volume type'));
}

function checkLocal(source: CoreV1LocalVolumeSource, place: string, errors: Errors): void {
  checkRequired(source, 'path', place, errors);
  checkNoBacksteps(source.path ?? '', `${place}.path`, errors);
}

function checkGlusterfs(source: CoreV1GlusterfsPersistentVolumeSource, place: string, errors: Errors): void {
  for (const member of ['endpoints', 'path'] as const) checkRequired(source, member, place, errors);
  checkNamespace(source.endpointsNamespace, `${place}.endpointsNamespace`, errors, checkDnsLabel);
}

function checkAzureFile(source: CoreV1AzureFilePersistentVolumeSource, place: string, errors: Errors): void {
  for (const member of ['secretName', 'shareName'] as const) checkRequired(source, member, place, errors);
  checkNamespace(source.secretNamespace, `${place}.secretNamespace`, errors);
}

/** A namespace that is named has a name. */
function checkNamespace(namespace: string | null | undefined, field: string, errors: Errors, format?: NameCheck): void {
  if (namespace === '') errors.push(requiredValue(field));
  else if (typeof namespace === 'string' && format !== undefined) checkFormat(namespace, field, format, errors);
}

function checkCinder(source: CoreV1CinderPersistentVolumeSource, place: string, errors: Errors): void {
  checkRequired(source, 'volumeID', place, errors);
  checkSecret(source.secretRef, `${place}.secretRef`, errors);
}

/** Upstream does not look at the reference for staging. */
const DRIVER_SECRETS = ['controllerPublishSecretRef', 'controllerExpandSecretRef', 'nodePublishSecretRef', 'nodeExpandSecretRef'] as const;

function checkDriver(source: CoreV1CSIPersistentVolumeSource, place: string, errors: Errors): void {
  checkDriverName(source, place, errors);
  checkRequired(source, 'volumeHandle', place, errors);
  for (const member of DRIVER_SECRETS)
    checkSecret(source[member], `${place}.${member}`, errors, { name: checkDnsSubdomain, namespace: checkDnsLabel });
}

/** A reference to a Secret from outside any namespace names that of the Secret. */
function checkSecret(
  secret: CoreV1SecretReference | undefined,
  place: string,
  errors: Errors,
  formats: { readonly name?: NameCheck; readonly namespace?: NameCheck } = {},
): void {
  if (secret === undefined) return;
  for (const member of ['name', 'namespace'] as const) checkRequired(secret, member, place, errors, formats[member]);
}
