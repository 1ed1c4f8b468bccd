/**
 * Validates the items of ConfigMap, Secret and downward API volumes, and projected volumes: no two items of one
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
  CoreV1DownwardAPIVolumeFile,
  CoreV1DownwardAPIVolumeSource,
  CoreV1ProjectedVolumeSource,
  CoreV1SecretProjection,
  CoreV1SecretVolumeSource,
  CoreV1ServiceAccountTokenProjection,
  CoreV1VolumeProjection,
} from '../../../../../shared/api/types/generated/members';

/** A source with items that map keys to paths. */
type KeySource = CoreV1ConfigMapVolumeSource | CoreV1SecretVolumeSource | CoreV1ConfigMapProjection | CoreV1SecretProjection;
/** A source with items that map fields and resources of the Pod to paths. */
type FieldSource = CoreV1DownwardAPIVolumeSource | CoreV1DownwardAPIProjection;

const MIN_TOKEN_SECONDS = 600;
const MAX_TOKEN_SECONDS = 2 ** 32;

/** Validates the `items` of a ConfigMap or Secret, which map keys to paths. */
export function checkKeyItems(source: KeySource, fieldPath: string, errors: Errors): void {
  source.items?.forEach((item, index) => {
    const field = `${fieldPath}.items[${index}]`;
    checkRequired(item, 'key', field, errors);
    checkFilePath(item, 'path', field, errors);
    checkFileMode(item, 'mode', field, errors);
  });
}

/** Validates the `items` of the downward API. The field paths have no index (upstream behaviour). */
export function checkDownwardApiItems(source: FieldSource, fieldPath: string, errors: Errors): void {
  for (const item of source.items ?? []) {
    checkFilePath(item, 'path', fieldPath, errors);
    checkDownwardApiReference(item, fieldPath, errors);
    checkFileMode(item, 'mode', fieldPath, errors);
  }
}

/** Requires a reference to either a field or a resource of the Pod. */
function checkDownwardApiReference({ fieldRef, resourceFieldRef }: CoreV1DownwardAPIVolumeFile, fieldPath: string, errors: Errors): void {
  if (fieldRef !== undefined) {
    checkObjectFieldSelector(fieldRef, `${fieldPath}.fieldRef`, VOLUME_FIELD_PATHS, errors);
    // The error shows `resource`, which is no value of the item (upstream behaviour).
    if (resourceFieldRef !== undefined) {
      errors.push(invalidValue(fieldPath, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'));
    }
  } else if (resourceFieldRef !== undefined) {
    checkResourceFieldSelector(resourceFieldRef, `${fieldPath}.resourceFieldRef`, { needsContainerName: true }, errors);
  } else errors.push(requiredValue(fieldPath, 'one of fieldRef and resourceFieldRef is required'));
}

export function checkProjectedVolume(source: CoreV1ProjectedVolumeSource, fieldPath: string, errors: Errors): void {
  checkFileMode(source, 'defaultMode', fieldPath, errors);
  const usedPaths = new Set<string>();
  source.sources?.forEach((projection, index) =>
    checkProjection(projection, { volumePath: fieldPath, sourcePath: `${fieldPath}.sources[${index}]` }, usedPaths, errors),
  );
}

/**
 * The field paths of a projected volume and of one of its sources. Some errors of a source are reported at the volume.
 */
interface ProjectionPaths {
  readonly volumePath: string;
  readonly sourcePath: string;
}

/** `usedPaths`: the files that earlier sources project to; those of this one are added. */
function checkProjection(
  projection: CoreV1VolumeProjection,
  { volumePath, sourcePath }: ProjectionPaths,
  usedPaths: Set<string>,
  errors: Errors,
): void {
  // A `clusterTrustBundle` is not counted: its feature is disabled, so it is dropped before validation.
  let count = 0;
  for (const member of ['secret', 'configMap'] as const) {
    const source = projection[member];
    if (source === undefined) continue;
    count += 1;
    checkRequired(source, 'name', `${sourcePath}.${member}`, errors);
    checkKeyItems(source, `${sourcePath}.${member}`, errors);
    // The message shows the name of the source instead of the path (upstream behaviour).
    checkPathsUnused(source, { volumePath, shown: source.name ?? '' }, usedPaths, errors);
  }
  const fields = projection.downwardAPI;
  if (fields !== undefined) {
    count += 1;
    checkDownwardApiItems(fields, `${sourcePath}.downwardAPI`, errors);
    checkPathsUnused(fields, { volumePath }, usedPaths, errors);
  }
  const token = projection.serviceAccountToken;
  if (token !== undefined) {
    count += 1;
    checkToken(token, { volumePath, sourcePath }, errors);
  }
  if (count > 1) errors.push(forbiddenField(sourcePath, 'may not specify more than 1 volume type per source'));
}

/** Two items must not have the same path. `shown`: the value in messages; by default the path. */
function checkPathsUnused(
  source: KeySource | FieldSource,
  { volumePath, shown }: { readonly volumePath: string; readonly shown?: string },
  usedPaths: Set<string>,
  errors: Errors,
): void {
  for (const item of source.items ?? []) {
    const path = item.path ?? '';
    if (path === '') continue;
    if (usedPaths.has(path)) errors.push(invalidValue(volumePath, shown ?? path, 'conflicting duplicate paths'));
    usedPaths.add(path);
  }
}

function checkToken(token: CoreV1ServiceAccountTokenProjection, { volumePath, sourcePath }: ProjectionPaths, errors: Errors): void {
  const seconds = token.expirationSeconds;
  const field = `${sourcePath}.serviceAccountToken.expirationSeconds`;
  const addError = (text: string): void => {
    errors.push(invalidShownValue(field, String(seconds), text));
  };
  if (seconds !== undefined && seconds < MIN_TOKEN_SECONDS) addError('may not specify a duration less than 10 minutes');
  if (seconds !== undefined && seconds > MAX_TOKEN_SECONDS) addError('may not specify a duration larger than 2^32 seconds');
  // The field path lacks the source (upstream behaviour).
  checkFilePath(token, 'path', volumePath, errors);
}
