/**
 * The form of a backup, whatever store it comes from: a line that says what it is, a header, a record for each key, and an end with their number and the
 * SHA-256 of everything before it. It is written and read as a stream, in memory that does not grow with it. It knows no file and no store.
 *
 * A frame is a letter, the length of what follows in four bytes (big-endian), and that. Header and end are JSON; a record is the length of its key (4 bytes), its
 * revision of creation, its last revision, its version (8 bytes each), the key without the prefix of all keys, and the value, which nobody looks into.
 */
import { createHash, type Hash } from 'node:crypto';
import type { Revision } from '../storage/store';

const FORMAT = 'cluster-control-plane-backup';
const VERSION = 1;
const LINE = Buffer.from(`${FORMAT} ${VERSION}\n`);
const LINE_PATTERN = /^cluster-control-plane-backup (\d+)\n/;

/** Also the letters with which frames begin. */
const HEADER = 'H';
const RECORD = 'R';
const END = 'E';

const FRAME_HEAD_BYTES = 5;
const NUMBER_BYTES = 6;
const WIDE_BYTES = 8;
const RECORD_HEAD_BYTES = 4 + 3 * WIDE_BYTES;
/** Stores take a few MiB a value; what says that it is longer has been damaged. */
const LONGEST_FRAME = 64 << 20;
const CHUNK_BYTES = 256 << 10;

/** Not the whole of what was backed up, or not a backup at all; the message goes on after a name: "… was cut off". */
export class BackupFault extends Error {
  override readonly name = 'BackupFault';
}

export interface BackupHeader {
  readonly source: 'embedded' | 'etcd';
  /** The revision that all records were read at, as clients see it. */
  readonly revision: Revision;
  /** Under which the keys lay, without a slash at its end. */
  readonly prefix: string;
  readonly naming: string;
  /** The format of what is stored. */
  readonly dataVersion: number;
  /** RFC 3339. */
  readonly time: string;
}

export interface BackupRecord {
  /** Without the prefix and its slash. */
  readonly key: string;
  readonly value: Buffer;
  readonly createRevision: Revision;
  readonly modRevision: Revision;
  readonly version: number;
}

/** The bytes of a backup, in chunks. `told` hears how many records they hold so far. */
export async function* encodeBackup(
  header: BackupHeader,
  records: AsyncIterable<BackupRecord>,
  told: (count: number) => void,
): AsyncGenerator<Buffer, void, undefined> {
  const hash = createHash('sha256');
  let waiting: Buffer[] = [LINE, frame(HEADER, Buffer.from(JSON.stringify(header)))];
  let bytes = 0;
  let count = 0;
  const chunk = (): Buffer => {
    const whole = Buffer.concat(waiting);
    waiting = [];
    bytes = 0;
    hash.update(whole);
    return whole;
  };
  for await (const record of records) {
    const encoded = encodeRecord(record);
    waiting.push(encoded);
    bytes += encoded.length;
    told(++count);
    if (bytes >= CHUNK_BYTES) yield chunk();
  }
  yield chunk();
  yield frame(END, Buffer.from(JSON.stringify({ records: count, sha256: hash.digest('hex') })));
}

function frame(letter: string, content: Buffer): Buffer {
  const head = Buffer.alloc(FRAME_HEAD_BYTES);
  head.write(letter);
  head.writeUInt32BE(content.length, 1);
  return Buffer.concat([head, content]);
}

function encodeRecord({ key, value, createRevision, modRevision, version }: BackupRecord): Buffer {
  const keyBytes = Buffer.byteLength(key);
  const length = RECORD_HEAD_BYTES + keyBytes + value.length;
  const bytes = Buffer.alloc(FRAME_HEAD_BYTES + length);
  bytes.write(RECORD);
  bytes.writeUInt32BE(length, 1);
  let at = FRAME_HEAD_BYTES;
  at = bytes.writeUInt32BE(keyBytes, at);
  for (const number of [createRevision, modRevision, version]) {
    at = bytes.writeUIntBE(number, at + WIDE_BYTES - NUMBER_BYTES, NUMBER_BYTES);
  }
  at += bytes.write(key, at);
  value.copy(bytes, at);
  return bytes;
}

/** A backup that is being read. Its records can be asked for once; whoever has had the last one knows that all are as they were written. */
export interface OpenedBackup {
  readonly header: BackupHeader;
  /** Rejects with {@link BackupFault} as soon as something is wrong; the values are views of the chunks. */
  records(): AsyncGenerator<BackupRecord, void, undefined>;
}

/** Rejects with {@link BackupFault} when this is no backup that can be read here. */
export async function decodeBackup(chunks: AsyncIterable<Buffer>): Promise<OpenedBackup> {
  const input = new Input(chunks);
  const line = await input.take(LINE.length);
  const version = LINE_PATTERN.exec(line?.toString('latin1') ?? '')?.[1];
  if (line === undefined || version === undefined) throw new BackupFault('is no backup of this system');
  if (Number(version) !== VERSION) {
    throw new BackupFault(`was written in format ${version}, this program reads ${VERSION}: use the release that wrote it, or a later one`);
  }
  const { letter, head, content } = await nextFrame(input);
  if (letter !== HEADER) throw damaged();
  const hash = createHash('sha256').update(line).update(head).update(content);
  return { header: parseHeader(content), records: () => readRecords(input, hash) };
}

async function* readRecords(input: Input, hash: Hash): AsyncGenerator<BackupRecord, void, undefined> {
  for (let count = 0; ; count++) {
    const { letter, head, content } = await nextFrame(input);
    switch (letter) {
      case RECORD:
        hash.update(head).update(content);
        yield decodeRecord(content);
        break;
      case END:
        checkEnd(content, count, hash.digest('hex'));
        if ((await input.take(1)) !== undefined) throw new BackupFault('goes on after its end: it was put together from several files');
        return;
      default:
        throw damaged();
    }
  }
}

function checkEnd(content: Buffer, count: number, sum: string): void {
  const end = membersOf(content);
  if (end.get('records') !== count || end.get('sha256') !== sum) {
    throw new BackupFault('has changed since it was written: its checksum is another one');
  }
}

interface Frame {
  readonly letter: string;
  readonly head: Buffer;
  readonly content: Buffer;
}

async function nextFrame(input: Input): Promise<Frame> {
  const head = await input.take(FRAME_HEAD_BYTES);
  if (head === undefined) throw cutOff();
  const letter = head.toString('latin1', 0, 1);
  const length = head.readUInt32BE(1);
  if (length > LONGEST_FRAME) throw damaged();
  const content = await input.take(length);
  if (content === undefined) throw cutOff();
  return { letter, head, content };
}

function decodeRecord(content: Buffer): BackupRecord {
  const keyEnd = content.length < RECORD_HEAD_BYTES ? Infinity : RECORD_HEAD_BYTES + content.readUInt32BE(0);
  if (keyEnd > content.length) throw damaged();
  const number = (index: number): number => content.readUIntBE(4 + (index + 1) * WIDE_BYTES - NUMBER_BYTES, NUMBER_BYTES);
  return {
    key: content.toString('utf8', RECORD_HEAD_BYTES, keyEnd),
    value: content.subarray(keyEnd),
    createRevision: number(0),
    modRevision: number(1),
    version: number(2),
  };
}

function parseHeader(content: Buffer): BackupHeader {
  const members = membersOf(content);
  const source = members.get('source');
  const text = (name: string): string => {
    const value = members.get(name);
    if (typeof value !== 'string') throw damaged();
    return value;
  };
  const number = (name: string): number => {
    const value = members.get(name);
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw damaged();
    return value;
  };
  if (source !== 'embedded' && source !== 'etcd') throw damaged();
  return {
    source,
    revision: number('revision'),
    prefix: text('prefix'),
    naming: text('naming'),
    dataVersion: number('dataVersion'),
    time: text('time'),
  };
}

function membersOf(content: Buffer): ReadonlyMap<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(content.toString());
  } catch {
    throw damaged();
  }
  return new Map(typeof value === 'object' && value !== null ? Object.entries(value) : []);
}

const damaged = (): BackupFault => new BackupFault('is damaged');
const cutOff = (): BackupFault => new BackupFault('ends in the middle: it was cut off, or its making did not finish; take another one');

/** Bytes on demand. */
class Input {
  private readonly chunks: AsyncIterator<Buffer>;
  private held: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Buffer>) {
    this.chunks = chunks[Symbol.asyncIterator]();
  }

  /** Exactly so many bytes; undefined when fewer are left. */
  async take(bytes: number): Promise<Buffer | undefined> {
    if (this.held.length < bytes) await this.fill(bytes);
    if (this.held.length < bytes) return undefined;
    const taken = this.held.subarray(0, bytes);
    this.held = this.held.subarray(bytes);
    return taken;
  }

  private async fill(bytes: number): Promise<void> {
    const parts = [this.held];
    for (let length = this.held.length; length < bytes;) {
      const next = await this.chunks.next();
      if (next.done === true) break;
      parts.push(next.value);
      length += next.value.length;
    }
    this.held = Buffer.concat(parts);
  }
}
