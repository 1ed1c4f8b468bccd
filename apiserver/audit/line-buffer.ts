/**
 * Lines of JSON as bytes while they are put together, in one piece of memory that is used again. Pieces that are known lie here as bytes already, what
 * clients choose is looked at as it is copied: a text that is joined first and looked at afterwards costs four times as much. Knows no events.
 */
import { growBuffer } from '../../shared/values/grow-buffer';
import { escapeJsonMarkup, stringifyJsonString } from '../../shared/values/json';

const FIRST_BYTES = 4096;
const MOST_BYTES_A_CHARACTER = 3;
/** What is longer is worth a call. */
const COPIED_AT_ONCE = 256;
/** `2026-01-31T12:00:00.` */
const SECOND_BYTES = 20;
/** The same with six digits and a letter. */
const TIME_BYTES = 27;

const QUOTE = 0x22;
const ZERO = 0x30;
const LETTER_Z = 0x5a;

/** 1 = the character stands for itself in a text of JSON, and is no markup. */
const PLAIN = Uint8Array.from({ length: 128 }, (_, code) =>
  code >= 0x20 && code < 0x7f && !'"\\<>&'.includes(String.fromCharCode(code)) ? 1 : 0,
);

/** A piece that is written often. */
export const pieceOf = (json: string): Uint8Array => Buffer.from(escapeJsonMarkup(json));

export class LineBuffer {
  private bytes: Buffer;
  private filled = 0;
  private loss = 0;
  private second = Number.NaN;
  private readonly secondBytes = Buffer.alloc(SECOND_BYTES);

  /** `usualBytes` = what it keeps when it is emptied. */
  constructor(private readonly usualBytes = FIRST_BYTES) {
    this.bytes = Buffer.allocUnsafeSlow(usualBytes);
  }

  /** Bytes that were written since it was emptied. */
  get length(): number {
    return this.filled;
  }

  piece(bytes: Uint8Array): void {
    this.makeRoom(bytes.length);
    this.bytes.set(bytes, this.filled);
    this.filled += bytes.length;
  }

  byte(code: number): void {
    this.makeRoom(1);
    this.bytes[this.filled] = code;
    this.filled += 1;
  }

  /** What anybody may have chosen, as a text of JSON without markup. */
  text(text: string): void {
    if (!this.quoted(text)) this.raw(stringifyJsonString(text));
  }

  /** JSON, which loses its markup. */
  json(text: string): void {
    this.raw(escapeJsonMarkup(text));
  }

  /** As it is. */
  raw(text: string): void {
    this.makeRoom(text.length * MOST_BYTES_A_CHARACTER);
    this.filled += this.bytes.write(text, this.filled);
  }

  /** To the microsecond, as upstream prints it. `at` = milliseconds since 1970. */
  time(at: number): void {
    const second = Math.floor(at / 1000);
    if (second !== this.second) {
      this.second = second;
      this.secondBytes.write(new Date(second * 1000).toISOString(), 'latin1');
    }
    this.makeRoom(TIME_BYTES);
    const { bytes } = this;
    bytes.set(this.secondBytes, this.filled);
    const end = this.filled + TIME_BYTES - 1;
    let micros = Math.floor((at - second * 1000) * 1000);
    for (let digit = end - 1; digit >= this.filled + SECOND_BYTES; digit -= 1) {
      const rest = Math.floor(micros / 10);
      bytes[digit] = ZERO + micros - rest * 10;
      micros = rest;
    }
    bytes[end] = LETTER_Z;
    this.filled = end + 1;
  }

  /** What it holds from the one byte to the other, once more. */
  again(from: number, to: number): void {
    const more = to - from;
    this.makeRoom(more);
    this.bytes.copyWithin(this.filled, from, to);
    this.filled += more;
  }

  /** The same, to be kept. */
  copyOf(from: number, to: number): Uint8Array {
    return Uint8Array.prototype.slice.call(this.bytes, from, to);
  }

  /** Forgets what was written behind the first bytes. */
  cutTo(length: number): void {
    this.filled = length;
    this.loss += 1;
  }

  /** While it stays the same, what was written stands where it was. */
  get losses(): number {
    return this.loss;
  }

  /** What it holds, until the next piece is written. */
  get written(): Buffer {
    return this.bytes.subarray(0, this.filled);
  }

  empty(): void {
    this.cutTo(0);
    if (this.bytes.length > this.usualBytes) this.bytes = Buffer.allocUnsafeSlow(this.usualBytes);
  }

  /** False = nothing was written, because there is more to it. */
  private quoted(text: string): boolean {
    const { length } = text;
    if (length > COPIED_AT_ONCE) return false;
    this.makeRoom(length + 2);
    const { bytes } = this;
    let to = this.filled;
    bytes[to] = QUOTE;
    for (let from = 0; from < length; from += 1) {
      const code = text.charCodeAt(from);
      if (code > 0x7e || PLAIN[code] !== 1) return false;
      to += 1;
      bytes[to] = code;
    }
    bytes[to + 1] = QUOTE;
    this.filled = to + 2;
    return true;
  }

  private makeRoom(more: number): void {
    const needed = this.filled + more;
    if (needed > this.bytes.length) this.bytes = growBuffer(this.bytes, this.filled, needed);
  }
}
