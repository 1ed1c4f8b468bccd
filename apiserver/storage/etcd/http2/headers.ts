/**
 * Header blocks (HPACK, RFC 7541) of gRPC calls. The dynamic tables of both directions stay empty, so a block does not
 * depend on earlier ones: all calls of one path send the same bytes, and a received block that equals an earlier one need
 * not be decoded again.
 */
import { decodeHuffman } from './huffman';

/** The relevant headers or trailers of a response; undefined when absent. */
export interface ResponseHeaders {
  /** The HTTP status. */
  readonly status: string | undefined;
  /** The gRPC status code in decimal; in the headers when the response has no body, else in the trailers. */
  readonly grpcStatus: string | undefined;
  /** Percent-encoded. */
  readonly grpcMessage: string | undefined;
}

/** A block that cannot be decoded; the connection must be closed. */
export class MalformedHeadersError extends Error {}

/** A dynamic table size update to 0, for the start of the first block of a connection. */
export const TABLE_SIZE_ZERO = Buffer.of(0x20);

/** Fields that are entries of the static table: the bit 0x80 and the index of the entry. */
const METHOD_POST = 0x83;
const SCHEME = { http: 0x86, https: 0x87 } as const;
/** Indexes of names in the static table. */
const AUTHORITY = 1;
const PATH = 4;
const CONTENT_TYPE = 31;
/** The start of a field that has a literal name and must not enter the dynamic table. */
const LITERAL_NAME = Buffer.of(0);

/** The request headers of all calls of one path. */
export function encodeRequestHeaders(scheme: keyof typeof SCHEME, authority: string, path: string): Buffer {
  return Buffer.concat([
    Buffer.of(METHOD_POST, SCHEME[scheme]),
    indexedName(PATH, path),
    indexedName(AUTHORITY, authority),
    indexedName(CONTENT_TYPE, 'application/grpc'),
    LITERAL_NAME,
    literal('te'),
    literal('trailers'),
    // With this header, a member without a leader refuses the call immediately instead of holding it until there is
    // one.
    LITERAL_NAME,
    literal('hasleader'),
    literal('true'),
  ]);
}

/** A field that has an entry of the static table as name and a literal value; it does not enter the dynamic table. */
function indexedName(index: number, value: string): Buffer {
  return Buffer.concat([encodeInteger(index, 4), literal(value)]);
}

/** A string without Huffman coding: its length with a prefix of 7 bits, and its bytes. */
function literal(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  return Buffer.concat([encodeInteger(bytes.length, 7), bytes]);
}

/**
 * `value` as an integer with a prefix of `bits` bits (RFC 7541 §5.1). A value that does not fit is a prefix of ones, then
 * the rest in groups of seven bits, the lowest first. The bits before the prefix are 0.
 */
function encodeInteger(value: number, bits: number): Buffer {
  const max = (1 << bits) - 1;
  if (value < max) return Buffer.of(value);
  const bytes = [max];
  let rest = value - max;
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  bytes.push(rest);
  return Buffer.from(bytes);
}

/** Index of the first entry of the static table with a status; only entries with a status are relevant. */
const FIRST_STATUS = 8;
/** The statuses of the static table, in the order of their entries. */
const STATUSES = ['200', '204', '206', '304', '400', '404', '500'];
/** Number of entries of the static table (RFC 7541, appendix A). */
const STATIC_ENTRIES = 61;

/** Decodes a whole block. Throws {@link MalformedHeadersError} when it is malformed or uses a dynamic table. */
export function decodeResponseHeaders(block: Buffer): ResponseHeaders {
  const reader = new BlockReader(block);
  let status: string | undefined;
  let grpcStatus: string | undefined;
  let grpcMessage: string | undefined;
  while (!reader.isDone) {
    const { name, value } = reader.readField();
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

/** A field that cannot be one of {@link ResponseHeaders}. */
const IRRELEVANT: Field = { name: undefined, value: undefined };

class BlockReader {
  private position = 0;

  constructor(private readonly block: Buffer) {}

  get isDone(): boolean {
    return this.position >= this.block.length;
  }

  /**
   * Reads the next field; its first bits determine its form (RFC 7541 §6):
   * - `1`: an entry of the static table;
   * - `001`: a dynamic table size update;
   * - `01`: a literal with an index of 6 bits, which would enter a dynamic table;
   * - `0000`, `0001`: a literal with an index of 4 bits, which would not.
   */
  readField(): Field {
    const first = this.block[this.position] ?? 0;
    if ((first & 0x80) !== 0) return this.staticEntry(this.readInteger(7));
    if ((first & 0xe0) === 0x20) {
      if (this.readInteger(5) !== 0) throw new MalformedHeadersError('the dynamic table exceeds its size limit');
      return IRRELEVANT;
    }
    // An index of 0 means that the name is a literal. The dynamic table has the size 0, so no field enters it.
    const index = this.readInteger((first & 0xc0) === 0x40 ? 6 : 4);
    const name = index === 0 ? this.readText() : this.staticEntry(index).name;
    return { name, value: this.readText() };
  }

  private staticEntry(index: number): Field {
    if (index === 0 || index > STATIC_ENTRIES) throw new MalformedHeadersError(`there is no entry ${index} in the header table`);
    const value = STATUSES[index - FIRST_STATUS];
    return value === undefined ? IRRELEVANT : { name: ':status', value };
  }

  private readText(): string | undefined {
    const isHuffman = ((this.block[this.position] ?? 0) & 0x80) !== 0;
    const length = this.readInteger(7);
    const end = this.position + length;
    if (end > this.block.length) throw new MalformedHeadersError('the block ends within a string');
    const bytes = this.block.subarray(this.position, end);
    this.position = end;
    return isHuffman ? decodeHuffman(bytes) : bytes.toString('latin1');
  }

  private readInteger(bits: number): number {
    const max = (1 << bits) - 1;
    let value = this.readByte() & max;
    if (value < max) return value;
    // At most four more bytes, so that the sum stays far below 2^31.
    for (let shift = 0; shift <= 21; shift += 7) {
      const byte = this.readByte();
      value += (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new MalformedHeadersError('an integer is too large');
  }

  private readByte(): number {
    const byte = this.block[this.position];
    if (byte === undefined) throw new MalformedHeadersError('the block ends within a field');
    this.position += 1;
    return byte;
  }
}
