/** What the rules of volumes and of claims share. */
import { forbiddenField, unsupportedValue, requiredValue } from '../../../../shared/api/errors/field-error';
import { checkChoice, type Errors } from '../../rules/checks';
import { canonicalQualifiedName } from '../../../../shared/names/dialect';
import type {
  CoreV1PersistentVolume,
  CoreV1PersistentVolumeClaim,
  CoreV1PersistentVolumeClaimSpec,
  CoreV1PersistentVolumeSpec,
} from '../../../../shared/api/types/generated/members';

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
const MODES = ['Block', 'Filesystem'];
/** Where the class stood before it had a member. */
export const CLASS_ANNOTATION = 'volume.beta.platform.io/storage-class';

type Spec = CoreV1PersistentVolumeSpec | CoreV1PersistentVolumeClaimSpec;
type Holder = CoreV1PersistentVolume | CoreV1PersistentVolumeClaim;

/** `place` = the path of the spec; `text` = what is said when there are none. */
export function checkHasAccessModes(spec: Spec, place: string, errors: Errors, text = ''): void {
  if ((spec.accessModes ?? []).length === 0) errors.push(requiredValue(`${place}.accessModes`, text));
}

export function checkAccessModes(spec: Spec, place: string, errors: Errors): void {
  const field = `${place}.accessModes`;
  const modes = spec.accessModes ?? [];
  for (const mode of modes) if (!ACCESS_MODES.includes(mode)) errors.push(unsupportedValue(field, mode, ACCESS_MODES));
  if (modes.length > 1 && modes.includes('ReadWriteOncePod')) {
    errors.push(forbiddenField(field, 'may not use ReadWriteOncePod with other access modes'));
  }
}

export function checkVolumeMode(spec: Spec, place: string, errors: Errors): void {
  checkChoice(spec, 'volumeMode', place, MODES, errors);
}

/** The name, as it was given, of an annotation; undefined when there is none. */
export function annotationName(object: Holder, canonical: string): string | undefined {
  return Object.keys(object.metadata?.annotations ?? {}).find((name) => canonicalQualifiedName(name) === canonical);
}

export function carriedClassWarnings(object: Holder): readonly string[] {
  const name = annotationName(object, CLASS_ANNOTATION);
  return name === undefined ? [] : [`metadata.annotations[${name}]: deprecated since v1.8; use "storageClassName" attribute instead`];
}
