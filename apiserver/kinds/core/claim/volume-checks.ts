/**
 * Rules that PersistentVolumes and PersistentVolumeClaims share: access modes, the volume mode, and the deprecated
 * annotation of the storage class.
 */
import { BETA_STORAGE_CLASS } from '../../../../shared/names/storage';
import { forbiddenField, unsupportedValue, requiredValue } from '../../../../shared/api/errors/field-error';
import { checkEnum, type Errors } from '../../rules/checks';
import { canonicalQualifiedName } from '../../../../shared/names/dialect';
import type {
  CoreV1PersistentVolume,
  CoreV1PersistentVolumeClaim,
  CoreV1PersistentVolumeClaimSpec,
  CoreV1PersistentVolumeSpec,
} from '../../../../shared/api/types/generated/members';

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
const VOLUME_MODES = ['Block', 'Filesystem'];

type VolumeOrClaimSpec = CoreV1PersistentVolumeSpec | CoreV1PersistentVolumeClaimSpec;
type VolumeOrClaim = CoreV1PersistentVolume | CoreV1PersistentVolumeClaim;

/** `fieldPath` is the path of the spec; `text` is the detail of the error. */
export function checkHasAccessModes(spec: VolumeOrClaimSpec, fieldPath: string, errors: Errors, text = ''): void {
  if ((spec.accessModes ?? []).length === 0) errors.push(requiredValue(`${fieldPath}.accessModes`, text));
}

export function checkAccessModes(spec: VolumeOrClaimSpec, fieldPath: string, errors: Errors): void {
  const field = `${fieldPath}.accessModes`;
  const modes = spec.accessModes ?? [];
  for (const mode of modes) {
    if (!ACCESS_MODES.includes(mode)) errors.push(unsupportedValue(field, mode, ACCESS_MODES));
  }
  if (modes.length > 1 && modes.includes('ReadWriteOncePod')) {
    errors.push(forbiddenField(field, 'may not use ReadWriteOncePod with other access modes'));
  }
}

export function checkVolumeMode(spec: VolumeOrClaimSpec, fieldPath: string, errors: Errors): void {
  checkEnum(spec, 'volumeMode', fieldPath, VOLUME_MODES, errors);
}

/** The name of an annotation as the object spells it; `undefined` when the object does not have it. */
export function findAnnotationName(object: VolumeOrClaim, canonicalName: string): string | undefined {
  return Object.keys(object.metadata?.annotations ?? {}).find((name) => canonicalQualifiedName(name) === canonicalName);
}

export function betaStorageClassWarnings(object: VolumeOrClaim): readonly string[] {
  const name = findAnnotationName(object, BETA_STORAGE_CLASS);
  return name === undefined ? [] : [`metadata.annotations[${name}]: deprecated since v1.8; use "storageClassName" attribute instead`];
}
