/**
 * Header blocks (RFC 7541) of gRPC calls, with both tables empty: whoever has no state to keep can compare a block with the last one
 * instead of reading it again, and every call on the same path is asked with the same bytes.
 */
import { huffmanText } from './huffman';

/** What an answer's head or its trailers say; undefined = not told. */
export interface AnswerHead {
  /** The HTTP status. */
  readonly status: string | undefined;
  readonly grpcStatus: string | undefined;
  readonly grpcMessage: string | undefined;
}

/** A block that cannot be read; the connection is of no more use then. */
export class MalformedHeaders extends Error {}

/** "My table is empty from now on." */
export const NO_TABLE = Buffer.of(0x20);

const METHOD_POST = 0x83;
const SCHEME = { http: 0x86, https: 0x87 } as const;
/** Places of names in the static table. */
const AUTHORITY = 1;
const PATH = 4;
const CONTENT_TYPE = 31;

/** The head of a call, for all calls on this path. */
export function requestHead(scheme: keyof typeof SCHEME, authority: string, path: string): Buffer {
  return Buffer.concat([
    Buffer.of(METHOD_POST, SCHEME[scheme]),
    named(PATH, path),
    named(AUTHORITY, authority),
    named(CONTENT_TYPE, 'application/grpc'),
    Buffer.of(0),
    plain('te'),
    plain('trailers'),
    // A member without a leader refuses at once what it would otherwise hold until it has one.
    Buffer.of(0),
    plain('hasleader'),
    plain('true'),
  ]);
}

function named(place: number, value: string): Buffer {
  return Buffer.concat([integer(place, 4), plain(value)]);
}

function plain(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  return Buffer.concat([integer(bytes.length, 7), bytes]);
}

/** `value` with a prefix of so many bits, the bits before it all zero. */
function integer(value: number, bits: number): Buffer {
  const most = (1 << bits) - 1;
  if (value < most) return Buffer.of(value);
  const bytes = [most];
  let rest = value - most;
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  bytes.push(rest);
  return Buffer.from(bytes);
}

/** The static table's entries with a status, the only ones that matter, and how many there are of all. */
const FIRST_STATUS = 8;
const STATUSES = ['200', '204', '206', '304', '400', '404', '500'];
const STATIC_ENTRIES = 61;

/** Throws {@link MalformedHeaders}. */
export function readAnswerHead(block: Buffer): AnswerHead {
  const reader = new BlockReader(block);
  let status: string | undefined;
  let grpcStatus: string | undefined;
  let grpcMessage: string | undefined;
  while (!reader.done) {
    const { name, value } = reader.field();
    if (name === ':status') status = value;
    else if (name === 'grpc-status') grpcStatus = value;
    else if (name === 'grpc-message') grpcMessage = value;
  }
  return { status, grpcStatus, grpcMessage };
}

interface Field {
  readonly name: string | undefined;
  readonly value: string | undefined;
}

const NOTHING: Field = { name: undefined, value: undefined };

class BlockReader {
  private at = 0;

  constructor(private readonly block: Buffer) {}

  get done(): boolean {
    return this.at >= this.block.length;
  }

  /** The next field; one without a name says nothing. */
  field(): Field {
    const first = this.block[this.at] ?? 0;
    if ((first & 0x80) !== 0) return this.entry(this.integer(7));
    if ((first & 0xe0) === 0x20) {
      if (this.integer(5) !== 0) throw new MalformedHeaders('the table may not grow');
      return NOTHING;
    }
    // Whether it may be kept in a table does not matter: there is none.
    const place = this.integer((first & 0xc0) === 0x40 ? 6 : 4);
    const name = place === 0 ? this.text() : this.entry(place).name;
    return { name, value: this.text() };
  }

  private entry(place: number): Field {
    if (place === 0 || place > STATIC_ENTRIES) throw new MalformedHeaders(`there is no entry ${place}`);
    const value = STATUSES[place - FIRST_STATUS];
    return value === undefined ? NOTHING : { name: ':status', value };
  }

  private text(): string | undefined {
    const coded = ((this.block[this.at] ?? 0) & 0x80) !== 0;
    const length = this.integer(7);
    const end = this.at + length;
    if (end > this.block.length) throw new MalformedHeaders('the block ends within a text');
    const bytes = this.block.subarray(this.at, end);
    this.at = end;
    return coded ? huffmanText(bytes) : bytes.toString('latin1');
  }

  private integer(bits: number): number {
    const most = (1 << bits) - 1;
    let value = this.byte() & most;
    if (value < most) return value;
    for (let shift = 0; shift <= 21; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new MalformedHeaders('a number is too large');
  }

  private byte(): number {
    const byte = this.block[this.at];
    if (byte === undefined) throw new MalformedHeaders('the block ends within a field');
    this.at += 1;
    return byte;
  }
}
