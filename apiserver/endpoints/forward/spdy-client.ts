/**
 * SPDY 3.1 as the side that opens streams: as much of it as kubelets need. Headers of streams are not compressed – their blocks only have the form that the other side
 * unpacks – and what it says in headers is not read. Knows nothing of what streams are for.
 */
import type { Duplex } from 'node:stream';

export interface SpdyEvents {
  /** Something has come on a stream. */
  data(stream: number, bytes: Buffer): void;
  /** Nothing more will come on it; told once, of all when the connection ends. */
  ended(stream: number): void;
}

const VERSION = 0x8003;
const HEAD_BYTES = 8;
const FIN = 1;
const TYPES = { open: 1, reset: 3, ping: 6, goAway: 7 } as const;
/** Of a frame that is no data. Nothing that has to be read is as long. */
const MOST_CONTROL_BYTES = 64 * 1024;

/** What compressed headers begin with: the form, and the sum of the dictionary that both sides know. */
const ZLIB_HEAD = Buffer.from([0x78, 0xf9, 0xe3, 0xc6, 0xa7, 0xc2]);
/** Upon which what stands before it is unpacked. */
const EMPTY_BLOCK = Buffer.from([0, 0, 0, 0xff, 0xff]);

export class SpdyClient {
  private readonly open = new Set<number>();
  private next = 1;
  /** What has come of a frame that is not complete: its head, or all of it where it is no data. */
  private pending: Buffer = Buffer.alloc(0);
  /** Of the data frame that is coming: how much is missing. */
  private left = 0;
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
    const stream = this.next;
    const fields = Buffer.alloc(10);
    fields.writeUInt32BE(stream);
    this.control(TYPES.open, Buffer.concat([fields, headerBlock(headers, stream === 1)]));
    this.next += 2;
    this.open.add(stream);
    return stream;
  }

  /**
   * Not at once: the other side may have closed, and a connection on which writing fails is given up with all that is still to be read from it, the last words of a command
   * among them. What has come by now is read first.
   */
  write(stream: number, bytes: Buffer, isLast = false): void {
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeUInt32BE(stream);
    head.writeUInt32BE((isLast ? FIN : 0) * 2 ** 24 + bytes.length, 4);
    this.unsent.push(head, bytes);
    if (this.unsent.length === 2) afterReading(() => this.flush());
  }

  /** Once the other side has taken what was written. */
  drained(then: () => void): void {
    this.waiting.push(then);
  }

  private flush(): void {
    const [unsent, waiting] = [this.unsent, this.waiting];
    [this.unsent, this.waiting] = [[], []];
    if (this.isClosed) return;
    const told = (): void => waiting.forEach((then) => then());
    for (const part of unsent) this.socket.write(part);
    if (this.socket.writableNeedDrain) this.socket.once('drain', told);
    else told();
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
    this.control(TYPES.goAway, Buffer.alloc(8));
    // What still comes is for nobody.
    this.socket.end(() => this.socket.destroy());
    this.socket.resume();
  }

  /** What has come before anybody listened. */
  read(bytes: Buffer): void {
    for (let rest = bytes; rest.length > 0;) rest = this.left > 0 ? this.readData(rest) : this.readFrame(rest);
  }

  private readData(bytes: Buffer): Buffer {
    const part = bytes.subarray(0, this.left);
    this.left -= part.length;
    const { stream, isLast } = this.current;
    if (this.open.has(stream)) this.events.data(stream, part);
    if (this.left === 0 && isLast) this.end(stream);
    return bytes.subarray(part.length);
  }

  private readFrame(bytes: Buffer): Buffer {
    const all = this.pending.length === 0 ? bytes : Buffer.concat([this.pending, bytes]);
    if (all.length < HEAD_BYTES) return this.keep(all);
    const length = all.readUInt32BE(4) % 2 ** 24;
    const isControl = all.readUInt8(0) >= 0x80;
    if (!isControl) {
      this.current = { stream: all.readUInt32BE(0), isLast: (all.readUInt8(4) & FIN) !== 0 };
      this.left = length;
      this.pending = Buffer.alloc(0);
      if (length === 0 && this.current.isLast) this.end(this.current.stream);
      return all.subarray(HEAD_BYTES);
    }
    if (length > MOST_CONTROL_BYTES) {
      this.socket.destroy();
      return Buffer.alloc(0);
    }
    if (all.length < HEAD_BYTES + length) return this.keep(all);
    this.pending = Buffer.alloc(0);
    this.told(all.readUInt16BE(2), (all.readUInt8(4) & FIN) !== 0, all.subarray(HEAD_BYTES, HEAD_BYTES + length));
    return all.subarray(HEAD_BYTES + length);
  }

  private keep(bytes: Buffer): Buffer {
    this.pending = bytes;
    return Buffer.alloc(0);
  }

  private told(type: number, isLast: boolean, content: Buffer): void {
    const stream = content.length >= 4 ? content.readUInt32BE(0) % 2 ** 31 : 0;
    if (type === TYPES.ping) this.control(TYPES.ping, content);
    else if (type === TYPES.reset || isLast) this.end(stream);
    else if (type === TYPES.goAway) this.endAll();
  }

  private end(stream: number): void {
    if (this.open.delete(stream)) this.events.ended(stream);
  }

  private endAll(): void {
    for (const stream of [...this.open]) this.end(stream);
  }

  private control(type: number, content: Buffer): void {
    if (this.isClosed) return;
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeUInt16BE(VERSION);
    head.writeUInt16BE(type, 2);
    head.writeUInt32BE(content.length, 4);
    this.socket.write(Buffer.concat([head, content]));
  }
}

/** When the event loop has looked once more for what has come. */
const afterReading = (then: () => void): void => void setImmediate(() => setImmediate(then));

/** In a block that is stored as it is. */
function headerBlock(headers: Readonly<Record<string, string>>, isFirst: boolean): Buffer {
  const pairs = Object.entries(headers).flat().map(counted);
  const content = Buffer.concat([count(Object.keys(headers).length), ...pairs]);
  const head = Buffer.alloc(5);
  head.writeUInt16LE(content.length, 1);
  head.writeUInt16LE(0xffff - content.length, 3);
  return Buffer.concat([...(isFirst ? [ZLIB_HEAD] : []), head, content, EMPTY_BLOCK]);
}

function counted(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([count(bytes.length), bytes]);
}

function count(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
