/**
 * Converts between objects and cache entries: parses entries, and encodes objects as stored values with the labels and
 * fields by which selectors find them. An object that is read back equals the one that was encoded. Storing is up to
 * the steps of a write.
 */
import { objectAt, type JsonObject } from '../../../shared/values/json';
import { readMetadata } from '../../../shared/api/metadata/object-meta';
import { canonicalizeGroups } from '../../../shared/api/types/group-fields';
import type { GeneratedNames } from '../../../shared/names/dialect';
import { runStepsSync, type Steps } from '../../../shared/scheduling/steps';
import { parseStoredJson } from '../../../shared/serialization';
import type { Entry, Labels } from '../../cache/cache';
import { encodeStoredValue } from '../../cache/store/stored-value';
import type { Revision } from '../../storage/store';
import { isStoredWithSchema, storedVersionOf } from './hidden-fields';
import type { ResourceInfo } from './resource-info';

/**
 * The object of an entry: canonical spelling, with resourceVersion, without kind and apiVersion. It was decoded before it
 * was stored, so that readers may give it the type in which its kind is stored.
 */
export interface ParsedEntry {
  readonly text: string;
  readonly object: JsonObject;
}

/** Parses the bytes of an entry, at each call. */
export function parseEntry(entry: Entry): ParsedEntry {
  const text = entry.bytes.toString();
  return { text, object: parseStoredJson(text) };
}

/**
 * Like {@link parseEntry}, but a custom object that was stored in another version or with another schema is converted
 * to the version of the row.
 */
export function readEntry({ row, codec }: Pick<ResourceInfo, 'codec' | 'row'>, entry: Entry): ParsedEntry {
  const parsed = parseEntry(entry);
  if (row.custom === undefined || isStoredWithSchema(row.custom, entry)) return parsed;
  return { text: parsed.text, object: codec.fromStored(parsed.object, storedVersionOf(row.custom, entry)) };
}

/**
 * Length of the beginning of a stored object in which the timestamps are looked for. In metadata only names, uid,
 * resourceVersion and generation stand before them. A custom object may have long members before its metadata; it then
 * counts as not terminating, which changes only the message of an error.
 */
const HEAD_BYTES = 4096;
/** `"creationTimestamp":"2024-01-01T00:00:00Z","deletionTimestamp":"`: the two are neighbours in stored metadata. */
const TERMINATING = /"creationTimestamp":(?:null|"[^"]*"),"deletionTimestamp":"/;

/**
 * Whether the object is terminating, without parsing it. Quotation marks inside strings are escaped, so a match is
 * the member itself.
 */
export const isEntryTerminating = ({ bytes }: Entry): boolean => TERMINATING.test(bytes.toString('latin1', 0, HEAD_BYTES));

/** An encoded object. `versionPosition`: where resourceVersion belongs in `body`, in UTF-16 units. */
export interface EncodedObject {
  readonly body: string;
  readonly versionPosition: number;
  readonly object: JsonObject;
  /** The object contains a name that the dialects spell differently. */
  readonly isDialectSensitive: boolean;
}

/**
 * The member that follows resourceVersion in stored metadata: the generation, if there is one, or the
 * creationTimestamp.
 */
const FIRST_AFTER_VERSION = /"(?:generation|creationTimestamp)":/;

/** Encodes an object of the storage version in canonical spelling. It must have a uid and no resourceVersion. */
export function* encodeObjectInSteps(
  info: ResourceInfo,
  hubObject: JsonObject,
  { isDialectSensitive }: Pick<EncodedObject, 'isDialectSensitive'>,
): Steps<EncodedObject> {
  const object = info.hubCodec.toStored(hubObject);
  const body = yield* info.hubCodec.encodeBodyInSteps(object);
  // Quotation marks inside strings are escaped, so the first match is the member itself.
  return { body, versionPosition: body.search(FIRST_AFTER_VERSION), object, isDialectSensitive };
}

/** Converts group names in `hubObject` to canonical spelling, in place, and encodes it as {@link encodeObjectInSteps} does. */
export function encodeObject(info: ResourceInfo, hubObject: JsonObject, names: GeneratedNames): EncodedObject {
  const isDialectSensitive = canonicalizeGroups(hubObject, info.hubCodec.groupFields, names);
  return runStepsSync(encodeObjectInSteps(info, hubObject, { isDialectSensitive }));
}

/** Whether the encoded object equals the stored one. `text`: of the entry. */
export function isUnchanged(encoded: EncodedObject, entry: Entry, text: string): boolean {
  const versionMember = `"resourceVersion":"${entry.revision}",`;
  const { body, versionPosition } = encoded;
  return (
    body.length + versionMember.length === text.length &&
    text.startsWith(body.slice(0, versionPosition)) &&
    text.endsWith(body.slice(versionPosition)) &&
    text.startsWith(versionMember, versionPosition)
  );
}

/** The bytes for the store. `hidden`: see hidden-fields.ts. */
export function toStoredValue(info: ResourceInfo, encoded: EncodedObject, hidden: Labels | undefined): Buffer {
  const { body, versionPosition, object } = encoded;
  return encodeStoredValue({
    body,
    versionOffset: Buffer.byteLength(body.slice(0, versionPosition)),
    labels: labelsOf(readMetadata(object)),
    fields: fieldsOf(info, object, hidden),
    isDialectSensitive: encoded.isDialectSensitive,
  });
}

function labelsOf(metadata: JsonObject): Labels | undefined {
  const labels = objectAt(metadata, 'labels');
  return labels !== undefined && isLabels(labels) ? labels : undefined;
}

function isLabels(value: JsonObject): value is Record<string, string> {
  for (const key of Object.keys(value)) if (typeof value[key] !== 'string') return false;
  return true;
}

function fieldsOf(info: ResourceInfo, object: JsonObject, hidden: Labels | undefined): Labels | undefined {
  if (info.fields.length === 0) return hidden;
  const fields: Record<string, string> = { ...hidden };
  for (const field of info.fields) fields[field.name] = field.read(object);
  return fields;
}

/** An entry of an object that is not stored, so that no selector reads its labels and fields. */
export function transientEntry(key: string, revision: Revision, bytes: Buffer, isDialectSensitive = false): Entry {
  return { key, revision, bytes, labels: {}, fields: {}, isDialectSensitive };
}

/** The response to a create with dry run: an entry without a resourceVersion. */
export function unstoredEntry(key: string, encoded: EncodedObject): Entry {
  const labels = labelsOf(readMetadata(encoded.object)) ?? {};
  return { key, revision: 0, bytes: Buffer.from(encoded.body), labels, fields: {}, isDialectSensitive: encoded.isDialectSensitive };
}
