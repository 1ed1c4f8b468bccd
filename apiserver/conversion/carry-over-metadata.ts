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

/** The kind and version that a webhook must return. */
export interface DesiredKind {
  /** In canonical spelling. */
  readonly apiVersion: string;
  readonly kind: string;
}

/**
 * The converted object, with labels and annotations of the response and all other metadata of `original`; a failure when the
 * webhook has changed the identity, kind or version, or has returned invalid metadata.
 *
 * `original` is the object that was sent, without kind and apiVersion, which the result lacks too. `index` is the position of
 * the object in the response, for messages. Modifies neither object; the result shares parts of both.
 */
export function carryOverMetadata(
  original: JsonObject,
  converted: JsonValue,
  desired: DesiredKind,
  index: number,
): JsonObject | ConversionFailure {
  const typeFailure = checkType(converted, desired, index);
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

/** An object with the member alone; empty when the member is not a map. */
function mapAt(metadata: JsonObject, member: string): JsonObject {
  const map = ownMember(metadata, member);
  return isObject(map) ? { [member]: map } : {};
}

/**
 * Whether the object has exactly the desired kind and apiVersion; other spellings of the apiVersion are not considered.
 */
export const isOfKind = (converted: JsonObject, { apiVersion, kind }: DesiredKind): boolean =>
  converted['kind'] === kind && converted['apiVersion'] === apiVersion;

/** The failure when the object is not one of the desired kind and version. */
function checkType(converted: JsonValue, desired: DesiredKind, index: number): ConversionFailure | undefined {
  if (converted === null) return bareFailure('unexpected end of JSON input');
  if (!isObject(converted))
    return bareFailure(`json: cannot unmarshal ${jsonKindOf(converted)} into Go value of type map[string]interface {}`);
  const apiVersion = stringAt(converted, 'apiVersion') ?? '';
  const kind = stringAt(converted, 'kind') ?? '';
  if (kind === '' || apiVersion.split('/').length > 2) return bareFailure(`Object 'Kind' is missing in '${excerpt(converted)}'`);
  const start = `returned invalid object at index ${index}: invalid`;
  if (canonicalApiVersion(apiVersion) !== desired.apiVersion)
    return objectFailure(`${start} groupVersion (expected ${desired.apiVersion}, received ${apiVersion})`);
  return kind === desired.kind ? undefined : objectFailure(`${start} kind (expected ${desired.kind}, received ${kind})`);
}

/** Characters of a value that a message shows. */
const MAX_EXCERPT_LENGTH = 4_096;

function excerpt(value: JsonObject): string {
  return stringifyJson(value, 'sorted').slice(0, MAX_EXCERPT_LENGTH);
}

/** Members that must not change, with their names in messages. */
const IDENTITY = [
  { member: 'name', displayName: 'name' },
  { member: 'namespace', displayName: 'namespace' },
  { member: 'uid', displayName: 'UID' },
] as const;

/** The failure when the webhook has changed a name or the UID. */
function checkIdentity(before: JsonObject, metadata: JsonObject): ConversionFailure | undefined {
  for (const { member, displayName } of IDENTITY) {
    const oldValue = stringAt(before, member) ?? '';
    const newValue = stringAt(metadata, member) ?? '';
    if (oldValue !== newValue)
      return objectFailure(`returned invalid object: must have the same ${displayName}: ${oldValue} != ${newValue}`);
  }
  return undefined;
}

/** Errors that one message lists. */
const MAX_ERRORS = 20;
const INVALID_METADATA = 'returned invalid metadata: ';

/** The failure when labels or annotations are invalid. */
function checkMetadata(metadata: JsonObject): ConversionFailure | undefined {
  const errors: FieldError[] = [];
  for (const member of ['labels', 'annotations'] as const) {
    const map = ownMember(metadata, member) ?? null;
    if (map === null) continue;
    const path = `metadata.${member}`;
    if (!isObject(map)) return objectFailure(`${INVALID_METADATA}invalid ${path} of type ${goTypeName(map)} in converted object`);
    const invalidKey = Object.keys(map).find((name) => typeof map[name] !== 'string');
    if (invalidKey !== undefined)
      return objectFailure(
        `${INVALID_METADATA}${path}[${invalidKey}] must be a string, but is ${goTypeName(map[invalidKey] ?? null)} in converted object`,
      );
    if (member === 'labels') validateLabels(map, path, errors);
    else validateAnnotations(map, path, errors);
  }
  if (errors.length === 0) return undefined;
  const texts = errors.slice(0, MAX_ERRORS).map(({ text }) => text);
  return objectFailure(INVALID_METADATA + (texts.length === 1 ? texts.join('') : `[${texts.join(', ')}]`));
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
