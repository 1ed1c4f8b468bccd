/**
 * The JSON of one entry: heads put before stored bytes, the metadata cut out of them, the other dialect, another resource version.
 * Works on bytes; only an entry in another version, or a dialect-sensitive one in the other dialect, is ever parsed.
 */
import { spellGroups, type GroupFields } from '../../../shared/api/types/group-fields';
import { isObject, stringifyJson, type JsonObject } from '../../../shared/values/json';
import { apiVersionOf } from '../../../shared/api/identity/identity';
import type { KindRow } from '../../../shared/api/kinds';
import { apiVersionIn, type Dialect } from '../../../shared/names/dialect';
import { parseJson } from '../../../shared/serialization';
import type { Entry } from '../../cache/cache';

/** `apiVersion` of a kind in a dialect. */
export function apiVersionText(row: KindRow, dialect: Dialect): string {
  return apiVersionIn(dialect, apiVersionOf(row));
}

/** `{"kind":"Lease","apiVersion":"…",`: what stands before the stored members. */
export function objectHead(kind: string, apiVersion: string): string {
  return `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`;
}

/** The same in the order in which custom objects have it. */
export function customHead(kind: string, apiVersion: string): string {
  return `{"apiVersion":${JSON.stringify(apiVersion)},"kind":${JSON.stringify(kind)},`;
}

const START = '{"metadata":';
const METADATA_START = START.length;
const QUOTE = 0x22;
const COMMA = 0x2c;

/** The `"metadata":{…}` member of a stored body, without the braces around. */
export function metadataMember(bytes: Buffer): Buffer {
  return bytes.subarray(1, metadataEnd(bytes));
}

/** A body with nothing but the metadata of a stored one. */
export function metadataAlone(bytes: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, metadataEnd(bytes)), CLOSE]);
}

/** Index after the metadata object's closing brace. */
const metadataEnd = (bytes: Buffer): number => valueEnd(bytes, METADATA_START);

/** Index after the value that begins at `start`. */
function valueEnd(bytes: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) at = stringEnd(bytes, at);
    else if (byte === 0x7b || byte === 0x5b) depth += 1;
    else if (byte === 0x7d || byte === 0x5d) depth -= 1;
    if (depth < 0 || (depth === 0 && byte === COMMA)) return at;
    if (depth === 0 && (byte === 0x7d || byte === 0x5d)) return at + 1;
  }
  return bytes.length;
}

export interface ShownMember {
  readonly name: string;
  /** Name and value. */
  readonly text: Buffer;
  /** What follows, with the comma or the brace that it begins with. */
  readonly rest: Buffer;
}

/** Of what follows the metadata in a body. Nothing is looked at beyond the last member that is asked for. */
export function* membersBehindMetadata(bytes: Buffer): Generator<ShownMember> {
  let rest = bytes;
  while (rest[0] === COMMA) {
    const nameEnd = stringEnd(rest, 1) + 1;
    const name: unknown = JSON.parse(rest.toString('utf8', 1, nameEnd));
    const end = valueEnd(rest, nameEnd + 1);
    const text = rest.subarray(1, end);
    rest = rest.subarray(end);
    yield { name: String(name), text, rest };
  }
}

/** Index of the quote that ends the string beginning at `start`. */
function stringEnd(bytes: Buffer, start: number): number {
  let at = bytes.indexOf(0x22, start + 1);
  while (at > 0 && isEscaped(bytes, at)) at = bytes.indexOf(0x22, at + 1);
  return at < 0 ? bytes.length : at;
}

function isEscaped(bytes: Buffer, quote: number): boolean {
  let backslashes = 0;
  while (bytes[quote - 1 - backslashes] === 0x5c) backslashes += 1;
  return backslashes % 2 === 1;
}

/** The body with another resource version: what a DELETED event shows. */
export function withRevision(bytes: Buffer, revision: number, shown: number): Buffer {
  if (revision === shown) return bytes;
  // Quotes inside strings are escaped, so this text can only be the member itself; labels and annotations come after it.
  const member = `"resourceVersion":"${revision}"`;
  const at = bytes.indexOf(member);
  if (at < 0) return bytes;
  return Buffer.concat([bytes.subarray(0, at), Buffer.from(`"resourceVersion":"${shown}"`), bytes.subarray(at + member.length)]);
}

/** How a stored object is put into the version that is served. */
export interface OtherVersion {
  readonly convert: (object: JsonObject, entry: Entry) => JsonObject;
  readonly encode: (object: JsonObject) => string;
}

/** The body in another dialect than the stored one, or in another version. */
export function convertBody(entry: Entry, fields: GroupFields, dialect: Dialect, version?: OtherVersion): Buffer {
  const { bytes } = entry;
  if (version !== undefined) return respelled(bytes, fields, dialect, { ...version, convert: (object) => version.convert(object, entry) });
  const part = respelledPart(bytes, fields);
  if (part.length === bytes.length) return respelled(bytes, fields, dialect);
  const metadata = respelled(Buffer.concat([part, CLOSE]), fields, dialect);
  return Buffer.concat([metadata.subarray(0, -CLOSE.length), bytes.subarray(part.length)]);
}

/** A body with nothing but the metadata of a stored one, in another dialect. */
export function respelledMetadata(bytes: Buffer, fields: GroupFields, dialect: Dialect): Buffer {
  return respelled(metadataAlone(bytes), fields, dialect);
}

/** What of a body is parsed when it is put into the other dialect: all, or what stands before the end of its metadata. */
export function respelledPart(bytes: Buffer, fields: GroupFields): Buffer {
  const end = startsWithMetadata(bytes) ? metadataEnd(bytes) : bytes.length;
  return mayHold(bytes.subarray(end), without(fields, 'metadata')) ? bytes : bytes.subarray(0, end);
}

const startsWithMetadata = (bytes: Buffer): boolean => bytes.toString('latin1', 0, METADATA_START) === START;
const CLOSE = Buffer.from('}');

/** Whether a text may have such members: objects are often large, and what is spelled in two ways stands in their metadata. */
function mayHold(bytes: Buffer, { here, below }: GroupFields): boolean {
  return here.length > 0 || below.some(({ member, fields }) => bytes.includes(`"${member}":`) && mayHold(bytes, fields));
}

const without = ({ here, below }: GroupFields, name: string): GroupFields => ({
  here,
  below: below.filter(({ member }) => member !== name),
});

interface EncoderForm extends Pick<OtherVersion, 'encode'> {
  readonly convert: (object: JsonObject) => JsonObject;
}

function respelled(bytes: Buffer, fields: GroupFields, dialect: Dialect, version?: EncoderForm): Buffer {
  const { value } = parseJson(bytes);
  if (!isObject(value)) return bytes;
  const object = version === undefined ? value : version.convert(value);
  spellGroups(object, fields, dialect);
  return Buffer.from(version === undefined ? stringifyJson(object) : version.encode(object));
}
