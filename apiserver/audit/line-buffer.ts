/**
 * A reusable buffer for lines of JSON as bytes. Constant parts are pre-encoded, and strings that clients choose are
 * escaped while they are copied: joining a string first and escaping it afterwards costs four times as much. Which members
 * a line has is left to event-line.ts.
 */
import { growBuffer } from '../../shared/values/encoding/grow-buffer';
import { escapeJsonMarkup, stringifyJsonString } from '../../shared/values/json';

/** Default of `usualBytes`. */
const USUAL_BYTES = 4096;
/** Maximum number of UTF-8 bytes per UTF-16 unit. */
const MAX_BYTES_PER_UNIT = 3;
/** In UTF-16 units; longer strings are escaped by a native call. */
const MAX_INLINE_LENGTH = 256;
/** `2026-01-31T12:00:00.` */
const SECOND_BYTES = 20;
/** `2026-01-31T12:00:00.000250Z` */
const TIME_BYTES = 27;

const QUOTE = 0x22;
const ZERO = 0x30;
const LETTER_Z = 0x5a;

/** By ASCII code: 1 for a character that needs no escape in JSON and is not markup (`<`, `>`, `&`), otherwise 0. */
const NEEDS_NO_ESCAPE = Uint8Array.from({ length: 128 }, (_, code) =>
  code >= 0x20 && code < 0x7f && !'"\\<>&'.includes(String.fromCharCode(code)) ? 1 : 0,
);

/** Encodes a constant part for {@link LineBuffer.writePiece}, with its markup escaped. */
export const encodePiece = (json: string): Uint8Array => Buffer.from(escapeJsonMarkup(json));

/** A buffer that grows with its content. */
export class LineBuffer {
  private bytes: Buffer;
  /** Number of written bytes. */
  private used = 0;
  private removals = 0;
  /** The second of the last time that was written, since 1970, and its text up to the point. */
  private cachedSecond = Number.NaN;
  private readonly cachedSecondBytes = Buffer.alloc(SECOND_BYTES);

  /** `usualBytes` is the size to which the buffer shrinks when it is cleared. */
  constructor(private readonly usualBytes = USUAL_BYTES) {
    this.bytes = Buffer.allocUnsafeSlow(usualBytes);
  }

  /** Number of bytes written since the buffer was cleared. */
  get length(): number {
    return this.used;
  }

  /** Writes a part that was encoded by {@link encodePiece}, or copied from a buffer. */
  writePiece(bytes: Uint8Array): void {
    this.ensureCapacity(bytes.length);
    this.bytes.set(bytes, this.used);
    this.used += bytes.length;
  }

  /** Writes one ASCII character. */
  writeByte(code: number): void {
    this.ensureCapacity(1);
    this.bytes[this.used] = code;
    this.used += 1;
  }

  /** Writes any string as a JSON string without markup. */
  writeString(text: string): void {
    if (!this.tryWriteQuoted(text)) this.writeRaw(stringifyJsonString(text));
  }

  /** Writes JSON with its markup escaped. */
  writeJson(text: string): void {
    this.writeRaw(escapeJsonMarkup(text));
  }

  /** Writes the text as it is. */
  writeRaw(text: string): void {
    this.ensureCapacity(text.length * MAX_BYTES_PER_UNIT);
    this.used += this.bytes.write(text, this.used);
  }

  /** Writes the time with microseconds, as upstream does. `at` is in milliseconds since 1970. */
  writeTime(at: number): void {
    const second = Math.floor(at / 1000);
    if (second !== this.cachedSecond) {
      this.cachedSecond = second;
      this.cachedSecondBytes.write(new Date(second * 1000).toISOString(), 'latin1');
    }
    // The cached text, then six digits from the last to the first.
    this.ensureCapacity(TIME_BYTES);
    const { bytes } = this;
    bytes.set(this.cachedSecondBytes, this.used);
    const end = this.used + TIME_BYTES - 1;
    let micros = Math.floor((at - second * 1000) * 1000);
    for (let digit = end - 1; digit >= this.used + SECOND_BYTES; digit -= 1) {
      const higherDigits = Math.floor(micros / 10);
      bytes[digit] = ZERO + micros - higherDigits * 10;
      micros = higherDigits;
    }
    bytes[end] = LETTER_Z;
    this.used = end + 1;
  }

  /** Appends a copy of the written bytes in [from, to). */
  repeat(from: number, to: number): void {
    const count = to - from;
    this.ensureCapacity(count);
    this.bytes.copyWithin(this.used, from, to);
    this.used += count;
  }

  /** The bytes in [from, to), in new memory. */
  copyOf(from: number, to: number): Uint8Array {
    return Uint8Array.prototype.slice.call(this.bytes, from, to);
  }

  /** Removes everything after the first `length` bytes. */
  truncate(length: number): void {
    this.used = length;
    this.removals += 1;
  }

  /** Changes whenever written bytes are removed; positions are valid while it stays the same. */
  get generation(): number {
    return this.removals;
  }

  /** The written bytes; valid until the next write. */
  get written(): Buffer {
    return this.bytes.subarray(0, this.used);
  }

  /** Removes everything; positions and `written` are no longer valid. */
  clear(): void {
    this.truncate(0);
    if (this.bytes.length > this.usualBytes) this.bytes = Buffer.allocUnsafeSlow(this.usualBytes);
  }

  /** Writes a short string without characters to escape. Returns false for every other string, with nothing written. */
  private tryWriteQuoted(text: string): boolean {
    const { length } = text;
    if (length > MAX_INLINE_LENGTH) return false;
    this.ensureCapacity(length + 2);
    const { bytes } = this;
    let to = this.used;
    bytes[to] = QUOTE;
    for (let from = 0; from < length; from += 1) {
      const code = text.charCodeAt(from);
      if (code > 0x7e || NEEDS_NO_ESCAPE[code] !== 1) return false;
      to += 1;
      bytes[to] = code;
    }
    bytes[to + 1] = QUOTE;
    this.used = to + 2;
    return true;
  }

  private ensureCapacity(extra: number): void {
    const needed = this.used + extra;
    if (needed > this.bytes.length) this.bytes = growBuffer(this.bytes, this.used, needed);
  }
}
