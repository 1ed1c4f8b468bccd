/**
 * Validates the source of PersistentVolumes: exactly one. Most sources share the rules of Pod volumes; the others are
 * here.
 */
import { forbiddenField, requiredValue } from '../../../../shared/api/errors/field-error';
import { checkDnsLabel, checkDnsSubdomain, type NameCheck } from '../../../../shared/values/name-formats';
import { checkFormat, checkNoBacksteps, checkRequired, isSet, type Errors } from '../../rules/checks';
import { checkFirstUnionMember, type UnionMemberOf } from '../../rules/union-members';
import { UNKNOWN_ISCSI_NAME } from '../pod-template/volumes/iscsi';
import { checkCsiDriverMember, iscsiRule, requireMembers, SHARED_VOLUME_RULES } from '../pod-template/volumes/volume-sources';
import type {
  CoreV1AzureFilePersistentVolumeSource,
  CoreV1CSIPersistentVolumeSource,
  CoreV1CinderPersistentVolumeSource,
  CoreV1GlusterfsPersistentVolumeSource,
  CoreV1LocalVolumeSource,
  CoreV1PersistentVolumeSpec,
  CoreV1SecretReference,
} from '../../../../shared/api/types/generated/members';

type VolumeSpec = CoreV1PersistentVolumeSpec;

/** In upstream's order: the first source that is set is validated, and any further one is reported as forbidden. */
export const PERSISTENT_VOLUME_SOURCES: readonly UnionMemberOf<VolumeSpec>[] = [
  { member: 'hostPath', rule: SHARED_VOLUME_RULES.hostPath },
  { member: 'gcePersistentDisk', field: 'persistentDisk', rule: SHARED_VOLUME_RULES.gcePersistentDisk },
  { member: 'awsElasticBlockStore', rule: SHARED_VOLUME_RULES.awsElasticBlockStore },
  { member: 'glusterfs', rule: checkGlusterfs },
  { member: 'flocker', rule: SHARED_VOLUME_RULES.flocker },
  { member: 'nfs', rule: SHARED_VOLUME_RULES.nfs },
  { member: 'rbd', rule: SHARED_VOLUME_RULES.rbd },
  { member: 'quobyte', rule: SHARED_VOLUME_RULES.quobyte },
  { member: 'cephfs', rule: SHARED_VOLUME_RULES.cephfs },
  { member: 'iscsi', rule: iscsiRule(UNKNOWN_ISCSI_NAME.ofVolume) },
  { member: 'cinder', rule: checkCinder },
  { member: 'fc', rule: SHARED_VOLUME_RULES.fc },
  { member: 'flexVolume', rule: SHARED_VOLUME_RULES.flexVolume },
  { member: 'azureFile', rule: checkAzureFile },
  { member: 'vsphereVolume', rule: SHARED_VOLUME_RULES.vsphereVolume },
  { member: 'photonPersistentDisk', rule: SHARED_VOLUME_RULES.photonPersistentDisk },
  { member: 'portworxVolume', rule: SHARED_VOLUME_RULES.portworxVolume },
  { member: 'azureDisk', rule: SHARED_VOLUME_RULES.azureDisk },
  { member: 'scaleIO', rule: SHARED_VOLUME_RULES.scaleIO },
  { member: 'local', rule: checkLocal },
  { member: 'storageos', rule: requireMembers('volumeName') },
  { member: 'csi', rule: checkCsi },
];

/** Requires exactly one source. `fieldPath`: of the spec, which may be inline in a VolumeAttachment. */
export function checkPersistentVolumeSource(spec: VolumeSpec, errors: Errors, fieldPath = 'spec'): void {
  const count = checkFirstUnionMember(spec, fieldPath, PERSISTENT_VOLUME_SOURCES, 'may not specify more than 1 volume type', errors);
  if (count === 0) errors.push(requiredValue(fieldPath, 'must specify a volume type'));
}

const SOURCES_WITH_MOUNT_OPTIONS: readonly (keyof VolumeSpec)[] = [
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

/** Rejects the mount options annotation for sources without mount options. */
export function checkMountOptions(spec: VolumeSpec, annotation: string | undefined, errors: Errors): void {
  if (annotation === undefined || SOURCES_WITH_MOUNT_OPTIONS.some((member) => isSet(spec, member))) return;
  errors.push(forbiddenField(`metadata.annotations.${annotation}`, 'may not specify mount options for this volume type'));
}

function checkLocal(source: CoreV1LocalVolumeSource, fieldPath: string, errors: Errors): void {
  checkRequired(source, 'path', fieldPath, errors);
  checkNoBacksteps(source.path ?? '', `${fieldPath}.path`, errors);
}

function checkGlusterfs(source: CoreV1GlusterfsPersistentVolumeSource, fieldPath: string, errors: Errors): void {
  for (const member of ['endpoints', 'path'] as const) checkRequired(source, member, fieldPath, errors);
  checkNamespace(source.endpointsNamespace, `${fieldPath}.endpointsNamespace`, errors, checkDnsLabel);
}

function checkAzureFile(source: CoreV1AzureFilePersistentVolumeSource, fieldPath: string, errors: Errors): void {
  for (const member of ['secretName', 'shareName'] as const) checkRequired(source, member, fieldPath, errors);
  checkNamespace(source.secretNamespace, `${fieldPath}.secretNamespace`, errors);
}

/** A namespace that is set must not be empty. */
function checkNamespace(namespace: string | null | undefined, field: string, errors: Errors, format?: NameCheck): void {
  if (namespace === '') errors.push(requiredValue(field));
  else if (typeof namespace === 'string' && format !== undefined) checkFormat(namespace, field, format, errors);
}

function checkCinder(source: CoreV1CinderPersistentVolumeSource, fieldPath: string, errors: Errors): void {
  checkRequired(source, 'volumeID', fieldPath, errors);
  checkSecret(source.secretRef, `${fieldPath}.secretRef`, errors);
}

/** Upstream does not validate `nodeStageSecretRef`. */
const CSI_SECRET_REFS = ['controllerPublishSecretRef', 'controllerExpandSecretRef', 'nodePublishSecretRef', 'nodeExpandSecretRef'] as const;

function checkCsi(source: CoreV1CSIPersistentVolumeSource, fieldPath: string, errors: Errors): void {
  checkCsiDriverMember(source, fieldPath, errors);
  checkRequired(source, 'volumeHandle', fieldPath, errors);
  for (const member of CSI_SECRET_REFS) {
    checkSecret(source[member], `${fieldPath}.${member}`, errors, { name: checkDnsSubdomain, namespace: checkDnsLabel });
  }
}

/** PersistentVolumes have no namespace, so a Secret reference must name one. */
function checkSecret(
  secret: CoreV1SecretReference | undefined,
  fieldPath: string,
  errors: Errors,
  formats: { readonly name?: NameCheck; readonly namespace?: NameCheck } = {},
): void {
  if (secret === undefined) return;
  for (const member of ['name', 'namespace'] as const) checkRequired(secret, member, fieldPath, errors, formats[member]);
}
