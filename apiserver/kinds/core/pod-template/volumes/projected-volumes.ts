/**
 * Validates the items of ConfigMap, Secret and downward API volumes, and projected volumes: no two sources of one
 * volume project to the same path. Whether the sources exist is not checked.
 */
import { forbiddenField, invalidShownValue, invalidValue, requiredValue } from '../../../../../shared/api/errors/field-error';
import { checkFilePath, checkRequired, type Errors } from '../../../rules/checks';
import { checkFileMode } from '../../../rules/numbers';
import { checkObjectFieldSelector, checkResourceFieldSelector, VOLUME_FIELD_PATHS } from './downward-api';
import type {
  CoreV1ConfigMapProjection,
  CoreV1ConfigMapVolumeSource,
  CoreV1DownwardAPIProjection,
  CoreV1DownwardAPIVolumeSource,
  CoreV1ProjectedVolumeSource,
  CoreV1SecretProjection,
  CoreV1SecretVolumeSource,
  CoreV1ServiceAccountTokenProjection,
  CoreV1VolumeProjection,
} from '../../../../../shared/api/types/generated/members';

type KeySource = CoreV1ConfigMapVolumeSource | CoreV1SecretVolumeSource | CoreV1ConfigMapProjection | CoreV1SecretProjection;
type FieldSource = CoreV1DownwardAPIVolumeSource | CoreV1DownwardAPIProjection;

/** `items` that map keys to paths. */
export function checkKeyItems(source: KeySource, fieldPath: string, errors: Errors): void {
  source.items?.forEach((item, index) => {
    const field = `${fieldPath}.items[${index}]`;
    checkRequired(item, 'key', field, errors);
    checkFilePath(item, 'path', field, errors);
    checkFileMode(item, 'mode', field, errors);
  });
}

/** `items` of the downward API. Their field paths have no index (upstream behaviour). */
export function checkDownwardApiItems(source: FieldSource, fieldPath: string, errors: Errors): void {
  for (const item of source.items ?? []) {
    checkFilePath(item, 'path', fieldPath, errors);
    const fieldRef = item.fieldRef;
    const resourceFieldRef = item.resourceFieldRef;
    if (fieldRef !== undefined) {
      checkObjectFieldSelector(fieldRef, `${fieldPath}.fieldRef`, VOLUME_FIELD_PATHS, errors);
      if (resourceFieldRef !== undefined) {
        errors.push(invalidValue(fieldPath, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'));
      }
    } else if (resourceFieldRef !== undefined)
      checkResourceFieldSelector(resourceFieldRef, `${fieldPath}.resourceFieldRef`, { needsContainerName: true }, errors);
    else errors.push(requiredValue(fieldPath, 'one of fieldRef and resourceFieldRef is required'));
    checkFileMode(item, 'mode', fieldPath, errors);
  }
}

export function checkProjectedVolume(source: CoreV1ProjectedVolumeSource, fieldPath: string, errors: Errors): void {
  checkFileMode(source, 'defaultMode', fieldPath, errors);
  const paths = new Set<string>();
  source.sources?.forEach((projection, index) =>
    checkProjection(projection, { volume: fieldPath, source: `${fieldPath}.sources[${index}]` }, paths, errors),
  );
}

const MIN_SECONDS = 600;
const MAX_SECONDS = 2 ** 32;

/**
 * The field paths of a projected volume and of one of its sources. Some errors of a source are reported at the volume.
 */
interface ProjectionPaths {
  readonly volume: string;
  readonly source: string;
}

/** `paths`: the paths that earlier sources project to; those of this one are added. */
function checkProjection(
  projection: CoreV1VolumeProjection,
  { volume: fieldPath, source: field }: ProjectionPaths,
  paths: Set<string>,
  errors: Errors,
): void {
  let count = 0;
  for (const member of ['secret', 'configMap'] as const) {
    const source = projection[member];
    if (source === undefined) continue;
    count += 1;
    checkRequired(source, 'name', `${field}.${member}`, errors);
    checkKeyItems(source, `${field}.${member}`, errors);
    checkDuplicatePaths(source, source.name ?? '', fieldPath, paths, errors);
  }
  const fields = projection.downwardAPI;
  if (fields !== undefined) {
    count += 1;
    checkDownwardApiItems(fields, `${field}.downwardAPI`, errors);
    checkDuplicatePaths(fields, undefined, fieldPath, paths, errors);
  }
  const token = projection.serviceAccountToken;
  if (token !== undefined) {
    count += 1;
    checkToken(token, `${field}.serviceAccountToken`, fieldPath, errors);
  }
  if (count > 1) errors.push(forbiddenField(field, 'may not specify more than 1 volume type per source'));
}

/** Two items must not have the same path. The message shows `owner`, or the path without one. */
function checkDuplicatePaths(
  source: KeySource | FieldSource,
  owner: string | undefined,
  fieldPath: string,
  paths: Set<string>,
  errors: Errors,
): void {
  for (const item of source.items ?? []) {
    const path = item.path ?? '';
    if (path === '') continue;
    if (paths.has(path)) errors.push(invalidValue(fieldPath, owner ?? path, 'conflicting duplicate paths'));
    paths.add(path);
  }
}

function checkToken(token: CoreV1ServiceAccountTokenProjection, field: string, fieldPath: string, errors: Errors): void {
  const seconds = token.expirationSeconds;
  const addError = (text: string): void => void errors.push(invalidShownValue(`${field}.expirationSeconds`, String(seconds), text));
  if (seconds !== undefined && seconds < MIN_SECONDS) addError('may not specify a duration less than 10 minutes');
  if (seconds !== undefined && seconds > MAX_SECONDS) addError('may not specify a duration larger than 2^32 seconds');
  // The field path lacks the source (upstream behaviour).
  checkFilePath(token, 'path', fieldPath, errors);
}
