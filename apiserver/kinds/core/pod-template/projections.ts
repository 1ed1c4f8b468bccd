/** Volumes of files: keys of ConfigMaps and Secrets, fields of the pod, tokens, and several of them in one. */
import { forbiddenField, invalidShownValue, invalidValue, requiredValue } from '../../../../shared/api/errors/field-error';
import { checkFilePath, checkRequired, type Errors } from '../../rules/checks';
import { checkMode } from '../../rules/numbers';
import { checkFieldReference, checkResourceReference, FILE_FIELDS } from './downward';
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
} from '../../../../shared/api/types/generated/members';

type KeySource = CoreV1ConfigMapVolumeSource | CoreV1SecretVolumeSource | CoreV1ConfigMapProjection | CoreV1SecretProjection;
type FieldSource = CoreV1DownwardAPIVolumeSource | CoreV1DownwardAPIProjection;

/** `items` that give keys a path. */
export function checkKeys(source: KeySource, place: string, errors: Errors): void {
  source.items?.forEach((item, index) => {
    const field = `${place}.items[${index}]`;
    checkRequired(item, 'key', field, errors);
    checkFilePath(item, 'path', field, errors);
    checkMode(item, 'mode', field, errors);
  });
}

/** `items` that show fields of the pod; their places have no index (upstream behaviour). */
export function checkFiles(source: FieldSource, place: string, errors: Errors): void {
  for (const item of source.items ?? []) {
    checkFilePath(item, 'path', place, errors);
    const ofField = item.fieldRef;
    const ofResource = item.resourceFieldRef;
    if (ofField !== undefined) {
      checkFieldReference(ofField, `${place}.fieldRef`, FILE_FIELDS, errors);
      if (ofResource !== undefined) {
        errors.push(invalidValue(place, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'));
      }
    } else if (ofResource !== undefined) checkResourceReference(ofResource, `${place}.resourceFieldRef`, true, errors);
    else errors.push(requiredValue(place, 'one of fieldRef and resourceFieldRef is required'));
    checkMode(item, 'mode', place, errors);
  }
}

export function checkProjections(source: CoreV1ProjectedVolumeSource, place: string, errors: Errors): void {
  checkMode(source, 'defaultMode', place, errors);
  const paths = new Set<string>();
  source.sources?.forEach((projection, index) => checkProjection(projection, place, index, paths, errors));
}

const LEAST_SECONDS = 600;
const MOST_SECONDS = 2 ** 32;

function checkProjection(projection: CoreV1VolumeProjection, place: string, index: number, paths: Set<string>, errors: Errors): void {
  const field = `${place}.sources[${index}]`;
  let found = 0;
  for (const member of ['secret', 'configMap'] as const) {
    const source = projection[member];
    if (source === undefined) continue;
    found += 1;
    checkRequired(source, 'name', `${field}.${member}`, errors);
    checkKeys(source, `${field}.${member}`, errors);
    checkPaths(source, source.name ?? '', place, paths, errors);
  }
  const fields = projection.downwardAPI;
  if (fields !== undefined) {
    found += 1;
    checkFiles(fields, `${field}.downwardAPI`, errors);
    checkPaths(fields, undefined, place, paths, errors);
  }
  const token = projection.serviceAccountToken;
  if (token !== undefined) {
    found += 1;
    checkToken(token, `${field}.serviceAccountToken`, place, errors);
  }
  if (found > 1) errors.push(forbiddenField(field, 'may not specify more than 1 volume type per source'));
}

/** Two files in one place; messages name what the second one comes from, or the path. */
function checkPaths(source: KeySource | FieldSource, owner: string | undefined, place: string, paths: Set<string>, errors: Errors): void {
  for (const item of source.items ?? []) {
    const path = item.path ?? '';
    if (path === '') continue;
    if (paths.has(path)) errors.push(invalidValue(place, owner ?? path, 'conflicting duplicate paths'));
    paths.add(path);
  }
}

function checkToken(token: CoreV1ServiceAccountTokenProjection, field: string, place: string, errors: Errors): void {
  const seconds = token.expirationSeconds;
  const say = (text: string): void => void errors.push(invalidShownValue(`${field}.expirationSeconds`, String(seconds), text));
  if (seconds !== undefined && seconds < LEAST_SECONDS) say('may not specify a duration less than 10 minutes');
  if (seconds !== undefined && seconds > MOST_SECONDS) say('may not specify a duration larger than 2^32 seconds');
  // The place lacks the source (upstream behaviour).
  checkFilePath(token, 'path', place, errors);
}
