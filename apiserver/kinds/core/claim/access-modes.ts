/** What the rules of volumes and of claims share. */
import { forbiddenField, notSupported, required, type FieldError } from '../../../../shared/api/errors/field-error';
import { type JsonObject, objectAt, stringAt, stringsAt } from '../../../../shared/values/json';
import { readMetadata } from '../../../../shared/api/metadata/object-meta';
import { canonicalQualifiedName } from '../../../../shared/names/dialect';

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
const MODES = ['Block', 'Filesystem'];
/** Where the class stood before it had a member. */
export const CLASS_ANNOTATION = 'volume.beta.platform.io/storage-class';

/** `place` = the path of the spec; `text` = what is said when there are none. */
export function noAccessModes(spec: JsonObject, place: string, text = ''): readonly FieldError[] {
  return stringsAt(spec, 'accessModes').length === 0 ? [required(`${place}.accessModes`, text)] : [];
}

export function accessModeErrors(spec: JsonObject, place: string): readonly FieldError[] {
  const field = `${place}.accessModes`;
  const modes = stringsAt(spec, 'accessModes');
  const errors = modes.filter((mode) => !ACCESS_MODES.includes(mode)).map((mode) => notSupported(field, mode, ACCESS_MODES));
  const isExclusive = modes.includes('ReadWriteOncePod') && modes.length > 1;
  return isExclusive ? [...errors, forbiddenField(field, 'may not use ReadWriteOncePod with other access modes')] : errors;
}

export function volumeModeErrors(spec: JsonObject, place: string): readonly FieldError[] {
  const mode = stringAt(spec, 'volumeMode');
  return mode === undefined || MODES.includes(mode) ? [] : [notSupported(`${place}.volumeMode`, mode, MODES)];
}

/** The name, as it was given, of an annotation; undefined when there is none. */
export function annotationName(object: JsonObject, canonical: string): string | undefined {
  return Object.keys(objectAt(readMetadata(object), 'annotations') ?? {}).find((name) => canonicalQualifiedName(name) === canonical);
}

export function carriedClassWarnings(object: JsonObject): readonly string[] {
  const name = annotationName(object, CLASS_ANNOTATION);
  return name === undefined ? [] : [`metadata.annotations[${name}]: deprecated since v1.8; use "storageClassName" attribute instead`];
}
