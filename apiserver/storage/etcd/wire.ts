/**
 * Reading and writing the protobuf wire format, for the few messages of messages.ts. The writer fills its buffer from
 * the end, so that a nested message's length is known when its head is written. Nothing here knows a message.
 *
 * Hand-written because these messages are on the path of every write and every watch event: generic decoding costs
 * several times as much.
 */

/** Wire types of the format. */
const varint = 0;
const fixed64 = 1;
const delimited = 2;
const fixed32 = 5;

export class Writer {
  private readonly bytes: Buffer;
  private at: number;

  /** @param capacity an upper bound of the message's size. */
  constructor(capacity: number) {
    this.bytes = Buffer.allocUnsafe(capacity);
    this.at = capacity;
  }

  finish(): Buffer {
    return this.bytes.subarray(this.at);
  }

  /** Where the writer stands; hand it to {@link close} after writing what the message holds. */
  get mark(): number {
    return this.at;
  }

  /** Makes everything written since `mark` the content of `field`. */
  close(field: number, mark: number): void {
    this.varint(mark - this.at);
    this.tag(field, delimited);
  }

  uint(field: number, value: number): void {
    this.varint(value);
    this.tag(field, varint);
  }

  /** A positive int64 in decimal. */
  int64(field: number, decimal: string): void {
    const value = BigInt(decimal);
    const groups: number[] = [];
    for (let rest = value; groups.length === 0 || rest > 0n; rest >>= 7n) groups.push(Number(rest & 0x7fn));
    groups.reverse().forEach((group, index) => (this.bytes[--this.at] = index === 0 ? group : group | 0x80));
    this.tag(field, varint);
  }

  flag(field: number): void {
    this.bytes[--this.at] = 1;
    this.tag(field, varint);
  }

  text(field: number, value: string): void {
    const mark = this.at;
    this.at -= Buffer.byteLength(value);
    this.bytes.write(value, this.at);
    this.close(field, mark);
  }

  buffer(field: number, value: Buffer): void {
    const mark = this.at;
    this.at -= value.length;
    value.copy(this.bytes, this.at);
    this.close(field, mark);
  }

  private tag(field: number, type: number): void {
    this.bytes[--this.at] = (field << 3) | type;
  }

  private varint(value: number): void {
    let length = 1;
    for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) length++;
    this.at -= length;
    let rest = value;
    let position = this.at;
    while (rest >= 0x80) {
      this.bytes[position++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.bytes[position] = rest;
  }
}

/** Walks the fields of one message. Throws on truncated input. */
export class Reader {
  /** The field at which the reader stands. */
  field = 0;
  private type = 0;

  constructor(
    private readonly bytes: Buffer,
    private at = 0,
    private readonly end = bytes.length,
  ) {}

  /** Moves to the next field; false at the end. Each field must be read or skipped. */
  next(): boolean {
    if (this.at >= this.end) return false;
    const tag = this.uint();
    this.field = tag >>> 3;
    this.type = tag & 7;
    return true;
  }

  /** A number that is known to be neither negative nor beyond 2^53. */
  uint(): number {
    const { bytes } = this;
    let result = 0;
    let scale = 1;
    for (;;) {
      const byte = bytes[this.at++];
      if (byte === undefined || this.at > this.end) throw new Error('a protobuf message ends within a number');
      result += (byte & 0x7f) * scale;
      if (byte < 0x80) return result;
      scale *= 0x80;
    }
  }

  /** A whole int64, in decimal. */
  int64(): string {
    let result = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.bytes[this.at++];
      if (byte === undefined || this.at > this.end) throw new Error('a protobuf message ends within a number');
      result |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asIntN(64, result).toString();
    }
  }

  text(): string {
    const start = this.delimited();
    return this.bytes.toString('utf8', start, this.at);
  }

  /** A view of the message's memory. */
  view(): Buffer {
    const start = this.delimited();
    return this.bytes.subarray(start, this.at);
  }

  message(): Reader {
    const start = this.delimited();
    return new Reader(this.bytes, start, this.at);
  }

  skip(): void {
    switch (this.type) {
      case varint:
        while ((this.bytes[this.at++] ?? 0) >= 0x80);
        break;
      case fixed64:
        this.at += 8;
        break;
      case delimited:
        this.delimited();
        break;
      case fixed32:
        this.at += 4;
        break;
      default:
        throw new Error(`a protobuf message holds wire type ${this.type}`);
    }
  }

  /** Moves past a length-delimited field and returns where it began. */
  private delimited(): number {
    const length = this.uint();
    const start = this.at;
    this.at = start + length;
    if (this.at > this.end) throw new Error('a protobuf message ends within a field');
    return start;
  }
}
