/**
 * Between an object in memory and the entry that the cache holds: parsing an entry, and making the stored value of a changed object.
 * Decides nothing.
 */
import { objectAt, type JsonObject } from '../../../shared/values/json';
import { readMetadata } from '../../../shared/api/metadata/object-meta';
import { runStepsSync, type Steps } from '../../../shared/scheduling/steps';
import { parseStoredJson } from '../../../shared/serialization';
import type { Entry, Labels } from '../../cache/cache';
import { encodeStoredValue } from '../../cache/store/stored-value';
import { isWrittenWith, writtenVersion } from './hidden-fields';
import type { ResourceInfo } from './resource-info';

/** An entry's object: canonical spelling, with its resourceVersion, without kind and apiVersion. */
export interface ParsedEntry {
  readonly text: string;
  readonly object: JsonObject;
}

export function parseEntry(entry: Entry): ParsedEntry {
  const text = entry.bytes.toString();
  return { text, object: parseStoredJson(entry.bytes, text) };
}

/** As `parseEntry`; a custom object that was written in another version or with another schema is shown as this one would have it. */
export function readEntry({ row, codec }: Pick<ResourceInfo, 'codec' | 'row'>, entry: Entry): ParsedEntry {
  const parsed = parseEntry(entry);
  if (row.custom === undefined || isWrittenWith(row.custom, entry)) return parsed;
  return { text: parsed.text, object: codec.fromStored(parsed.object, writtenVersion(row.custom, entry)) };
}

/** Names, uid and times come first, and are short. */
const HEAD_BYTES = 4096;
const TERMINATING = /"creationTimestamp":(?:null|"[^"]*"),"deletionTimestamp":"/;

/** Whether an entry's object is being deleted, without parsing it. A quotation mark inside a string is escaped, so what is found is the member itself. */
export const isEntryTerminating = ({ bytes }: Entry): boolean => TERMINATING.test(bytes.toString('latin1', 0, HEAD_BYTES));

/** A changed object as it goes to the store. Positions count UTF-16 units of `body`. */
export interface Encoded {
  readonly body: string;
  readonly position: number;
  readonly object: JsonObject;
  readonly dialectSensitive: boolean;
}

const FIRST_AFTER_VERSION = /"(?:generation|creationTimestamp)":/;

/** The object must have a uid and no resourceVersion. */
export function encode(info: ResourceInfo, served: JsonObject, dialectSensitive: boolean): Encoded {
  return runStepsSync(encoding(info, served, dialectSensitive));
}

/** The same in steps. */
export function* encoding(info: ResourceInfo, served: JsonObject, dialectSensitive: boolean): Steps<Encoded> {
  const object = info.hubCodec.toStored(served);
  const body = yield* info.hubCodec.encodeBodyInSteps(object);
  // A quotation mark inside a string is escaped, so the first match is the member itself.
  return { body, position: body.search(FIRST_AFTER_VERSION), object, dialectSensitive };
}

/** Whether the change leaves the stored object as it is. `text` is the entry's. */
export function isUnchanged(encoded: Encoded, entry: Entry, text: string): boolean {
  const inserted = `"resourceVersion":"${entry.revision}",`;
  const { body, position } = encoded;
  return (
    body.length + inserted.length === text.length &&
    text.startsWith(body.slice(0, position)) &&
    text.endsWith(body.slice(position)) &&
    text.startsWith(inserted, position)
  );
}

/** The bytes for the store. `hidden` are header fields that no selector can name. */
export function storedValue(info: ResourceInfo, encoded: Encoded, hidden: Labels | undefined): Buffer {
  const { body, position, object } = encoded;
  return encodeStoredValue({
    body,
    versionOffset: Buffer.byteLength(body.slice(0, position)),
    labels: labelsOf(readMetadata(object)),
    fields: fieldsOf(info, object, hidden),
    isDialectSensitive: encoded.dialectSensitive,
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

/** An entry for an object that was never stored: the answer to a dry run's create, which has no resourceVersion. */
export function unstoredEntry(key: string, encoded: Encoded): Entry {
  const labels = labelsOf(readMetadata(encoded.object)) ?? {};
  return { key, revision: 0, bytes: Buffer.from(encoded.body), labels, fields: {}, isDialectSensitive: encoded.dialectSensitive };
}
