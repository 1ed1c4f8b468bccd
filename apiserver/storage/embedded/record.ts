/**
 * How the embedded store writes its numbers, keys and log entries as bytes. Numbers are 48 bits, big-endian, so that
 * byte order is number order. It never reads or writes the database.
 */
import { inflateRawSync } from 'node:zlib';
import type { Revision } from '../store';

/** What one transaction did to one key. A deletion has an empty value and version 0. */
export interface KeyChange {
  readonly key: string;
  readonly deleted: boolean;
  readonly createRevision: Revision;
  readonly version: number;
  /** 0 = no lease. */
  readonly lease: number;
  readonly value: Buffer;
  /** What the log holds of the value; absent = the value itself. */
  readonly packed?: Buffer | undefined;
}

/** What `latest` holds about a live key; its value lies in the log. */
export interface Latest {
  readonly modRevision: Revision;
  readonly createRevision: Revision;
  readonly version: number;
  readonly lease: number;
}

/** What `history` holds about a key at one revision; undefined for a deletion. */
export interface Past {
  readonly createRevision: Revision;
  readonly version: number;
}

const NUMBER_BYTES = 6;
const REVISION_BYTES = 8;
const CHANGE_HEAD_BYTES = 1 + 4 + 4 + 3 * NUMBER_BYTES;
/** Of the length that stands before a packed value. */
export const LENGTH_BYTES = 4;
const noBytes = Buffer.alloc(0);

/** What a change in the log is. */
const PLAIN = 0;
const DELETED = 1;
const PACKED = 2;

export function encodeNumber(value: number): Buffer {
  const bytes = Buffer.alloc(REVISION_BYTES);
  bytes.writeUIntBE(value, REVISION_BYTES - NUMBER_BYTES, NUMBER_BYTES);
  return bytes;
}

export function decodeNumber(bytes: Buffer, offset = 0): number {
  return bytes.readUIntBE(offset + REVISION_BYTES - NUMBER_BYTES, NUMBER_BYTES);
}

/** History keys order by key, then by revision: the key's bytes, a zero, the revision. Keys hold no zero themselves. */
export function historyKey(key: Buffer, revision: Revision): Buffer {
  const bytes = Buffer.alloc(key.length + 1 + REVISION_BYTES);
  key.copy(bytes);
  bytes.writeUIntBE(revision, bytes.length - NUMBER_BYTES, NUMBER_BYTES);
  return bytes;
}

export function splitHistoryKey(bytes: Buffer): { readonly key: Buffer; readonly revision: Revision } {
  const end = bytes.length - 1 - REVISION_BYTES;
  return { key: bytes.subarray(0, end), revision: decodeNumber(bytes, end + 1) };
}

/** The place in `history` where the keys from `bound` on begin; `bound` may end in a zero ("just after this key"). */
export function historyBound(bound: Buffer): Buffer {
  const zero = bound.indexOf(0);
  return zero < 0 ? bound : Buffer.concat([bound.subarray(0, zero + 1), Buffer.alloc(REVISION_BYTES, 0xff)]);
}

export function encodeLatest(latest: Latest): Buffer {
  const bytes = Buffer.allocUnsafe(4 * NUMBER_BYTES);
  bytes.writeUIntBE(latest.modRevision, 0, NUMBER_BYTES);
  bytes.writeUIntBE(latest.createRevision, NUMBER_BYTES, NUMBER_BYTES);
  bytes.writeUIntBE(latest.version, 2 * NUMBER_BYTES, NUMBER_BYTES);
  bytes.writeUIntBE(latest.lease, 3 * NUMBER_BYTES, NUMBER_BYTES);
  return bytes;
}

export function decodeLatest(bytes: Buffer): Latest {
  return {
    modRevision: bytes.readUIntBE(0, NUMBER_BYTES),
    createRevision: bytes.readUIntBE(NUMBER_BYTES, NUMBER_BYTES),
    version: bytes.readUIntBE(2 * NUMBER_BYTES, NUMBER_BYTES),
    lease: bytes.readUIntBE(3 * NUMBER_BYTES, NUMBER_BYTES),
  };
}

export function encodePast(past: Past | undefined): Buffer {
  if (past === undefined) return Buffer.alloc(1);
  const bytes = Buffer.allocUnsafe(2 * NUMBER_BYTES);
  bytes.writeUIntBE(past.createRevision, 0, NUMBER_BYTES);
  bytes.writeUIntBE(past.version, NUMBER_BYTES, NUMBER_BYTES);
  return bytes;
}

export function decodePast(bytes: Buffer): Past | undefined {
  if (bytes.length === 1) return undefined;
  return { createRevision: bytes.readUIntBE(0, NUMBER_BYTES), version: bytes.readUIntBE(NUMBER_BYTES, NUMBER_BYTES) };
}

/** One log entry: every change of one revision, in the transaction's order. */
export function encodeEntry(changes: readonly KeyChange[]): Buffer {
  let size = 0;
  for (const change of changes) size += CHANGE_HEAD_BYTES + Buffer.byteLength(change.key) + logged(change).length;
  const bytes = Buffer.allocUnsafe(size);
  let at = 0;
  for (const change of changes) {
    const keyLength = bytes.write(change.key, at + CHANGE_HEAD_BYTES);
    const value = logged(change);
    bytes[at] = change.deleted ? DELETED : change.packed === undefined ? PLAIN : PACKED;
    bytes.writeUInt32BE(keyLength, at + 1);
    bytes.writeUInt32BE(value.length, at + 5);
    bytes.writeUIntBE(change.createRevision, at + 9, NUMBER_BYTES);
    bytes.writeUIntBE(change.version, at + 9 + NUMBER_BYTES, NUMBER_BYTES);
    bytes.writeUIntBE(change.lease, at + 9 + 2 * NUMBER_BYTES, NUMBER_BYTES);
    at += CHANGE_HEAD_BYTES + keyLength;
    at += value.copy(bytes, at);
  }
  return bytes;
}

const logged = ({ packed, value }: KeyChange): Buffer => packed ?? value;

/** Reads a whole entry. Values are copies: `bytes` may be overwritten afterwards. */
export function decodeEntry(bytes: Buffer): KeyChange[] {
  const changes: KeyChange[] = [];
  for (let at = 0; at < bytes.length; at = entryEnd(bytes, at)) {
    const keyEnd = at + CHANGE_HEAD_BYTES + bytes.readUInt32BE(at + 1);
    changes.push({
      key: bytes.toString('utf8', at + CHANGE_HEAD_BYTES, keyEnd),
      deleted: bytes[at] === DELETED,
      createRevision: bytes.readUIntBE(at + 9, NUMBER_BYTES),
      version: bytes.readUIntBE(at + 9 + NUMBER_BYTES, NUMBER_BYTES),
      lease: bytes.readUIntBE(at + 9 + 2 * NUMBER_BYTES, NUMBER_BYTES),
      value: valueAt(bytes, at, keyEnd),
    });
  }
  return changes;
}

/** Which keys an entry changes, without their values. */
export function keysOfEntry(bytes: Buffer): { readonly key: string; readonly deleted: boolean }[] {
  const keys: { readonly key: string; readonly deleted: boolean }[] = [];
  for (let at = 0; at < bytes.length; at = entryEnd(bytes, at)) {
    const keyStart = at + CHANGE_HEAD_BYTES;
    keys.push({ key: bytes.toString('utf8', keyStart, keyStart + bytes.readUInt32BE(at + 1)), deleted: bytes[at] === DELETED });
  }
  return keys;
}

/** The bytes of the values that an entry writes, as they were given. */
export function weightOfEntry(bytes: Buffer): number {
  let weight = 0;
  for (let at = 0; at < bytes.length; at = entryEnd(bytes, at)) {
    const start = at + CHANGE_HEAD_BYTES + bytes.readUInt32BE(at + 1);
    weight += bytes[at] === PACKED ? bytes.readUInt32BE(start) : bytes.readUInt32BE(at + 5);
  }
  return weight;
}

/** A copy of the value that an entry gives `key`; undefined when the entry does not write it. */
export function valueInEntry(bytes: Buffer, key: Buffer): Buffer | undefined {
  for (let at = 0; at < bytes.length; at = entryEnd(bytes, at)) {
    const keyStart = at + CHANGE_HEAD_BYTES;
    const keyEnd = keyStart + bytes.readUInt32BE(at + 1);
    if (key.compare(bytes, keyStart, keyEnd) === 0 && bytes[at] !== DELETED) return valueAt(bytes, at, keyEnd);
  }
  return undefined;
}

function entryEnd(bytes: Buffer, at: number): number {
  return at + CHANGE_HEAD_BYTES + bytes.readUInt32BE(at + 1) + bytes.readUInt32BE(at + 5);
}

function valueAt(bytes: Buffer, at: number, start: number): Buffer {
  const end = entryEnd(bytes, at);
  return bytes[at] === PACKED ? unpacked(bytes, start, end) : owned(bytes, start, end);
}

/** In one piece: what is packed is preceded by its length, and unpacking wants to see room behind it. */
function unpacked(bytes: Buffer, start: number, end: number): Buffer {
  return inflateRawSync(bytes.subarray(start + LENGTH_BYTES, end), { chunkSize: bytes.readUInt32BE(start) + 1 });
}

function owned(bytes: Buffer, start: number, end: number): Buffer {
  if (start === end) return noBytes;
  const copy = Buffer.allocUnsafeSlow(end - start);
  bytes.copy(copy, 0, start, end);
  return copy;
}
