/**
 * Parts of a document that are compressed once: chunks are concatenated in a gzip stream without compressing them
 * again, because each starts with an empty window and ends at a byte boundary.
 */
import { constants, crc32, deflateRawSync, gunzip } from 'node:zlib';

/** A compressed piece of a document. Chunks can be joined without decompressing them. */
export interface Chunk {
  /** Length and CRC-32 before compression. */
  readonly length: number;
  readonly crc: number;
  /** Non-final deflate blocks, in a buffer of their own. */
  readonly packed: Uint8Array<ArrayBuffer>;
}

/** Compresses bytes at the fastest level: most responses decompress them again. */
export function compressChunk(content: Uint8Array | string): Chunk {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const packed = deflateRawSync(bytes, { level: 1, finishFlush: constants.Z_SYNC_FLUSH });
  // zlib returns a view of a larger buffer, which could not be transferred to another thread alone.
  return { length: bytes.length, crc: crc32(bytes), packed: new Uint8Array(packed) };
}

/** Length before compression. */
export function totalLength(chunks: readonly Chunk[]): number {
  return chunks.reduce((sum, { length }) => sum + length, 0);
}

/** The header of a gzip stream (RFC 1952): deflate (8), no flags, no time, unknown operating system (0xff). */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
/** An empty final block. */
const LAST_BLOCK = Buffer.from([3, 0]);

/** All chunks as one gzip stream, which ends with the checksum and the length of the content. */
export function gzipOf(chunks: readonly Chunk[]): Buffer {
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(chunks.reduce((sum, { crc, length }) => combineCrc(sum, crc, length), 0));
  trailer.writeUInt32LE(totalLength(chunks) % 2 ** 32, 4);
  return Buffer.concat([HEADER, ...chunks.map(({ packed }) => packed), LAST_BLOCK, trailer]);
}

/** Decompresses off the event loop. */
export function gunzipToBuffer(gzipped: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => gunzip(gzipped, (error, bytes) => (error === null ? resolve(bytes) : reject(error))));
}

/** The polynomial of CRC-32, with the highest bit as the lowest power. */
const POLYNOMIAL = 0xedb88320;
const HIGHEST_BIT = 0x80000000;

/** The CRC-32 of two concatenated texts; `length` is that of the second one. */
function combineCrc(first: number, second: number, length: number): number {
  return (multiply(power(length), first) ^ second) >>> 0;
}

/** Multiplies polynomials over GF(2) modulo {@link POLYNOMIAL}; the highest bit is the lowest power. */
function multiply(a: number, b: number): number {
  let product = 0;
  let factor = b;
  for (let bit = HIGHEST_BIT; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) product ^= factor;
    factor = (factor & 1) === 0 ? factor >>> 1 : (factor >>> 1) ^ POLYNOMIAL;
  }
  return product >>> 0;
}

/** Element n is x to the power 2^(n + 3): that of 8 bits, of 16, and so on. */
const SQUARES: readonly number[] = squares();

function squares(): number[] {
  const powers: number[] = [];
  // x to the power 8.
  for (let square = HIGHEST_BIT >>> 8; powers.length < 32; square = multiply(square, square)) powers.push(square);
  return powers;
}

/** x to the power 8·bytes: the effect of appending that many bytes on a checksum. */
function power(bytes: number): number {
  let product = HIGHEST_BIT;
  for (let index = 0, remaining = bytes; remaining > 0; index += 1, remaining = Math.floor(remaining / 2)) {
    if (remaining % 2 === 1) product = multiply(SQUARES[index] ?? 0, product);
  }
  return product;
}
