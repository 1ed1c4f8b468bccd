/**
 * A SPDY 3.1 client with the features that kubelets need. Header blocks are sent in zlib's stored form, and headers
 * from the peer are not parsed. Independent of the purpose of streams.
 */
import type { Duplex } from 'node:stream';

/** Called in the order in which frames arrive. Must not throw. */
export interface SpdyEvents {
  /** Data has arrived on a stream. */
  onData(stream: number, bytes: Buffer): void;
  /** No more data will arrive on the stream; called once per stream, for all open ones when the connection ends. */
  onStreamEnd(stream: number): void;
}

/*
 * The head of a SPDY frame; numbers are big-endian:
 *
 *   control frame: bit 1 · version (15 bits) · type (16 bits) · flags (8 bits) · length of the content (24 bits)
 *   data frame:    bit 0 · stream (31 bits)                   · flags (8 bits) · length of the content (24 bits)
 */

/** The first two bytes of a control frame: its bit, and version 3. */
const VERSION = 0x8003;
/** Length of the head of every SPDY frame. */
const HEAD_BYTES = 8;
/** The numbers of values of the fields with 24 and 31 bits: `%` extracts the field, `*` moves the flags before it. */
const RANGE_24_BITS = 2 ** 24;
const RANGE_31_BITS = 2 ** 31;
/** Clients use odd numbers. */
const FIRST_STREAM = 1;
/** The flag of the last frame of a stream. */
const FIN = 1;
/** The types of the control frames that are sent or handled. */
const CONTROL_TYPES = { synStream: 1, rstStream: 3, ping: 6, goAway: 7 } as const;

/** The content of GOAWAY: the last stream that was accepted and a status, both zero for a normal end. */
const GO_AWAY_BYTES = 8;
/** The content of SYN_STREAM before its headers: the stream, the associated stream, the priority and the credential slot. */
const SYN_STREAM_BYTES = 10;

/** A control frame that was received. */
interface ControlFrame {
  readonly type: number;
  /** Whether the peer sends no more on the stream. */
  readonly isLast: boolean;
  readonly content: Buffer;
}

/** Limit for control frames, above the size of every one that is parsed. */
const MAX_CONTROL_BYTES = 64 * 1024;

/** The zlib header and the checksum of SPDY's dictionary, which starts the first header block. */
const ZLIB_HEAD = Buffer.from([0x78, 0xf9, 0xe3, 0xc6, 0xa7, 0xc2]);
/** An empty stored block (sync flush), after which the preceding bytes can be decompressed. */
const EMPTY_BLOCK = Buffer.from([0, 0, 0, 0xff, 0xff]);

/** One connection. Its owner calls {@link SpdyClient.close}, also after an error. */
export class SpdyClient {
  private readonly openStreams = new Set<number>();
  private nextStream = FIRST_STREAM;
  /** The incomplete frame: its head, or the whole of a control frame. */
  private pending: Buffer = Buffer.alloc(0);
  /** Number of bytes that are missing of the current data frame. */
  private remainingData = 0;
  private currentDataFrame = { stream: 0, isLast: false };
  /** Frames to write at the next {@link flush}. */
  private unsent: Buffer[] = [];
  private drainCallbacks: (() => void)[] = [];

  constructor(
    private readonly socket: Duplex,
    private readonly events: SpdyEvents,
  ) {
    socket.on('data', (bytes: Buffer) => this.read(bytes));
    for (const event of ['end', 'close', 'error']) socket.on(event, () => this.reportAllEnds());
  }

  /** Opens a stream with these headers and returns its number. */
  openStream(headers: Readonly<Record<string, string>>): number {
    const stream = this.nextStream;
    // All fields but the stream are zero.
    const fields = Buffer.alloc(SYN_STREAM_BYTES);
    fields.writeUInt32BE(stream);
    const prefix = stream === FIRST_STREAM ? [ZLIB_HEAD] : [];
    this.sendControl(CONTROL_TYPES.synStream, Buffer.concat([fields, ...prefix, headerBlock(headers)]));
    this.nextStream += 2;
    this.openStreams.add(stream);
    return stream;
  }

  /**
   * Sends data on the stream, after the data that has arrived was read. The peer may have closed, and a write that fails
   * destroys the connection with all data that is still to be read, such as the last output of a command.
   */
  write(stream: number, bytes: Buffer): void {
    this.addDataFrame(stream, { flags: 0, bytes });
  }

  /** Sends no more data on the stream. Deferred like {@link write}. */
  endStream(stream: number): void {
    this.addDataFrame(stream, { flags: FIN, bytes: Buffer.alloc(0) });
  }

  private addDataFrame(stream: number, { flags, bytes }: { readonly flags: number; readonly bytes: Buffer }): void {
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeUInt32BE(stream);
    head.writeUInt32BE(flags * RANGE_24_BITS + bytes.length, 4);
    const isFirst = this.unsent.length === 0;
    this.unsent.push(head, bytes);
    if (isFirst) afterNextPoll(() => this.flush());
  }

  /**
   * Calls `callback` once the socket has room again after what was written before; never when the connection closes
   * first. Must follow a {@link write} or {@link endStream}.
   */
  whenDrained(callback: () => void): void {
    this.drainCallbacks.push(callback);
  }

  private flush(): void {
    const { unsent, drainCallbacks } = this;
    this.unsent = [];
    this.drainCallbacks = [];
    if (this.isClosed) return;
    const callAll = (): void => drainCallbacks.forEach((callback) => callback());
    for (const part of unsent) this.socket.write(part);
    if (this.socket.writableNeedDrain) this.socket.once('drain', callAll);
    else callAll();
  }

  private get isClosed(): boolean {
    return this.socket.writableEnded || this.socket.destroyed;
  }

  /** Stops reading from the peer until {@link resume}. */
  pause(): void {
    this.socket.pause();
  }

  /** Continues reading from the peer. */
  resume(): void {
    this.socket.resume();
  }

  /** Sends what was written, then GOAWAY, and closes the connection. */
  close(): void {
    this.flush();
    if (this.isClosed) return;
    this.sendControl(CONTROL_TYPES.goAway, Buffer.alloc(GO_AWAY_BYTES));
    // Data that still arrives is discarded.
    this.socket.end(() => this.socket.destroy());
    this.socket.resume();
  }

  /** Reads bytes of the peer. The owner calls it with those that arrived before this client was created. */
  read(bytes: Buffer): void {
    let unread = bytes;
    while (unread.length > 0) unread = this.remainingData > 0 ? this.readData(unread) : this.readFrame(unread);
  }

  /** Reads content of the current data frame. Returns the bytes after it. */
  private readData(bytes: Buffer): Buffer {
    const part = bytes.subarray(0, this.remainingData);
    this.remainingData -= part.length;
    const { stream, isLast } = this.currentDataFrame;
    if (this.openStreams.has(stream)) this.events.onData(stream, part);
    if (this.remainingData === 0 && isLast) this.reportEnd(stream);
    return bytes.subarray(part.length);
  }

  /** Reads a control frame, or the head of a data frame. Returns the bytes after it. */
  private readFrame(bytes: Buffer): Buffer {
    const buffered = this.pending.length === 0 ? bytes : Buffer.concat([this.pending, bytes]);
    if (buffered.length < HEAD_BYTES) return this.keepPending(buffered);
    const length = buffered.readUInt32BE(4) % RANGE_24_BITS;
    const isControl = buffered.readUInt8(0) >= 0x80;
    const isLast = (buffered.readUInt8(4) & FIN) !== 0;
    if (!isControl) {
      const stream = buffered.readUInt32BE(0);
      this.currentDataFrame = { stream, isLast };
      this.remainingData = length;
      this.pending = Buffer.alloc(0);
      if (length === 0 && isLast) this.reportEnd(stream);
      return buffered.subarray(HEAD_BYTES);
    }
    if (length > MAX_CONTROL_BYTES) {
      this.socket.destroy();
      return Buffer.alloc(0);
    }
    if (buffered.length < HEAD_BYTES + length) return this.keepPending(buffered);
    this.pending = Buffer.alloc(0);
    const content = buffered.subarray(HEAD_BYTES, HEAD_BYTES + length);
    this.handleControl({ type: buffered.readUInt16BE(2), isLast, content });
    return buffered.subarray(HEAD_BYTES + length);
  }

  /** Keeps the bytes until more arrive. Returns the bytes that can still be read: none. */
  private keepPending(bytes: Buffer): Buffer {
    this.pending = bytes;
    return Buffer.alloc(0);
  }

  private handleControl({ type, isLast, content }: ControlFrame): void {
    const stream = content.length >= 4 ? content.readUInt32BE(0) % RANGE_31_BITS : 0;
    if (type === CONTROL_TYPES.ping) this.sendControl(CONTROL_TYPES.ping, content);
    else if (type === CONTROL_TYPES.rstStream || isLast) this.reportEnd(stream);
    else if (type === CONTROL_TYPES.goAway) this.reportAllEnds();
  }

  /** Reports that no more data will arrive on the stream, unless that was reported before. */
  private reportEnd(stream: number): void {
    if (this.openStreams.delete(stream)) this.events.onStreamEnd(stream);
  }

  private reportAllEnds(): void {
    for (const stream of [...this.openStreams]) this.reportEnd(stream);
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
const afterNextPoll = (callback: () => void): void => void setImmediate(() => setImmediate(callback));

/** A header block in zlib's stored form. {@link ZLIB_HEAD} must precede the first one of a connection. */
function headerBlock(headers: Readonly<Record<string, string>>): Buffer {
  const pairs = Object.entries(headers).flat().map(lengthPrefixed);
  const content = Buffer.concat([uint32(Object.keys(headers).length), ...pairs]);
  // The head of a stored block: a zero byte for its type, its length, and the complement of the length.
  const head = Buffer.alloc(5);
  head.writeUInt16LE(content.length, 1);
  head.writeUInt16LE(0xffff - content.length, 3);
  return Buffer.concat([head, content, EMPTY_BLOCK]);
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
