/**
 * Accepts a converted object: takes everything from the response except the identity and the metadata that the server
 * maintains, which a webhook cannot change. Failures have upstream's messages.
 */
import type { FieldError } from '../../shared/api/errors/field-error';
import { readMetadata } from '../../shared/api/metadata/object-meta';
import { validateAnnotations, validateLabels } from '../../shared/api/metadata/object-meta-rules';
import { jsonKindOf } from '../../shared/api/types';
import { canonicalApiVersion } from '../../shared/names/dialect';
import { isObject, ownMember, stringAt, stringifyJson, type JsonObject, type JsonValue } from '../../shared/values/json';
import { bareFailure, objectFailure, type ConversionFailure } from './conversion-failure';

/** The kind and version that a webhook is asked for. */
export interface WantedKind {
  /** In canonical spelling. */
  readonly apiVersion: string;
  readonly kind: string;
}

/**
 * The converted object, with labels and annotations of the response and all other metadata of `original`; a failure when the
 * webhook has changed the identity, kind or version, or has returned invalid metadata. `original` is the object that was
 * sent, without kind and apiVersion, which the result lacks too. `index`: that of the object in the response, for messages.
 * Modifies neither object; the result shares parts of both.
 */
export function carryOverMetadata(
  original: JsonObject,
  converted: JsonValue,
  wanted: WantedKind,
  index: number,
): JsonObject | ConversionFailure {
  const typeFailure = checkType(converted, wanted, index);
  if (typeFailure !== undefined || !isObject(converted)) return typeFailure ?? bareFailure('unexpected end of JSON input');
  const metadataValue = ownMember(converted, 'metadata') ?? {};
  const metadata = isObject(metadataValue) ? metadataValue : {};
  const before = readMetadata(original);
  const metadataFailure = checkIdentity(before, metadata) ?? checkMetadata(metadata);
  if (metadataFailure !== undefined) return metadataFailure;
  const { labels: _labels, annotations: _annotations, ...serverMetadata } = before;
  const { apiVersion: _apiVersion, kind: _kind, ...members } = converted;
  return { ...members, metadata: { ...serverMetadata, ...mapAt(metadata, 'labels'), ...mapAt(metadata, 'annotations') } };
}

function mapAt(metadata: JsonObject, member: string): JsonObject {
  const map = ownMember(metadata, member);
  return isObject(map) ? { [member]: map } : {};
}

/**
 * Whether the object has exactly the wanted kind and apiVersion; other spellings of the apiVersion are not considered.
 */
export const isOfKind = (converted: JsonObject, { apiVersion, kind }: WantedKind): boolean =>
  converted['kind'] === kind && converted['apiVersion'] === apiVersion;

function checkType(converted: JsonValue, wanted: WantedKind, index: number): ConversionFailure | undefined {
  if (converted === null) return bareFailure('unexpected end of JSON input');
  if (!isObject(converted))
    return bareFailure(`json: cannot unmarshal ${jsonKindOf(converted)} into Go value of type map[string]interface {}`);
  const apiVersion = stringAt(converted, 'apiVersion') ?? '';
  const kind = stringAt(converted, 'kind') ?? '';
  if (kind === '' || apiVersion.split('/').length > 2) return bareFailure(`Object 'Kind' is missing in '${excerpt(converted)}'`);
  const start = `returned invalid object at index ${index}: invalid`;
  if (canonicalApiVersion(apiVersion) !== wanted.apiVersion)
    return objectFailure(`${start} groupVersion (expected ${wanted.apiVersion}, received ${apiVersion})`);
  return kind === wanted.kind ? undefined : objectFailure(`${start} kind (expected ${wanted.kind}, received ${kind})`);
}

/** Characters of a value that a message shows. */
const MAX_EXCERPT_LENGTH = 4_096;

function excerpt(value: JsonObject): string {
  return stringifyJson(value, 'sorted').slice(0, MAX_EXCERPT_LENGTH);
}

/** Members that must not change, with their names in messages. */
const IDENTITY = [
  ['name', 'name'],
  ['namespace', 'namespace'],
  ['uid', 'UID'],
] as const;

function checkIdentity(before: JsonObject, metadata: JsonObject): ConversionFailure | undefined {
  for (const [member, displayName] of IDENTITY) {
    const oldValue = stringAt(before, member) ?? '';
    const newValue = stringAt(metadata, member) ?? '';
    if (oldValue !== newValue)
      return objectFailure(`returned invalid object: must have the same ${displayName}: ${oldValue} != ${newValue}`);
  }
  return undefined;
}

/** Errors that one message lists. */
const MAX_ERRORS = 20;
const INVALID = 'returned invalid metadata: ';

function checkMetadata(metadata: JsonObject): ConversionFailure | undefined {
  const errors: FieldError[] = [];
  for (const member of ['labels', 'annotations'] as const) {
    const map = ownMember(metadata, member) ?? null;
    if (map === null) continue;
    const path = `metadata.${member}`;
    if (!isObject(map)) return objectFailure(`${INVALID}invalid ${path} of type ${goTypeName(map)} in converted object`);
    const invalidKey = Object.keys(map).find((name) => typeof map[name] !== 'string');
    if (invalidKey !== undefined)
      return objectFailure(
        `${INVALID}${path}[${invalidKey}] must be a string, but is ${goTypeName(map[invalidKey] ?? null)} in converted object`,
      );
    if (member === 'labels') validateLabels(map, path, errors);
    else validateAnnotations(map, path, errors);
  }
  if (errors.length === 0) return undefined;
  const texts = errors.slice(0, MAX_ERRORS).map(({ text }) => text);
  return objectFailure(INVALID + (texts.length === 1 ? texts.join('') : `[${texts.join(', ')}]`));
}

/** The Go type of a JSON value in messages. */
function goTypeName(value: JsonValue): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'bigint') return 'int64';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'string' : 'map[string]interface {}';
}
