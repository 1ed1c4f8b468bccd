/**
 * The stored form of an object: a short binary header and the object's canonical JSON. The header repeats what the
 * cache needs on arrival (labels, selectable fields, the position of the resource version), so that an event does not
 * require a JSON.parse of the body. The body is not interpreted.
 */
import { unreadableReason } from '../../storage/unreadable-value';
import type { Labels } from '../cache';

/*
 * The layout; numbers are big-endian:
 *
 *   offset  size  content
 *        0     2  magic 'P' 'V'
 *        2     1  format: 1
 *        3     1  flags; bit 0: the body names an API group that is spelled differently in the other dialect
 *        4     2  table generation
 *        6     4  length of the header JSON
 *       10     4  offset in the body at which `"resourceVersion":"…",` is inserted
 *       14     –  header JSON `{"l":{labels},"f":{fields}}`; nothing when the object has neither
 *        –     –  body `{"metadata":{…},…}`, without kind, apiVersion and resourceVersion
 */

/** Length of the fields before the header JSON. */
const FIXED_HEADER_BYTES = 14;
/** The magic 'P' 'V'. */
const MAGIC_FIRST = 0x50;
const MAGIC_SECOND = 0x56;
/** Version of this layout. */
const STORED_FORMAT = 1;
/** Flag of a body with names that differ between the dialects. */
const DIALECT_SENSITIVE_FLAG = 1;

/** Incremented by a change of the type tables that requires a migration of stored values. */
export const TABLE_GENERATION = 1;

/** The parsed layout of a stored value; nothing is copied. */
export interface StoredValue {
  /** {@link TABLE_GENERATION} of the server that wrote the value. */
  readonly tableGeneration: number;
  readonly isDialectSensitive: boolean;
  /** The header JSON as text; '' when there are neither labels nor fields. Equal texts mean equal labels and fields. */
  readonly header: string;
  /**
   * Byte offset in the body at which the resource version is inserted: before the member that follows it in canonical
   * order.
   */
  readonly versionOffset: number;
  /** A view of the value. */
  readonly body: Buffer;
}

/** The bytes are not a value that this server can read; the message states the reason. */
export class UnknownFormatError extends Error {
  override readonly name = 'UnknownFormatError';
}

/** The stored form of an object in the current format and table generation. */
export function encodeStoredValue(value: {
  readonly body: string;
  /**
   * Offset of the first byte after the metadata members that precede resourceVersion in canonical order; in UTF-8 bytes
   * of the body.
   */
  readonly versionOffset: number;
  readonly labels: Labels | undefined;
  readonly fields: Labels | undefined;
  readonly isDialectSensitive: boolean;
}): Buffer {
  const header = headerText(value.labels, value.fields);
  const headerLength = Buffer.byteLength(header);
  const bytes = Buffer.allocUnsafeSlow(FIXED_HEADER_BYTES + headerLength + Buffer.byteLength(value.body));
  bytes[0] = MAGIC_FIRST;
  bytes[1] = MAGIC_SECOND;
  bytes[2] = STORED_FORMAT;
  bytes[3] = value.isDialectSensitive ? DIALECT_SENSITIVE_FLAG : 0;
  bytes.writeUInt16BE(TABLE_GENERATION, 4);
  bytes.writeUInt32BE(headerLength, 6);
  bytes.writeUInt32BE(value.versionOffset, 10);
  bytes.write(header, FIXED_HEADER_BYTES);
  bytes.write(value.body, FIXED_HEADER_BYTES + headerLength);
  return bytes;
}

/** Throws {@link UnknownFormatError} for bytes that this version of the server cannot read. */
export function decodeStoredValue(bytes: Buffer): StoredValue {
  if (bytes.length < FIXED_HEADER_BYTES || bytes[0] !== MAGIC_FIRST || bytes[1] !== MAGIC_SECOND) {
    throw new UnknownFormatError(unreadableReason(bytes) ?? 'the value has no known header');
  }
  if (bytes[2] !== STORED_FORMAT) {
    throw new UnknownFormatError(`the value has format ${bytes[2]}, this server reads format ${STORED_FORMAT}`);
  }
  const tableGeneration = bytes.readUInt16BE(4);
  if (tableGeneration > TABLE_GENERATION) {
    throw new UnknownFormatError(`the value was written by a newer server (table generation ${tableGeneration})`);
  }
  const headerLength = bytes.readUInt32BE(6);
  const versionOffset = bytes.readUInt32BE(10);
  const bodyStart = FIXED_HEADER_BYTES + headerLength;
  if (bodyStart + versionOffset > bytes.length) throw new UnknownFormatError('the value is truncated');
  return {
    tableGeneration,
    isDialectSensitive: ((bytes[3] ?? 0) & DIALECT_SENSITIVE_FLAG) !== 0,
    header: headerLength === 0 ? '' : bytes.toString('utf8', FIXED_HEADER_BYTES, bodyStart),
    versionOffset,
    body: bytes.subarray(bodyStart),
  };
}

function headerText(labels: Labels | undefined, fields: Labels | undefined): string {
  const labelsText = membersText(labels);
  const fieldsText = membersText(fields);
  if (labelsText === '' && fieldsText === '') return '';
  if (fieldsText === '') return `{"l":${labelsText}}`;
  return labelsText === '' ? `{"f":${fieldsText}}` : `{"l":${labelsText},"f":${fieldsText}}`;
}

/** The JSON of the names and values; '' when there are none. */
function membersText(members: Labels | undefined): string {
  const text = members === undefined ? '{}' : JSON.stringify(members);
  return text === '{}' ? '' : text;
}

type Spliceable = Pick<StoredValue, 'body' | 'versionOffset'>;

/** The body with its resource version, in a new buffer. */
export function spliceResourceVersion(value: Spliceable, revision: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(splicedLength(value, revision));
  spliceInto(bytes, 0, value, revision);
  return bytes;
}

/** The number of bytes that {@link spliceInto} writes. */
export function splicedLength(value: Spliceable, revision: number): number {
  return value.body.length + insertionOf(revision).length;
}

/** Writes the body with its resource version to `target`, starting at `offset`. */
export function spliceInto(target: Buffer, offset: number, value: Spliceable, revision: number): void {
  const insertion = insertionOf(revision);
  const { body, versionOffset } = value;
  body.copy(target, offset, 0, versionOffset);
  target.write(insertion, offset + versionOffset, 'latin1');
  body.copy(target, offset + versionOffset + insertion.length, versionOffset);
}

function insertionOf(revision: number): string {
  return `"resourceVersion":"${revision}",`;
}
