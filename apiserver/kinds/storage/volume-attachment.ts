/**
 * VolumeAttachment strategy: exactly one source, and bounded attachment metadata. The spec is immutable. Attaching is
 * left to the CSI driver's attacher.
 */
import { forbiddenField, invalidShownValue, requiredValue, tooLongValue, type FieldError } from '../../../shared/api/errors/field-error';
import { equalIgnoringEmptyLists, stringifyJson } from '../../../shared/values/json';
import { checkDnsSubdomain } from '../../../shared/values/name-formats';
import { checkAccessModes, checkHasAccessModes } from '../core/claim/volume-checks';
import { checkCsiDriverName } from '../core/pod-template/volumes/volume-sources';
import { checkPersistentVolumeSource } from '../core/volume/volume-sources';
import { checkFormat, type Errors } from '../rules/checks';
import { UPDATE } from '../../registry/stages';
import type { Strategy } from '../../registry/strategy';
import type {
  CoreV1PersistentVolumeSpec,
  StorageV1VolumeAttachment,
  StorageV1VolumeAttachmentSource,
  StorageV1VolumeAttachmentSpec,
  StorageV1VolumeAttachmentStatus,
} from '../../../shared/api/types/generated/members';

const ONE_SOURCE = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
const NOT_IN_INLINE_VOLUME = 'may not be specified in the context of inline volumes';
const MAX_METADATA_BYTES = 256 * 1024;
const MAX_ERROR_LENGTH = 1_024;

export const volumeAttachment: Strategy<StorageV1VolumeAttachment> = {
  prepareForCreate(object) {
    object.status = { attached: false };
  },
  validate(object, old) {
    const errors: Errors = [];
    const { spec = {}, status = {} } = object;
    checkSpec(spec, errors);
    checkStatus(status, errors);
    if (old === undefined) checkNames(spec, errors);
    return errors;
  },
  update: { stages: UPDATE.objectTwiceThenChange, validate: validateUpdate },
  status: { stages: UPDATE.objectTwiceThenChange, validate: validateUpdate },
};

function checkSpec({ attacher = '', nodeName = '', source = {} }: StorageV1VolumeAttachmentSpec, errors: Errors): void {
  if (attacher === '') errors.push(requiredValue('spec.attacher'));
  checkSource(source, errors);
  checkFormat(nodeName, 'spec.nodeName', checkDnsSubdomain, errors);
}

function checkSource({ inlineVolumeSpec: inline, persistentVolumeName: name }: StorageV1VolumeAttachmentSource, errors: Errors): void {
  if (inline === undefined && name === undefined) errors.push(requiredValue('spec.source', ONE_SOURCE));
  else if (inline !== undefined && name !== undefined) errors.push(forbiddenField('spec.source', ONE_SOURCE));
  else if (name === '') errors.push(requiredValue('spec.source.persistentVolumeName', 'must specify non empty persistentVolumeName'));
  else if (inline !== undefined) checkInlineVolume(inline, 'spec.source.inlineVolumeSpec', errors);
}

/** An inline volume has no claim and is not provisioned, so it must not set the fields that serve these purposes. */
function checkInlineVolume(spec: CoreV1PersistentVolumeSpec, fieldPath: string, errors: Errors): void {
  const forbid = (member: string, text = NOT_IN_INLINE_VOLUME): void => {
    errors.push(forbiddenField(`${fieldPath}.${member}`, text));
  };
  if (spec.claimRef !== undefined) forbid('claimRef');
  if (Object.keys(spec.capacity ?? {}).length > 0) forbid('capacity');
  if (spec.csi === undefined) errors.push(requiredValue(`${fieldPath}.csi`, 'has to be specified in the context of inline volumes'));
  checkHasAccessModes(spec, fieldPath, errors);
  checkAccessModes(spec, fieldPath, errors);
  const policy = spec.persistentVolumeReclaimPolicy ?? '';
  if (policy !== '' && policy !== 'Retain') forbid('persistentVolumeReclaimPolicy', 'may only be Retain in the context of inline volumes');
  if (spec.nodeAffinity !== undefined) forbid('nodeAffinity');
  checkPersistentVolumeSource(spec, errors, fieldPath);
  if ((spec.storageClassName ?? '') !== '') forbid('storageClassName');
  if (spec.volumeMode !== undefined && spec.volumeMode !== 'Filesystem') {
    forbid('volumeMode', 'may not specify volumeMode other than Filesystem in the context of inline volumes');
  }
}

function checkStatus({ attachmentMetadata = {}, attachError, detachError }: StorageV1VolumeAttachmentStatus, errors: Errors): void {
  let bytes = 0;
  for (const [key, value] of Object.entries(attachmentMetadata)) bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  if (bytes > MAX_METADATA_BYTES) errors.push(tooLongValue('status.attachmentMetadata', MAX_METADATA_BYTES));
  for (const [member, error] of Object.entries({ attachError, detachError })) {
    // The limit in the message is that of the metadata (upstream behaviour).
    if (Buffer.byteLength(error?.message ?? '') > MAX_ERROR_LENGTH) {
      errors.push(tooLongValue(`status.${member}.message`, MAX_METADATA_BYTES));
    }
  }
}

/** Called only at creation, because older objects were not validated. */
function checkNames({ attacher = '', source }: StorageV1VolumeAttachmentSpec, errors: Errors): void {
  checkCsiDriverName(attacher, 'spec.attacher', errors);
  const name = source?.persistentVolumeName ?? undefined;
  if (name !== undefined) checkFormat(name, 'spec.source.persistentVolumeName', checkDnsSubdomain, errors);
}

function validateUpdate({ spec = {} }: StorageV1VolumeAttachment, { spec: old = {} }: StorageV1VolumeAttachment): readonly FieldError[] {
  return equalIgnoringEmptyLists(spec, old) ? [] : [invalidShownValue('spec', stringifyJson(spec), 'field is immutable')];
}
