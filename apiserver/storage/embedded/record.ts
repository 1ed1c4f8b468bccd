/**
 * The byte layout of the numbers, keys and log entries of the embedded store. Numbers are 48 bits, big-endian, so that
 * byte order is numeric order. Does not access the database.
 */
import { inflateRawSync } from 'node:zlib';
import type { Revision } from '../store';

/** A change of one key by one transaction. A deletion has an empty value and version 0. */
export interface KeyChange {
  readonly key: string;
  readonly deleted: boolean;
  readonly createRevision: Revision;
  readonly version: number;
  /** 0: no lease. */
  readonly lease: number;
  readonly value: Buffer;
  /** The compressed value, which the log stores instead; absent when the value is stored as it is. */
  readonly compressed?: Buffer | undefined;
}

/** The change that deletes the key. */
export function deletionOf(key: string): KeyChange {
  return { key, deleted: true, createRevision: 0, version: 0, lease: 0, value: EMPTY_VALUE };
}

/** The `latest` record of a live key; its value is in the log. */
export interface LatestRecord {
  readonly modRevision: Revision;
  readonly createRevision: Revision;
  readonly version: number;
  /** 0: no lease. */
  readonly lease: number;
}

/** The `history` record of a key at one revision; undefined for a deletion. */
export interface HistoryRecord {
  readonly createRevision: Revision;
  readonly version: number;
}

/** Length of a number, big-endian: all numbers are below 2^48. */
const NUMBER_BYTES = 6;
/** Length of a revision in keys. */
const REVISION_BYTES = 8;
/** Offsets in the header of a change, which its key and its value follow. The first byte is the type. */
const KEY_LENGTH_OFFSET = 1;
const VALUE_LENGTH_OFFSET = 5;
const CREATE_REVISION_OFFSET = 9;
const VERSION_OFFSET = CREATE_REVISION_OFFSET + NUMBER_BYTES;
const LEASE_OFFSET = VERSION_OFFSET + NUMBER_BYTES;
const CHANGE_HEADER_BYTES = LEASE_OFFSET + NUMBER_BYTES;
/** A compressed value begins with its uncompressed length, which takes this many bytes. */
export const LENGTH_PREFIX_BYTES = 4;
const EMPTY_VALUE = Buffer.alloc(0);

/** Types of a change in the log. */
const UNCOMPRESSED = 0;
const DELETED = 1;
const COMPRESSED = 2;

/** Eight bytes, of which the first two are always 0. */
export function encodeNumber(value: number): Buffer {
  const bytes = Buffer.alloc(REVISION_BYTES);
  bytes.writeUIntBE(value, REVISION_BYTES - NUMBER_BYTES, NUMBER_BYTES);
  return bytes;
}

/** Reads a number of eight bytes at the offset. */
export function decodeNumber(bytes: Buffer, offset = 0): number {
  return bytes.readUIntBE(offset + REVISION_BYTES - NUMBER_BYTES, NUMBER_BYTES);
}

/**
 * History keys order by key, then by revision: the key's bytes, a NUL, the revision. Keys contain no NUL themselves.
 */
export function historyKey(key: Buffer, revision: Revision): Buffer {
  const bytes = Buffer.alloc(key.length + 1 + REVISION_BYTES);
  key.copy(bytes);
  bytes.writeUIntBE(revision, bytes.length - NUMBER_BYTES, NUMBER_BYTES);
  return bytes;
}

/** The parts of a key that {@link historyKey} created. */
export function splitHistoryKey(bytes: Buffer): { readonly key: Buffer; readonly revision: Revision } {
  const end = bytes.length - 1 - REVISION_BYTES;
  return { key: bytes.subarray(0, end), revision: decodeNumber(bytes, end + 1) };
}

/**
 * The position in `history` where the keys from `bound` on start. A bound `a` is the position `a`. A bound `a\0` means
 * "just after the key `a`" and becomes a position behind all revisions of `a`: `a`, a NUL, eight bytes 0xff.
 */
export function historyBound(bound: Buffer): Buffer {
  const zero = bound.indexOf(0);
  return zero < 0 ? bound : Buffer.concat([bound.subarray(0, zero + 1), Buffer.alloc(REVISION_BYTES, 0xff)]);
}

/** Four numbers: modRevision, createRevision, version, lease. */
export function encodeLatestRecord(latest: LatestRecord): Buffer {
  const bytes = Buffer.allocUnsafe(4 * NUMBER_BYTES);
  bytes.writeUIntBE(latest.modRevision, 0, NUMBER_BYTES);
  bytes.writeUIntBE(latest.createRevision, NUMBER_BYTES, NUMBER_BYTES);
  bytes.writeUIntBE(latest.version, 2 * NUMBER_BYTES, NUMBER_BYTES);
  bytes.writeUIntBE(latest.lease, 3 * NUMBER_BYTES, NUMBER_BYTES);
  return bytes;
}

/** Reads a value of the table `latest`. */
export function decodeLatestRecord(bytes: Buffer): LatestRecord {
  return {
    modRevision: bytes.readUIntBE(0, NUMBER_BYTES),
    createRevision: bytes.readUIntBE(NUMBER_BYTES, NUMBER_BYTES),
    version: bytes.readUIntBE(2 * NUMBER_BYTES, NUMBER_BYTES),
    lease: bytes.readUIntBE(3 * NUMBER_BYTES, NUMBER_BYTES),
  };
}

/** Two numbers, createRevision and version; a single byte for a deletion. */
export function encodeHistoryRecord(record: HistoryRecord | undefined): Buffer {
  if (record === undefined) return Buffer.alloc(1);
  const bytes = Buffer.allocUnsafe(2 * NUMBER_BYTES);
  bytes.writeUIntBE(record.createRevision, 0, NUMBER_BYTES);
  bytes.writeUIntBE(record.version, NUMBER_BYTES, NUMBER_BYTES);
  return bytes;
}

/** Reads a value of the table `history`; `undefined` for a deletion. */
export function decodeHistoryRecord(bytes: Buffer): HistoryRecord | undefined {
  if (bytes.length === 1) return undefined;
  return { createRevision: bytes.readUIntBE(0, NUMBER_BYTES), version: bytes.readUIntBE(NUMBER_BYTES, NUMBER_BYTES) };
}

/** One log entry: every change of one revision, in the transaction's order. */
export function encodeLogEntry(changes: readonly KeyChange[]): Buffer {
  let size = 0;
  for (const change of changes) size += CHANGE_HEADER_BYTES + Buffer.byteLength(change.key) + storedValueOf(change).length;
  const bytes = Buffer.allocUnsafe(size);
  let at = 0;
  for (const change of changes) {
    const keyLength = bytes.write(change.key, at + CHANGE_HEADER_BYTES);
    const value = storedValueOf(change);
    bytes[at] = typeOf(change);
    bytes.writeUInt32BE(keyLength, at + KEY_LENGTH_OFFSET);
    bytes.writeUInt32BE(value.length, at + VALUE_LENGTH_OFFSET);
    bytes.writeUIntBE(change.createRevision, at + CREATE_REVISION_OFFSET, NUMBER_BYTES);
    bytes.writeUIntBE(change.version, at + VERSION_OFFSET, NUMBER_BYTES);
    bytes.writeUIntBE(change.lease, at + LEASE_OFFSET, NUMBER_BYTES);
    at += CHANGE_HEADER_BYTES + keyLength;
    at += value.copy(bytes, at);
  }
  return bytes;
}

function typeOf({ deleted, compressed }: KeyChange): number {
  if (deleted) return DELETED;
  return compressed === undefined ? UNCOMPRESSED : COMPRESSED;
}

const storedValueOf = ({ compressed, value }: KeyChange): Buffer => compressed ?? value;

/** Reads a whole entry. Values are copies: `bytes` may be overwritten afterwards. */
export function decodeLogEntry(bytes: Buffer): KeyChange[] {
  const changes: KeyChange[] = [];
  for (let at = 0; at < bytes.length; at = changeEnd(bytes, at)) {
    const keyEnd = keyEndOf(bytes, at);
    changes.push({
      key: bytes.toString('utf8', at + CHANGE_HEADER_BYTES, keyEnd),
      deleted: bytes[at] === DELETED,
      createRevision: bytes.readUIntBE(at + CREATE_REVISION_OFFSET, NUMBER_BYTES),
      version: bytes.readUIntBE(at + VERSION_OFFSET, NUMBER_BYTES),
      lease: bytes.readUIntBE(at + LEASE_OFFSET, NUMBER_BYTES),
      value: valueAt(bytes, at, keyEnd),
    });
  }
  return changes;
}

/** The keys that an entry changes, without decoding their values. */
export function keysOfLogEntry(bytes: Buffer): { readonly key: string; readonly deleted: boolean }[] {
  const keys: { readonly key: string; readonly deleted: boolean }[] = [];
  for (let at = 0; at < bytes.length; at = changeEnd(bytes, at)) {
    keys.push({ key: bytes.toString('utf8', at + CHANGE_HEADER_BYTES, keyEndOf(bytes, at)), deleted: bytes[at] === DELETED });
  }
  return keys;
}

/** The total uncompressed size of the values in an entry, in bytes. */
export function valueBytesOfLogEntry(bytes: Buffer): number {
  let total = 0;
  for (let at = 0; at < bytes.length; at = changeEnd(bytes, at)) {
    // The uncompressed length is the prefix of a compressed value, which starts where the key ends.
    total += bytes.readUInt32BE(bytes[at] === COMPRESSED ? keyEndOf(bytes, at) : at + VALUE_LENGTH_OFFSET);
  }
  return total;
}

/** A copy of the value of `key` in an entry; undefined when the entry does not put the key. */
export function valueInLogEntry(bytes: Buffer, key: Buffer): Buffer | undefined {
  for (let at = 0; at < bytes.length; at = changeEnd(bytes, at)) {
    const keyEnd = keyEndOf(bytes, at);
    if (key.compare(bytes, at + CHANGE_HEADER_BYTES, keyEnd) === 0 && bytes[at] !== DELETED) return valueAt(bytes, at, keyEnd);
  }
  return undefined;
}

/** Where the key of the change at `at` ends and its value starts. */
function keyEndOf(bytes: Buffer, at: number): number {
  return at + CHANGE_HEADER_BYTES + bytes.readUInt32BE(at + KEY_LENGTH_OFFSET);
}

/** Where the change at `at` ends. */
function changeEnd(bytes: Buffer, at: number): number {
  return keyEndOf(bytes, at) + bytes.readUInt32BE(at + VALUE_LENGTH_OFFSET);
}

function valueAt(bytes: Buffer, at: number, start: number): Buffer {
  const end = changeEnd(bytes, at);
  return bytes[at] === COMPRESSED ? decompress(bytes, start, end) : copyBytes(bytes, start, end);
}

/**
 * Decompresses the value between `start` and `end`. A `chunkSize` one above the uncompressed length makes zlib return the
 * value in one chunk: it starts another one when its output buffer is full.
 */
function decompress(bytes: Buffer, start: number, end: number): Buffer {
  return inflateRawSync(bytes.subarray(start + LENGTH_PREFIX_BYTES, end), { chunkSize: bytes.readUInt32BE(start) + 1 });
}

function copyBytes(bytes: Buffer, start: number, end: number): Buffer {
  if (start === end) return EMPTY_VALUE;
  const copy = Buffer.allocUnsafeSlow(end - start);
  bytes.copy(copy, 0, start, end);
  return copy;
}
