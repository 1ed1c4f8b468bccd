/**
 * The bytes of a document as they grow, in one piece of memory. In protobuf the length of what is nested is put before it when it is known, which costs a
 * move of those bytes where it takes more than one; published documents are so large that objects for it would cost more. Knows no messages.
 */
import { growBuffer } from '../../shared/values/grow-buffer';

const FIRST_BYTES = 4096;
const MOST_KEPT_BYTES = 4 * 1024 * 1024;
/** Texts of so many characters take less than 128 bytes, whatever they are. */
const SHORT = 42;
const MOST_CHARACTER_BYTES = 3;
const DOUBLE_BYTES = 8;
/** What is longer is worth a call. */
const COPIED_AT_ONCE = 100;
/** Of a length; what is longer does not fit into memory. */
const MOST_VARINT_BYTES = 5;

/** Where messages are written. */
export interface MessageSink {
  varint(value: number): void;
  double(value: number): void;
  /** What stands elsewhere, as it is. */
  copy(source: Uint8Array, start: number, end: number): void;
  /** With its length before it. */
  text(text: string): void;
  /** Begins what has its length before it, which is about the guess; to be given to {@link close}. */
  open(guess?: number): number;
  close(start: number): void;
}

export class MessageBytes implements MessageSink {
  private bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  private end = 0;

  varint(value: number): void {
    this.makeRoom(MOST_VARINT_BYTES);
    this.end = writeVarint(this.bytes, this.end, value);
  }

  double(value: number): void {
    this.makeRoom(DOUBLE_BYTES);
    this.end = this.bytes.writeDoubleLE(value, this.end);
  }

  copy(source: Uint8Array, start: number, end: number): void {
    this.makeRoom(end - start);
    const { bytes } = this;
    if (end - start > COPIED_AT_ONCE) bytes.set(source.subarray(start, end), this.end);
    else for (let from = start, to = this.end; from < end; from += 1, to += 1) bytes[to] = source[from] ?? 0;
    this.end += end - start;
  }

  /** A text without its length. */
  plain(text: string): void {
    this.makeRoom(text.length * MOST_CHARACTER_BYTES);
    this.end += text.length > SHORT || !writePlain(this.bytes, this.end, text) ? this.bytes.write(text, this.end) : text.length;
  }

  text(text: string): void {
    if (text.length > SHORT) {
      this.long(text);
      return;
    }
    this.makeRoom(SHORT * MOST_CHARACTER_BYTES + 1);
    const start = this.end + 1;
    const written = writePlain(this.bytes, start, text) ? text.length : this.bytes.write(text, start);
    this.bytes[this.end] = written;
    this.end = start + written;
  }

  /** Most texts take a byte for each character. */
  private long(text: string): void {
    this.makeRoom(text.length * MOST_CHARACTER_BYTES + MOST_VARINT_BYTES);
    const guess = varintBytes(text.length);
    const written = this.bytes.write(text, this.end + guess);
    const needed = varintBytes(written);
    if (needed > guess) this.bytes.copyWithin(this.end + needed, this.end + guess, this.end + guess + written);
    this.end = writeVarint(this.bytes, this.end, written) + written;
  }

  open(guess = 0): number {
    const room = varintBytes(guess);
    this.makeRoom(room);
    this.end += room;
    // Says how much room there is.
    this.bytes[this.end - 1] = room;
    return this.end;
  }

  close(start: number): void {
    const length = this.end - start;
    const room = this.bytes[start - 1] ?? 1;
    const more = varintBytes(length) - room;
    if (more !== 0) {
      this.makeRoom(Math.max(more, 0));
      this.bytes.copyWithin(start + more, start, this.end);
      this.end += more;
    }
    writeVarint(this.bytes, start - room, length);
  }

  /** Until it is begun anew. */
  finish(): Buffer {
    return this.bytes.subarray(0, this.end);
  }

  /** Empty, in the memory that is there already unless it is very large. */
  begin(): this {
    this.end = 0;
    if (this.bytes.length > MOST_KEPT_BYTES) this.bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
    return this;
  }

  private makeRoom(bytes: number): void {
    const needed = this.end + bytes;
    if (needed > this.bytes.length) this.bytes = growBuffer(this.bytes, this.end, needed);
  }
}

/** False = it holds something else than ASCII, and what was written is of no use. */
function writePlain(bytes: Buffer, start: number, text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit > 0x7f) return false;
    bytes[start + at] = unit;
  }
  return true;
}

function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 0x80)) bytes += 1;
  return bytes;
}

/** Returns where it ends. */
function writeVarint(bytes: Buffer, start: number, value: number): number {
  let at = start;
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) bytes[at++] = (rest % 0x80) | 0x80;
  bytes[at++] = rest;
  return at;
}
