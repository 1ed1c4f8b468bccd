/**
 * Builds the JSON of an entry from its stored bytes: the text before the stored members, the metadata alone, a body with
 * another resource version, a body in another dialect or version. Only a conversion to another dialect or version parses
 * the values.
 */
import { respellGroups, type GroupFields } from '../../../shared/api/types/group-fields';
import { stringifyJson, type JsonObject } from '../../../shared/values/json';
import { apiVersionOf } from '../../../shared/api/identity/identity';
import type { KindRow } from '../../../shared/api/kinds';
import { apiVersionInDialect, type Dialect } from '../../../shared/names/dialect';
import { parseStoredJson } from '../../../shared/serialization';
import type { Entry } from '../../cache/cache';

/** The `apiVersion` of a kind in a dialect. */
export function apiVersionText(row: KindRow, dialect: Dialect): string {
  return apiVersionInDialect(dialect, apiVersionOf(row));
}

/** The text before the stored members: `{"kind":"Lease","apiVersion":"…",`. */
export function objectHead(kind: string, apiVersion: string): string {
  return `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`;
}

/** The text before the stored members of a custom object, which are sorted by name: `{"apiVersion":"…","kind":"…",`. */
export function customHead(kind: string, apiVersion: string): string {
  return `{"apiVersion":${JSON.stringify(apiVersion)},"kind":${JSON.stringify(kind)},`;
}

/** The beginning of stored bodies. */
const BODY_START = '{"metadata":';
const METADATA_START = BODY_START.length;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

const CLOSE = Buffer.from('}');

/** The member `"metadata":{…}` of a stored body, without the braces around it. */
export function metadataMember(bytes: Buffer): Buffer {
  return bytes.subarray(1, metadataEnd(bytes));
}

/** A body with only the metadata of a stored one. */
export function metadataAlone(bytes: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, metadataEnd(bytes)), CLOSE]);
}

/** Index after the metadata object's closing brace. */
const metadataEnd = (bytes: Buffer): number => valueEnd(bytes, METADATA_START);

/** Index after the value that begins at `start`. */
function valueEnd(bytes: Buffer, start: number): number {
  let depth = 0;
  for (let index = start; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (byte === QUOTE) index = stringEnd(bytes, index);
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth -= 1;
    // A scalar ends before the comma or the bracket that follows it, an object or list after its own bracket.
    if (depth < 0 || (depth === 0 && byte === COMMA)) return index;
    if (depth === 0 && (byte === CLOSE_BRACE || byte === CLOSE_BRACKET)) return index + 1;
  }
  return bytes.length;
}

/** A member of a body, as views of its bytes. */
export interface JsonMember {
  readonly name: string;
  /** Name and value. */
  readonly text: Buffer;
  /** The bytes after the member, starting with a comma or the closing brace. */
  readonly rest: Buffer;
}

/** The members after the metadata of a body. Lazy: reads no further than the last requested member. */
export function* membersAfterMetadata(bytes: Buffer): Generator<JsonMember> {
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
  let index = bytes.indexOf(QUOTE, start + 1);
  while (index > 0 && isEscaped(bytes, index)) index = bytes.indexOf(QUOTE, index + 1);
  return index < 0 ? bytes.length : index;
}

/** Whether the quote at this index belongs to the string: an odd number of backslashes precedes it. */
function isEscaped(bytes: Buffer, quote: number): boolean {
  let backslashes = 0;
  while (bytes[quote - 1 - backslashes] === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}

/**
 * The body with the resource version `shownRevision` in place of `revision`, which it has: a DELETED event shows the
 * revision of the deletion. A body without that version is returned unchanged.
 */
export function withRevision(bytes: Buffer, revision: number, shownRevision: number): Buffer {
  if (revision === shownRevision) return bytes;
  // Quotes within strings are escaped, so the first match is the member itself; labels and annotations come after it.
  const member = `"resourceVersion":"${revision}"`;
  const index = bytes.indexOf(member);
  if (index < 0) return bytes;
  return Buffer.concat([
    bytes.subarray(0, index),
    Buffer.from(`"resourceVersion":"${shownRevision}"`),
    bytes.subarray(index + member.length),
  ]);
}

/** Converts a stored object to the served version. */
export interface VersionConversion {
  /** Returns the object in the served version. */
  readonly convert: (object: JsonObject, entry: Entry) => JsonObject;
  /** Canonical JSON of the converted object, without kind and apiVersion. */
  readonly encode: (object: JsonObject) => string;
}

/** The body of an entry in another dialect or, with `version`, another version than the stored one. */
export function convertBody(entry: Entry, fields: GroupFields, dialect: Dialect, version?: VersionConversion): Buffer {
  const { bytes } = entry;
  if (version !== undefined) {
    return convertText(bytes, fields, dialect, { ...version, convert: (object) => version.convert(object, entry) });
  }
  const part = convertedPart(bytes, fields);
  if (part.length === bytes.length) return convertText(bytes, fields, dialect);
  const metadata = convertText(Buffer.concat([part, CLOSE]), fields, dialect);
  return Buffer.concat([metadata.subarray(0, -CLOSE.length), bytes.subarray(part.length)]);
}

/** A body with only the metadata of a stored one, in another dialect. */
export function convertMetadata(bytes: Buffer, fields: GroupFields, dialect: Dialect): Buffer {
  return convertText(metadataAlone(bytes), fields, dialect);
}

/**
 * The part of a body that is parsed for the conversion to another dialect: the body up to the end of its metadata when no
 * member after it can have a group name, otherwise all of it.
 */
export function convertedPart(bytes: Buffer, fields: GroupFields): Buffer {
  const end = startsWithMetadata(bytes) ? metadataEnd(bytes) : bytes.length;
  return mayContain(bytes.subarray(end), withoutMember(fields, 'metadata')) ? bytes : bytes.subarray(0, end);
}

const startsWithMetadata = (bytes: Buffer): boolean => bytes.toString('latin1', 0, METADATA_START) === BODY_START;

/**
 * Whether a text may have members with group names, by their names alone. Worth the search: objects are often large, and
 * most of their group names are in the metadata.
 */
function mayContain(bytes: Buffer, { direct, nested }: GroupFields): boolean {
  return direct.length > 0 || nested.some(({ member, fields }) => bytes.includes(`"${member}":`) && mayContain(bytes, fields));
}

const withoutMember = ({ direct, nested }: GroupFields, name: string): GroupFields => ({
  direct,
  nested: nested.filter(({ member }) => member !== name),
});

/** A {@link VersionConversion} of one entry. */
interface BoundConversion extends Pick<VersionConversion, 'encode'> {
  readonly convert: (object: JsonObject) => JsonObject;
}

/** Parses a body, converts it to the version (if given) and to the dialect, and encodes it again. */
function convertText(bytes: Buffer, fields: GroupFields, dialect: Dialect, version?: BoundConversion): Buffer {
  const stored = parseStoredJson(bytes.toString());
  const object = version === undefined ? stored : version.convert(stored);
  respellGroups(object, fields, dialect);
  return Buffer.from(version === undefined ? stringifyJson(object) : version.encode(object));
}
