/**
 * The backup format, independent of the store: a magic line, a header frame, a record frame for each key, and an end
 * frame with the number of records and the SHA-256 of everything before it. A backup is encoded and decoded as a stream, with
 * bounded memory. Reading and writing files and stores is left to the callers.
 */
import { createHash, type Hash } from 'node:crypto';
import type { Revision } from '../storage/store';

const FORMAT_NAME = 'cluster-control-plane-backup';
/**
 * Version of the format, incremented by every change that older programs cannot read. It has one digit, because programs of
 * other versions read as many bytes as their own magic line has.
 */
const VERSION = 1;
const MAGIC_LINE = Buffer.from(`${FORMAT_NAME} ${VERSION}\n`);
/** `cluster-control-plane-backup 1` and a line break, with the version as a group. */
const MAGIC_PATTERN = /^cluster-control-plane-backup (\d+)\n/;

/**
 * Types of frames. A frame is its type letter, the length of its content (4 bytes, big-endian) and the content. Header
 * and end are JSON. A record is the length of its key (4 bytes), its create revision, mod revision and version (8 bytes
 * each), the key without the prefix, and the value, which is not interpreted.
 */
const HEADER = 'H';
const RECORD = 'R';
const END = 'E';

/** The type of a frame (1 byte) and the length of its content (4 bytes). */
const FRAME_HEADER_BYTES = 5;
/** The last bytes of a field contain its number: Node reads and writes integers of at most six bytes, up to 2^48. */
const NUMBER_BYTES = 6;
const NUMBER_FIELD_BYTES = 8;
const KEY_LENGTH_BYTES = 4;
/** The length of the key, and three numbers: create revision, mod revision and version. */
const RECORD_HEADER_BYTES = KEY_LENGTH_BYTES + 3 * NUMBER_FIELD_BYTES;
/** Far more than the few MiB of a value that stores accept: a longer frame is damaged. */
const MAX_FRAME_BYTES = 64 * 1024 * 1024;
/** Frames are collected until a chunk has at least this size. */
const CHUNK_BYTES = 256 * 1024;

/**
 * The backup is truncated, damaged or not a backup. The message continues a sentence that starts with the backup's
 * name, such as "is damaged".
 */
export class BackupFormatError extends Error {
  override readonly name = 'BackupFormatError';
}

/** The first frame of a backup: what it contains and where it comes from. */
export interface BackupHeader {
  readonly source: 'embedded' | 'etcd';
  /** The revision that all records were read at, as clients see it. */
  readonly revision: Revision;
  /** The key prefix, without a trailing slash. */
  readonly prefix: string;
  /** The naming dialect of the data. */
  readonly naming: string;
  /** Format version of the stored data. */
  readonly dataVersion: number;
  /** RFC 3339. */
  readonly time: string;
}

/** One key at the revision of the backup. */
export interface BackupRecord {
  /** The key without the prefix and its slash. */
  readonly key: string;
  readonly value: Buffer;
  readonly createRevision: Revision;
  readonly modRevision: Revision;
  readonly version: number;
}

/** Yields the bytes of a backup in chunks. `onProgress` is called with the number of encoded records. */
export async function* encodeBackup(
  header: BackupHeader,
  records: AsyncIterable<BackupRecord>,
  onProgress: (count: number) => void,
): AsyncGenerator<Buffer, void, undefined> {
  const hash = createHash('sha256');
  let pendingFrames: Buffer[] = [MAGIC_LINE, encodeFrame(HEADER, Buffer.from(JSON.stringify(header)))];
  let bytes = 0;
  let count = 0;
  const takeChunk = (): Buffer => {
    const chunk = Buffer.concat(pendingFrames);
    pendingFrames = [];
    bytes = 0;
    hash.update(chunk);
    return chunk;
  };
  for await (const record of records) {
    const encoded = encodeRecord(record);
    pendingFrames.push(encoded);
    bytes += encoded.length;
    onProgress(++count);
    if (bytes >= CHUNK_BYTES) yield takeChunk();
  }
  yield takeChunk();
  yield encodeFrame(END, Buffer.from(JSON.stringify({ records: count, sha256: hash.digest('hex') })));
}

function encodeFrame(type: string, content: Buffer): Buffer {
  const header = Buffer.alloc(FRAME_HEADER_BYTES);
  header.write(type);
  header.writeUInt32BE(content.length, 1);
  return Buffer.concat([header, content]);
}

function encodeRecord({ key, value, createRevision, modRevision, version }: BackupRecord): Buffer {
  const keyBytes = Buffer.byteLength(key);
  const length = RECORD_HEADER_BYTES + keyBytes + value.length;
  const bytes = Buffer.alloc(FRAME_HEADER_BYTES + length);
  bytes.write(RECORD);
  bytes.writeUInt32BE(length, 1);
  let offset = bytes.writeUInt32BE(keyBytes, FRAME_HEADER_BYTES);
  for (const number of [createRevision, modRevision, version]) {
    offset = bytes.writeUIntBE(number, offset + NUMBER_FIELD_BYTES - NUMBER_BYTES, NUMBER_BYTES);
  }
  offset += bytes.write(key, offset);
  value.copy(bytes, offset);
  return bytes;
}

/**
 * A backup that is being decoded. Its records can be read once; all of them are intact if the iteration ends without an
 * error.
 */
export interface DecodedBackup {
  readonly header: BackupHeader;
  /**
   * Throws {@link BackupFormatError}: at a frame that cannot be read, or at the end when the checksum differs. Values
   * are views of a buffer that neighbouring records share.
   */
  records(): AsyncGenerator<BackupRecord, void, undefined>;
}

/** Rejects with {@link BackupFormatError} when the input is not a backup in a supported format. */
export async function decodeBackup(chunks: AsyncIterable<Buffer>): Promise<DecodedBackup> {
  const input = new ByteReader(chunks);
  const line = await input.read(MAGIC_LINE.length);
  const version = MAGIC_PATTERN.exec(line?.toString('latin1') ?? '')?.[1];
  if (line === undefined || version === undefined) throw new BackupFormatError('is not a backup of this program');
  if (Number(version) !== VERSION) {
    throw new BackupFormatError(
      `was written in format ${version}, and this program reads ${VERSION}: use the release that wrote it, or a later one`,
    );
  }
  const { type, header, content } = await readFrame(input);
  if (type !== HEADER) throw damagedError();
  const hash = createHash('sha256').update(line).update(header).update(content);
  return { header: parseHeader(content), records: () => readRecords(input, hash) };
}

/** Yields the records up to the end frame, which it checks. `hash` is that of everything before. */
async function* readRecords(input: ByteReader, hash: Hash): AsyncGenerator<BackupRecord, void, undefined> {
  for (let count = 0; ; count++) {
    const { type, header, content } = await readFrame(input);
    switch (type) {
      case RECORD:
        hash.update(header).update(content);
        yield decodeRecord(content);
        break;
      case END:
        checkEnd(content, count, hash.digest('hex'));
        if ((await input.read(1)) !== undefined)
          throw new BackupFormatError('continues after its end record: it was concatenated from several files');
        return;
      default:
        throw damagedError();
    }
  }
}

/** Throws unless the end frame has the number of records and their checksum. */
function checkEnd(content: Buffer, count: number, checksum: string): void {
  const end = membersOf(content);
  if (end.get('records') !== count || end.get('sha256') !== checksum) {
    throw new BackupFormatError('was changed after it was written: the checksum differs');
  }
}

/** A frame with its parts as bytes, because the checksum includes them. */
interface Frame {
  readonly type: string;
  readonly header: Buffer;
  readonly content: Buffer;
}

async function readFrame(input: ByteReader): Promise<Frame> {
  const header = await input.read(FRAME_HEADER_BYTES);
  if (header === undefined) throw truncatedError();
  const type = header.toString('latin1', 0, 1);
  const length = header.readUInt32BE(1);
  if (length > MAX_FRAME_BYTES) throw damagedError();
  const content = await input.read(length);
  if (content === undefined) throw truncatedError();
  return { type, header, content };
}

function decodeRecord(content: Buffer): BackupRecord {
  // Beyond the content when it is too short to have a key length.
  const keyEnd = content.length < RECORD_HEADER_BYTES ? Infinity : RECORD_HEADER_BYTES + content.readUInt32BE(0);
  if (keyEnd > content.length) throw damagedError();
  const numberAt = (index: number): number => {
    const fieldEnd = KEY_LENGTH_BYTES + (index + 1) * NUMBER_FIELD_BYTES;
    return content.readUIntBE(fieldEnd - NUMBER_BYTES, NUMBER_BYTES);
  };
  return {
    key: content.toString('utf8', RECORD_HEADER_BYTES, keyEnd),
    value: content.subarray(keyEnd),
    createRevision: numberAt(0),
    modRevision: numberAt(1),
    version: numberAt(2),
  };
}

function parseHeader(content: Buffer): BackupHeader {
  const members = membersOf(content);
  const source = members.get('source');
  const textOf = (name: string): string => {
    const value = members.get(name);
    if (typeof value !== 'string') throw damagedError();
    return value;
  };
  const integerOf = (name: string): number => {
    const value = members.get(name);
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw damagedError();
    return value;
  };
  if (source !== 'embedded' && source !== 'etcd') throw damagedError();
  return {
    source,
    revision: integerOf('revision'),
    prefix: textOf('prefix'),
    naming: textOf('naming'),
    dataVersion: integerOf('dataVersion'),
    time: textOf('time'),
  };
}

/** The members of a JSON object; none for another value. */
function membersOf(content: Buffer): ReadonlyMap<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(content.toString());
  } catch {
    throw damagedError();
  }
  return new Map(typeof value === 'object' && value !== null ? Object.entries(value) : []);
}

const damagedError = (): BackupFormatError => new BackupFormatError('is damaged');
const truncatedError = (): BackupFormatError => new BackupFormatError('is truncated: the end record is missing; use another backup');

/** Reads exact numbers of bytes from a stream of chunks. */
class ByteReader {
  private readonly chunks: AsyncIterator<Buffer>;
  private buffered: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Buffer>) {
    this.chunks = chunks[Symbol.asyncIterator]();
  }

  /** Resolves with exactly `bytes` bytes; undefined when fewer are left. */
  async read(bytes: number): Promise<Buffer | undefined> {
    if (this.buffered.length < bytes) await this.fill(bytes);
    if (this.buffered.length < bytes) return undefined;
    const result = this.buffered.subarray(0, bytes);
    this.buffered = this.buffered.subarray(bytes);
    return result;
  }

  private async fill(bytes: number): Promise<void> {
    const chunks = [this.buffered];
    for (let length = this.buffered.length; length < bytes;) {
      const next = await this.chunks.next();
      if (next.done === true) break;
      chunks.push(next.value);
      length += next.value.length;
    }
    this.buffered = Buffer.concat(chunks);
  }
}
