/**
 * What is taken over of a converted object: all but its identity and the server's part of its metadata, which a webhook cannot change. Pure; faults are told in
 * upstream's words.
 */
import type { FieldError } from '../../shared/api/errors/field-error';
import { readMetadata } from '../../shared/api/metadata/object-meta';
import { validateAnnotations, validateLabels } from '../../shared/api/metadata/object-meta-rules';
import { canonicalApiVersion } from '../../shared/names/dialect';
import { isObject, own, stringAt, stringifyJson, type JsonObject, type JsonValue } from '../../shared/values/json';
import { bareFault, objectFault, type ConversionFault } from './conversion-failure';
import { goType } from './review-response';

export interface WantedKind {
  /** In canonical spelling. */
  readonly apiVersion: string;
  readonly kind: string;
}

/** `original` is what was sent, without kind and apiVersion; so is the result. Neither is changed, and the result shares what they have. */
export function takenOver(original: JsonObject, converted: JsonValue, wanted: WantedKind, index: number): JsonObject | ConversionFault {
  const misfit = typeFault(converted, wanted, index);
  if (misfit !== undefined || !isObject(converted)) return misfit ?? bareFault('unexpected end of JSON input');
  const found = own(converted, 'metadata') ?? {};
  const metadata = isObject(found) ? found : {};
  const before = readMetadata(original);
  const changed = identityFault(before, metadata) ?? metadataFault(metadata);
  if (changed !== undefined) return changed;
  const { labels: _, annotations: __, ...kept } = before;
  const { apiVersion: ___, kind: ____, ...members } = converted;
  return { ...members, metadata: { ...kept, ...mapAt(metadata, 'labels'), ...mapAt(metadata, 'annotations') } };
}

function mapAt(metadata: JsonObject, member: string): JsonObject {
  const map = own(metadata, member);
  return isObject(map) ? { [member]: map } : {};
}

/** Whether an object is of the kind and version that are wanted, as far as that can be seen without a closer look. */
export const isOfKind = (converted: JsonObject, { apiVersion, kind }: WantedKind): boolean =>
  converted['kind'] === kind && converted['apiVersion'] === apiVersion;

function typeFault(converted: JsonValue, wanted: WantedKind, index: number): ConversionFault | undefined {
  if (converted === null) return bareFault('unexpected end of JSON input');
  if (!isObject(converted)) return bareFault(`json: cannot unmarshal ${goType(converted)} into Go value of type map[string]interface {}`);
  const [apiVersion, kind] = [stringAt(converted, 'apiVersion') ?? '', stringAt(converted, 'kind') ?? ''];
  if (kind === '' || apiVersion.split('/').length > 2) return bareFault(`Object 'Kind' is missing in '${excerpt(converted)}'`);
  const at = `returned invalid object at index ${index}: invalid`;
  if (canonicalApiVersion(apiVersion) !== wanted.apiVersion)
    return objectFault(`${at} groupVersion (expected ${wanted.apiVersion}, received ${apiVersion})`);
  return kind === wanted.kind ? undefined : objectFault(`${at} kind (expected ${wanted.kind}, received ${kind})`);
}

const LONGEST_EXCERPT = 4_096;

function excerpt(value: JsonObject): string {
  return stringifyJson(value, 'sorted').slice(0, LONGEST_EXCERPT);
}

const IDENTITY = [
  ['name', 'name'],
  ['namespace', 'namespace'],
  ['uid', 'UID'],
] as const;

function identityFault(before: JsonObject, metadata: JsonObject): ConversionFault | undefined {
  for (const [member, shown] of IDENTITY) {
    const [old, now] = [stringAt(before, member) ?? '', stringAt(metadata, member) ?? ''];
    if (old !== now) return objectFault(`returned invalid object: must have the same ${shown}: ${old} != ${now}`);
  }
  return undefined;
}

const MOST_ERRORS = 20;
const INVALID = 'returned invalid metadata: ';

function metadataFault(metadata: JsonObject): ConversionFault | undefined {
  const errors: FieldError[] = [];
  for (const member of ['labels', 'annotations'] as const) {
    const map = own(metadata, member) ?? null;
    if (map === null) continue;
    const place = `metadata.${member}`;
    if (!isObject(map)) return objectFault(`${INVALID}invalid ${place} of type ${valueType(map)} in converted object`);
    const odd = Object.keys(map).find((name) => typeof map[name] !== 'string');
    if (odd !== undefined)
      return objectFault(`${INVALID}${place}[${odd}] must be a string, but is ${valueType(map[odd] ?? null)} in converted object`);
    if (member === 'labels') validateLabels(map, place, errors);
    else validateAnnotations(map, place, errors);
  }
  if (errors.length === 0) return undefined;
  const texts = errors.slice(0, MOST_ERRORS).map(({ text }) => text);
  return objectFault(INVALID + (texts.length === 1 ? texts.join('') : `[${texts.join(', ')}]`));
}

/** How upstream calls the type of a value that nothing is known of. */
function valueType(value: JsonValue): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'bigint') return 'int64';
  return typeof value === 'boolean' ? 'bool' : typeof value === 'string' ? 'string' : 'map[string]interface {}';
}
