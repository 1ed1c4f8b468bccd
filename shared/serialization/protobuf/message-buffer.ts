/**
 * A growing buffer for messages in protobuf, or documents in JSON. The length of a nested message precedes it. Some bytes
 * are reserved for that length; when it takes more or fewer bytes, the nested message is moved. Computing all lengths first
 * would cost more.
 */
import { growBuffer } from '../../values/encoding/grow-buffer';

/** Initial size; the buffer grows as needed. */
const FIRST_BYTES = 4096;
/** A buffer that has grown beyond this size is released instead of reused. */
const MAX_RETAINED_BYTES = 4 * 1024 * 1024;
/** Texts of up to this many UTF-16 units take less than 128 bytes, so that their length is a varint of one byte. */
const SHORT_TEXT = 42;
/** Maximum number of UTF-8 bytes per UTF-16 unit. */
const MAX_CHARACTER_BYTES = 3;
const DOUBLE_BYTES = 8;
/** From this length on, a bulk copy is faster than a loop. */
const MIN_BULK_COPY = 100;
/** A varint has seven bits in each byte: eight bytes suffice for 2^53 - 1, ten for 64 bits. */
const MAX_VARINT_BYTES = 8;
const MAX_VARINT64_BYTES = 10;

/** Receives the encoded fields of a message. */
export interface MessageSink {
  /** Writes an integer from 0 to 2^53 - 1 as a varint. */
  varint(value: number): void;
  /** Writes a 64-bit floating-point number. */
  double(value: number): void;
  /** Copies bytes unchanged. */
  copy(source: Uint8Array, start: number, end: number): void;
  /** Writes a text with its length. */
  text(text: string): void;
  /** Starts a nested message with a length prefix. Pass the result to {@link close}. */
  open(expectedLength?: number): number;
  /** Ends the nested message that was started last. */
  close(start: number): void;
}

/** A buffer that can be reused for many messages. Lone surrogates in texts become U+FFFD. */
export class MessageBuffer implements MessageSink {
  private buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  private end = 0;

  varint(value: number): void {
    this.reserve(MAX_VARINT_BYTES);
    this.end = writeVarint(this.buffer, this.end, value);
  }

  /** Writes a signed 64-bit integer as a varint. */
  varint64(value: bigint): void {
    this.reserve(MAX_VARINT64_BYTES);
    let rest = BigInt.asUintN(64, value);
    for (; rest > 0x7fn; rest >>= 7n) this.buffer[this.end++] = Number(rest & 0x7fn) | 0x80;
    this.buffer[this.end++] = Number(rest);
  }

  double(value: number): void {
    this.reserve(DOUBLE_BYTES);
    this.end = this.buffer.writeDoubleLE(value, this.end);
  }

  copy(source: Uint8Array, start: number, end: number): void {
    this.reserve(end - start);
    const { buffer } = this;
    const length = end - start;
    if (length > MIN_BULK_COPY) buffer.set(source.subarray(start, end), this.end);
    else for (let index = 0; index < length; index += 1) buffer[this.end + index] = source[start + index] ?? 0;
    this.end += length;
  }

  /** Writes a text without its length. */
  plain(text: string): void {
    this.reserve(text.length * MAX_CHARACTER_BYTES);
    const isWritten = text.length <= SHORT_TEXT && writeAscii(this.buffer, this.end, text);
    this.end += isWritten ? text.length : this.buffer.write(text, this.end);
  }

  text(text: string): void {
    if (text.length > SHORT_TEXT) {
      this.longText(text);
      return;
    }
    this.reserve(SHORT_TEXT * MAX_CHARACTER_BYTES + 1);
    const start = this.end + 1;
    const written = writeAscii(this.buffer, start, text) ? text.length : this.buffer.write(text, start);
    this.buffer[this.end] = written;
    this.end = start + written;
  }

  /** Reserves the length of a text with one byte per character, as most texts have. */
  private longText(text: string): void {
    this.reserve(text.length * MAX_CHARACTER_BYTES + MAX_VARINT_BYTES);
    const reserved = varintBytes(text.length);
    const written = this.buffer.write(text, this.end + reserved);
    const needed = varintBytes(written);
    if (needed > reserved) this.buffer.copyWithin(this.end + needed, this.end + reserved, this.end + reserved + written);
    this.end = writeVarint(this.buffer, this.end, written) + written;
  }

  open(expectedLength = 0): number {
    const reserved = varintBytes(expectedLength);
    this.reserve(reserved);
    this.end += reserved;
    // The last reserved byte holds their number until the length is known.
    this.buffer[this.end - 1] = reserved;
    return this.end;
  }

  close(start: number): void {
    const length = this.end - start;
    const reserved = this.buffer[start - 1] ?? 1;
    const shift = varintBytes(length) - reserved;
    if (shift !== 0) {
      this.reserve(Math.max(shift, 0));
      this.buffer.copyWithin(start + shift, start, this.end);
      this.end += shift;
    }
    writeVarint(this.buffer, start - reserved, length);
  }

  /** The written bytes, valid until the next {@link reset}. */
  finish(): Buffer {
    return this.buffer.subarray(0, this.end);
  }

  /** Empties the buffer and keeps its memory, unless that is very large. */
  reset(): this {
    this.end = 0;
    if (this.buffer.length > MAX_RETAINED_BYTES) this.buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
    return this;
  }

  /** Makes room for this many bytes. */
  private reserve(bytes: number): void {
    const needed = this.end + bytes;
    if (needed > this.buffer.length) this.buffer = growBuffer(this.buffer, this.end, needed);
  }
}

/** Writes one byte per character. Returns false for a text with other characters than ASCII; the bytes are then invalid. */
function writeAscii(bytes: Buffer, start: number, text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit > 0x7f) return false;
    bytes[start + index] = unit;
  }
  return true;
}

/** The length of a varint. */
function varintBytes(value: number): number {
  let bytes = 1;
  for (let remaining = value; remaining > 0x7f; remaining = Math.floor(remaining / 0x80)) bytes += 1;
  return bytes;
}

/** Returns the end offset. The value may exceed 32 bits, so it is divided instead of shifted. */
function writeVarint(bytes: Buffer, start: number, value: number): number {
  let offset = start;
  let remaining = value;
  for (; remaining > 0x7f; remaining = Math.floor(remaining / 0x80)) bytes[offset++] = (remaining % 0x80) | 0x80;
  bytes[offset++] = remaining;
  return offset;
}
