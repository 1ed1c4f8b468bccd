/**
 * A SPDY 3.1 client with the features that kubelets need. Header blocks are sent in zlib's stored form, and headers
 * from the peer are not parsed. Independent of the purpose of streams.
 */
import type { Duplex } from 'node:stream';

export interface SpdyEvents {
  /** Data has arrived on a stream. */
  onData(stream: number, bytes: Buffer): void;
  /** No more data will arrive on the stream; called once per stream, for all open ones when the connection ends. */
  onStreamEnd(stream: number): void;
}

const VERSION = 0x8003;
const HEAD_BYTES = 8;
const FIN = 1;
const TYPES = { open: 1, reset: 3, ping: 6, goAway: 7 } as const;
/** Limit for control frames, above the size of every one that is parsed. */
const MAX_CONTROL_BYTES = 64 * 1024;

/** The zlib header and the checksum of SPDY's dictionary, which starts the first header block. */
const ZLIB_HEAD = Buffer.from([0x78, 0xf9, 0xe3, 0xc6, 0xa7, 0xc2]);
/** An empty stored block (sync flush), after which the preceding bytes can be decompressed. */
const EMPTY_BLOCK = Buffer.from([0, 0, 0, 0xff, 0xff]);

export class SpdyClient {
  private readonly openStreams = new Set<number>();
  private nextStream = 1;
  /** The incomplete frame: its head, or the whole of a control frame. */
  private pending: Buffer = Buffer.alloc(0);
  /** Number of bytes that are missing of the current data frame. */
  private remainingData = 0;
  private current = { stream: 0, isLast: false };
  private unsent: Buffer[] = [];
  private waiting: (() => void)[] = [];

  constructor(
    private readonly socket: Duplex,
    private readonly events: SpdyEvents,
  ) {
    socket.on('data', (bytes: Buffer) => this.read(bytes));
    for (const event of ['end', 'close', 'error']) socket.on(event, () => this.endAll());
  }

  /** Returns the stream's number. */
  openStream(headers: Readonly<Record<string, string>>): number {
    const stream = this.nextStream;
    const fields = Buffer.alloc(10);
    fields.writeUInt32BE(stream);
    this.sendControl(TYPES.open, Buffer.concat([fields, headerBlock(headers, stream === 1)]));
    this.nextStream += 2;
    this.openStreams.add(stream);
    return stream;
  }

  /**
   * Deferred: the peer may have closed, and when a write fails, the connection is destroyed with all data that is
   * still to be read, such as the last output of a command. Data that has arrived is read first.
   */
  write(stream: number, bytes: Buffer, isLast = false): void {
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeUInt32BE(stream);
    head.writeUInt32BE((isLast ? FIN : 0) * 2 ** 24 + bytes.length, 4);
    this.unsent.push(head, bytes);
    if (this.unsent.length === 2) afterNextPoll(() => this.flush());
  }

  /** Calls `then` once the peer has accepted what was written. */
  whenDrained(then: () => void): void {
    this.waiting.push(then);
  }

  private flush(): void {
    const unsent = this.unsent;
    const waiting = this.waiting;
    [this.unsent, this.waiting] = [[], []];
    if (this.isClosed) return;
    const resolveWaiting = (): void => waiting.forEach((then) => then());
    for (const part of unsent) this.socket.write(part);
    if (this.socket.writableNeedDrain) this.socket.once('drain', resolveWaiting);
    else resolveWaiting();
  }

  private get isClosed(): boolean {
    return this.socket.writableEnded || this.socket.destroyed;
  }

  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
  }

  close(): void {
    this.flush();
    if (this.isClosed) return;
    this.sendControl(TYPES.goAway, Buffer.alloc(8));
    // Data that still arrives is discarded.
    this.socket.end(() => this.socket.destroy());
    this.socket.resume();
  }

  /** Also called with the data that arrived before the listener was attached. */
  read(bytes: Buffer): void {
    for (let rest = bytes; rest.length > 0;) rest = this.remainingData > 0 ? this.readData(rest) : this.readFrame(rest);
  }

  private readData(bytes: Buffer): Buffer {
    const part = bytes.subarray(0, this.remainingData);
    this.remainingData -= part.length;
    const { stream, isLast } = this.current;
    if (this.openStreams.has(stream)) this.events.onData(stream, part);
    if (this.remainingData === 0 && isLast) this.end(stream);
    return bytes.subarray(part.length);
  }

  private readFrame(bytes: Buffer): Buffer {
    const buffered = this.pending.length === 0 ? bytes : Buffer.concat([this.pending, bytes]);
    if (buffered.length < HEAD_BYTES) return this.keepPending(buffered);
    const length = buffered.readUInt32BE(4) % 2 ** 24;
    const isControl = buffered.readUInt8(0) >= 0x80;
    if (!isControl) {
      this.current = { stream: buffered.readUInt32BE(0), isLast: (buffered.readUInt8(4) & FIN) !== 0 };
      this.remainingData = length;
      this.pending = Buffer.alloc(0);
      if (length === 0 && this.current.isLast) this.end(this.current.stream);
      return buffered.subarray(HEAD_BYTES);
    }
    if (length > MAX_CONTROL_BYTES) {
      this.socket.destroy();
      return Buffer.alloc(0);
    }
    if (buffered.length < HEAD_BYTES + length) return this.keepPending(buffered);
    this.pending = Buffer.alloc(0);
    this.handleControl(buffered.readUInt16BE(2), (buffered.readUInt8(4) & FIN) !== 0, buffered.subarray(HEAD_BYTES, HEAD_BYTES + length));
    return buffered.subarray(HEAD_BYTES + length);
  }

  private keepPending(bytes: Buffer): Buffer {
    this.pending = bytes;
    return Buffer.alloc(0);
  }

  private handleControl(type: number, isLast: boolean, content: Buffer): void {
    const stream = content.length >= 4 ? content.readUInt32BE(0) % 2 ** 31 : 0;
    if (type === TYPES.ping) this.sendControl(TYPES.ping, content);
    else if (type === TYPES.reset || isLast) this.end(stream);
    else if (type === TYPES.goAway) this.endAll();
  }

  private end(stream: number): void {
    if (this.openStreams.delete(stream)) this.events.onStreamEnd(stream);
  }

  private endAll(): void {
    for (const stream of [...this.openStreams]) this.end(stream);
  }

  private sendControl(type: number, content: Buffer): void {
    if (this.isClosed) return;
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeUInt16BE(VERSION);
    head.writeUInt16BE(type, 2);
    head.writeUInt32BE(content.length, 4);
    this.socket.write(Buffer.concat([head, content]));
  }
}

/** Runs after the event loop has polled for incoming data once more. */
const afterNextPoll = (then: () => void): void => void setImmediate(() => setImmediate(then));

/** A header block in zlib's stored form. */
function headerBlock(headers: Readonly<Record<string, string>>, isFirst: boolean): Buffer {
  const pairs = Object.entries(headers).flat().map(lengthPrefixed);
  const content = Buffer.concat([uint32(Object.keys(headers).length), ...pairs]);
  const head = Buffer.alloc(5);
  head.writeUInt16LE(content.length, 1);
  head.writeUInt16LE(0xffff - content.length, 3);
  return Buffer.concat([...(isFirst ? [ZLIB_HEAD] : []), head, content, EMPTY_BLOCK]);
}

function lengthPrefixed(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([uint32(bytes.length), bytes]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
