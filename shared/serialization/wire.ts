/** The protobuf wire format: varints, length-prefixed bytes, fixed numbers. Knows no messages. */

/** Bytes that are no protobuf message; the message is upstream's where it has one. */
export class ProtobufFault extends Error {}

export const WIRE = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

const FIRST_SIZE = 512;
const TWO_32 = 4_294_967_296;

/** Appends to a buffer that grows. A length is written after its content is known, by moving the content when it takes more than one byte. */
export class WireWriter {
  private buffer = Buffer.allocUnsafe(FIRST_SIZE);
  private at = 0;

  /** A copy of what was written. */
  finish(): Buffer {
    return Buffer.from(this.buffer.subarray(0, this.at));
  }

  tag(number: number, wire: number): void {
    this.varint(number * 8 + wire);
  }

  /** An integer in the signed or unsigned 64-bit range; negative ones take ten bytes. */
  varint(value: number | bigint): void {
    this.reserve(10);
    if (typeof value === 'number' && value >= 0) {
      let rest = value;
      for (; rest >= 0x80; rest = Math.floor(rest / 128)) this.buffer[this.at++] = (rest % 128) | 0x80;
      this.buffer[this.at++] = rest;
      return;
    }
    let rest = BigInt.asUintN(64, BigInt(value));
    for (; rest >= 0x80n; rest >>= 7n) this.buffer[this.at++] = Number(rest & 0x7fn) | 0x80;
    this.buffer[this.at++] = Number(rest);
  }

  text(value: string): void {
    const length = Buffer.byteLength(value);
    this.varint(length);
    this.reserve(length);
    this.at += this.buffer.write(value, this.at);
  }

  bytes(value: Uint8Array): void {
    this.varint(value.length);
    this.raw(value);
  }

  raw(value: Uint8Array): void {
    this.reserve(value.length);
    this.buffer.set(value, this.at);
    this.at += value.length;
  }

  double(value: number): void {
    this.reserve(8);
    this.at = this.buffer.writeDoubleLE(value, this.at);
  }

  /** A length-prefixed message. */
  message(write: () => void): void {
    const lengthAt = this.at;
    this.reserve(1);
    this.at += 1;
    write();
    const length = this.at - lengthAt - 1;
    let size = 1;
    for (let rest = length; rest >= 0x80; rest = Math.floor(rest / 128)) size += 1;
    if (size > 1) {
      this.reserve(size);
      this.buffer.copyWithin(lengthAt + size, lengthAt + 1, this.at);
    }
    const end = this.at + size - 1;
    this.at = lengthAt;
    this.varint(length);
    this.at = end;
  }

  private reserve(size: number): void {
    if (this.at + size <= this.buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.at + size));
    this.buffer.copy(larger, 0, 0, this.at);
    this.buffer = larger;
  }
}

/** Reads within bounds; every failure is a {@link ProtobufFault}. */
export class WireReader {
  private at: number;

  constructor(
    private readonly buffer: Buffer,
    start = 0,
    private readonly end = buffer.length,
  ) {
    this.at = start;
  }

  get isDone(): boolean {
    return this.at >= this.end;
  }

  tag(): { number: number; wire: number } {
    const tag = this.number();
    const number = Math.floor(tag / 8);
    const wire = tag % 8;
    if (number <= 0) throw new ProtobufFault(`proto: illegal tag ${number} (wire type ${tag})`);
    return { number, wire };
  }

  /** A varint as a double; exact up to 2^53. */
  number(): number {
    let value = 0;
    let scale = 1;
    for (let i = 0; i < 10; i += 1) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
    throw new ProtobufFault('proto: integer overflow');
  }

  /** A varint as a signed 64-bit integer: a bigint only when a double cannot hold it. */
  int64(): number | bigint {
    let low = 0;
    let value = 0n;
    for (let i = 0; i < 10; i += 1) {
      const byte = this.byte();
      if (i < 4) low += (byte & 0x7f) * 128 ** i;
      else value |= BigInt(byte & 0x7f) << BigInt(7 * i);
      if (byte < 0x80) {
        if (i < 4) return low;
        const signed = BigInt.asIntN(64, value | BigInt(low));
        const number = Number(signed);
        return Number.isSafeInteger(number) ? number : signed;
      }
    }
    throw new ProtobufFault('proto: integer overflow');
  }

  /** A varint cut to a signed 32-bit integer. */
  int32(): number {
    const value = this.int64();
    return typeof value === 'bigint' ? Number(BigInt.asIntN(32, value)) : (value % TWO_32) | 0;
  }

  double(): number {
    if (this.at + 8 > this.end) throw new ProtobufFault('unexpected EOF');
    const value = this.buffer.readDoubleLE(this.at);
    this.at += 8;
    return value;
  }

  /** A view of length-prefixed bytes. */
  bytes(): Buffer {
    const length = this.number();
    if (this.at + length > this.end) throw new ProtobufFault('unexpected EOF');
    const bytes = this.buffer.subarray(this.at, this.at + length);
    this.at += length;
    return bytes;
  }

  message(): WireReader {
    return new WireReader(this.bytes());
  }

  skip(wire: number): void {
    switch (wire) {
      case WIRE.varint:
        this.number();
        return;
      case WIRE.fixed64:
        this.advance(8);
        return;
      case WIRE.bytes:
        this.bytes();
        return;
      case WIRE.fixed32:
        this.advance(4);
        return;
      default:
        throw new ProtobufFault(`proto: illegal wireType ${wire}`);
    }
  }

  private advance(size: number): void {
    if (this.at + size > this.end) throw new ProtobufFault('unexpected EOF');
    this.at += size;
  }

  private byte(): number {
    if (this.at >= this.end) throw new ProtobufFault('unexpected EOF');
    const byte = this.buffer[this.at] ?? 0;
    this.at += 1;
    return byte;
  }
}
