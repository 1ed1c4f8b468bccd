/**
 * Reads and writes the fields of messages. The reader is that of protobufjs; in addition, bounds and depth of nested
 * messages are checked, 64-bit integers are exact, and errors have the messages of upstream. Independent of message types.
 */
import { BufferReader, Reader } from 'protobufjs/minimal';
import { MessageBuffer } from './message-buffer';

/** The bytes are not a valid protobuf message; the message is that of upstream if there is one. */
export class ProtobufError extends Error {}

export const WIRE_TYPES = { varint: 0, fixed64: 1, bytes: 2 } as const;

/** The wire type of the tag that ends a group. */
const END_OF_GROUP = 4;
/** The highest wire type: fixed32. */
const MAX_WIRE_TYPE = 5;

/** The numbers of the fields in an entry of a map, which protobuf encodes as a message. */
export const MAP_ENTRY = { key: 1, value: 2 } as const;

const TWO_32 = 2 ** 32;

/**
 * Iterates over the fields of one message. Throws errors of protobufjs for malformed bytes; see
 * {@link withProtobufErrors}.
 */
export class WireReader extends BufferReader {
  /** The number of the current field. */
  field = 0;
  /** The wire type of the current field. */
  wire = 0;

  constructor(
    private readonly source: Buffer,
    start = 0,
    end = source.length,
    private readonly depth = 0,
  ) {
    super(source);
    this.pos = start;
    this.len = end;
  }

  /** Advances to the next field; false at the end. The value of each field must be read or skipped. */
  next(): boolean {
    if (this.pos >= this.len) return false;
    // A tag is the number of the field and, in the lowest three bits, its wire type.
    const tag = this.tag();
    this.field = tag >>> 3;
    this.wire = tag & 7;
    if (this.field === 0) throw new ProtobufError(`proto: illegal tag 0 (wire type ${tag})`);
    return true;
  }

  /** Skips the value of the current field. */
  skipField(): void {
    if (this.wire === END_OF_GROUP || this.wire > MAX_WIRE_TYPE) throw new ProtobufError(`proto: illegal wireType ${this.wire}`);
    this.skipType(this.wire, 0, this.field);
  }

  /** Length-prefixed bytes, not copied. */
  override bytes(): Buffer {
    const size = this.size();
    const start = this.pos;
    this.skip(size);
    return this.source.subarray(start, this.pos);
  }

  /** A reader of the nested message, in the same buffer. */
  message(): WireReader {
    const size = this.size();
    const start = this.pos;
    this.skip(size);
    if (this.depth >= Reader.recursionLimit) throw new ProtobufError('proto: exceeded max depth');
    return new WireReader(this.source, start, this.pos, this.depth + 1);
  }

  /** A varint as a signed 64-bit integer: a bigint only when a double cannot hold it. */
  integer(): number | bigint {
    const start = this.pos;
    const short = this.uint32();
    // A byte of a varint has seven bits: fewer than five bytes fit in 32 bits.
    if (this.pos - start < 5) return short;
    this.pos = start;
    const { low, high } = this.int64();
    const value = high * TWO_32 + (low >>> 0);
    return Number.isSafeInteger(value) ? value : (BigInt(high) << 32n) | BigInt(low >>> 0);
  }
}

/**
 * Writes the fields of messages. Each method appends to the same buffer. Strings are always valid UTF-8: a lone surrogate
 * becomes U+FFFD.
 */
export class WireWriter extends MessageBuffer {
  /** Writes the tag of a field, which precedes its value. */
  field(number: number, wire: number): this {
    this.varint(number * 8 + wire);
    return this;
  }

  /** An integer in the signed 64-bit range. */
  integer(value: number | bigint): void {
    if (typeof value === 'number' && value >= 0) this.varint(value);
    else this.varint64(BigInt(value));
  }

  bool(value: boolean): void {
    this.varint(value ? 1 : 0);
  }

  /** Bytes with their length. */
  bytes(value: Uint8Array): void {
    this.varint(value.length);
    this.copy(value, 0, value.length);
  }

  /** A nested message with its length; `write` writes its fields. See {@link MessageBuffer.open} for `expectedLength`. */
  message(write: () => void, expectedLength = 0): void {
    const start = this.open(expectedLength);
    write();
    this.close(start);
  }
}

/** Messages of protobufjs, with those of upstream for the same malformed bytes. */
const ERRORS: readonly (readonly [pattern: RegExp, message: string])[] = [
  [/^(index out of range|invalid length encoding)/, 'unexpected EOF'],
  [/^invalid (varint|tag) encoding/, 'proto: integer overflow'],
  [/^(max depth exceeded|illegal tag|invalid wire type|invalid end group tag)/, 'proto: malformed group'],
];

/** Calls `read` and translates errors of protobufjs about malformed bytes to {@link ProtobufError}. */
export function withProtobufErrors<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    const known = error instanceof Error ? ERRORS.find(([pattern]) => pattern.test(error.message)) : undefined;
    if (known === undefined) throw error;
    throw new ProtobufError(known[1]);
  }
}
