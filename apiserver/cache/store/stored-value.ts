/**
 * The form of an object in the store: a short binary header and the object's canonical JSON.
 *
 * The header repeats what the cache needs on arrival (labels, selectable fields, where the resource version goes), so that an
 * arriving object costs no JSON.parse of its body. Never looks into the body.
 *
 * Layout, big-endian:  magic 'P' 'V' · format u8 (1) · flags u8 (bit 0: names an API group whose spelling depends on the dialect) ·
 * table generation u16 · length of the header JSON u32 · offset in the body at which `"resourceVersion":"…",` is inserted u32 ·
 * header JSON `{"l":{labels},"f":{fields}}` (empty when neither) · body (`{"metadata":{…},…}` without kind, apiVersion, resourceVersion).
 */
import { unreadableReason } from '../../storage/unreadable';
import type { Labels } from '../cache';

const FIXED = 14;
const FORMAT = 1;
const DIALECT_SENSITIVE = 1;

/** Raised by a change of the type tables that old stored values must be migrated for. */
export const TABLE_GENERATION = 1;

export interface StoredValue {
  readonly tableGeneration: number;
  readonly dialectSensitive: boolean;
  /** The header JSON as text: '' when there are neither labels nor fields. Equal texts mean equal labels and fields. */
  readonly header: string;
  /** Where in the body the resource version is inserted: right before the member that follows it in canonical order. */
  readonly versionOffset: number;
  /** A view into the value. */
  readonly body: Buffer;
}

export class UnknownFormat extends Error {
  override readonly name = 'UnknownFormat';
}

/** `body` must hold at `versionOffset` the first byte after `"metadata":{…` members that precede resourceVersion in canonical order. */
export function encodeStoredValue(value: {
  readonly body: string;
  /** In UTF-8 bytes. */
  readonly versionOffset: number;
  readonly labels: Labels | undefined;
  readonly fields: Labels | undefined;
  readonly dialectSensitive: boolean;
}): Buffer {
  const header = headerText(value.labels, value.fields);
  const headerLength = Buffer.byteLength(header);
  const bytes = Buffer.allocUnsafeSlow(FIXED + headerLength + Buffer.byteLength(value.body));
  bytes[0] = 0x50;
  bytes[1] = 0x56;
  bytes[2] = FORMAT;
  bytes[3] = value.dialectSensitive ? DIALECT_SENSITIVE : 0;
  bytes.writeUInt16BE(TABLE_GENERATION, 4);
  bytes.writeUInt32BE(headerLength, 6);
  bytes.writeUInt32BE(value.versionOffset, 10);
  bytes.write(header, FIXED);
  bytes.write(value.body, FIXED + headerLength);
  return bytes;
}

/** Throws {@link UnknownFormat} for bytes that this version of the server did not write and cannot read. */
export function decodeStoredValue(bytes: Buffer): StoredValue {
  if (bytes.length < FIXED || bytes[0] !== 0x50 || bytes[1] !== 0x56) {
    throw new UnknownFormat(unreadableReason(bytes) ?? 'the value has no known header');
  }
  if (bytes[2] !== FORMAT) throw new UnknownFormat(`the value has format ${bytes[2]}, this server reads format ${FORMAT}`);
  const tableGeneration = bytes.readUInt16BE(4);
  if (tableGeneration > TABLE_GENERATION) {
    throw new UnknownFormat(`the value was written by a newer server (table generation ${tableGeneration})`);
  }
  const headerLength = bytes.readUInt32BE(6);
  const versionOffset = bytes.readUInt32BE(10);
  const bodyStart = FIXED + headerLength;
  if (bodyStart + versionOffset > bytes.length) throw new UnknownFormat('the value is cut short');
  return {
    tableGeneration,
    dialectSensitive: ((bytes[3] ?? 0) & DIALECT_SENSITIVE) !== 0,
    header: headerLength === 0 ? '' : bytes.toString('utf8', FIXED, bodyStart),
    versionOffset,
    body: bytes.subarray(bodyStart),
  };
}

function headerText(labels: Labels | undefined, fields: Labels | undefined): string {
  const l = membersText(labels);
  const f = membersText(fields);
  if (l === '' && f === '') return '';
  return `{${[...(l === '' ? [] : [`"l":${l}`]), ...(f === '' ? [] : [`"f":${f}`])].join(',')}}`;
}

/** '' = there are none. */
function membersText(members: Labels | undefined): string {
  const text = members === undefined ? '{}' : JSON.stringify(members);
  return text === '{}' ? '' : text;
}

type Spliceable = Pick<StoredValue, 'body' | 'versionOffset'>;

/** The body with its resource version, in memory of its own. */
export function spliceResourceVersion(value: Spliceable, revision: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(splicedLength(value, revision));
  spliceInto(bytes, 0, value, revision);
  return bytes;
}

/** The number of bytes that {@link spliceInto} writes. */
export function splicedLength(value: Spliceable, revision: number): number {
  return value.body.length + insertionOf(revision).length;
}

/** Writes the body with its resource version to `target` from `at` on. */
export function spliceInto(target: Buffer, at: number, value: Spliceable, revision: number): void {
  const insertion = insertionOf(revision);
  const { body, versionOffset } = value;
  body.copy(target, at, 0, versionOffset);
  target.write(insertion, at + versionOffset, 'latin1');
  body.copy(target, at + versionOffset + insertion.length, versionOffset);
}

function insertionOf(revision: number): string {
  return `"resourceVersion":"${revision}",`;
}
