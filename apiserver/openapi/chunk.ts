/**
 * A piece of a document, compressed once: pieces stand one after another in a gzip stream without being compressed again, because each begins anew and ends
 * at a byte. Knows nothing of what is in them.
 */
import { constants, crc32, deflateRawSync, gunzip } from 'node:zlib';

export interface Chunk {
  /** Bytes, and their CRC-32, before compression. */
  readonly length: number;
  readonly crc: number;
  /** Deflate blocks, none of them the last, in memory of their own. */
  readonly packed: Uint8Array<ArrayBuffer>;
}

export function pack(content: Uint8Array | string): Chunk {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const packed = deflateRawSync(bytes, { level: 1, finishFlush: constants.Z_SYNC_FLUSH });
  // Small ones lie in more memory than they need.
  return { length: bytes.length, crc: crc32(bytes), packed: new Uint8Array(packed) };
}

export function lengthOf(chunks: readonly Chunk[]): number {
  return chunks.reduce((sum, { length }) => sum + length, 0);
}

const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
/** An empty block that says it is the last. */
const LAST_BLOCK = Buffer.from([3, 0]);

/** All of them as one gzip stream. */
export function gzipOf(chunks: readonly Chunk[]): Buffer {
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(chunks.reduce((sum, { crc, length }) => combine(sum, crc, length), 0));
  trailer.writeUInt32LE(lengthOf(chunks) % 2 ** 32, 4);
  return Buffer.concat([HEADER, ...chunks.map(({ packed }) => packed), LAST_BLOCK, trailer]);
}

/** All of them as they were; off the event loop. */
export function unpacked(gzipped: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => gunzip(gzipped, (error, bytes) => (error === null ? resolve(bytes) : reject(error))));
}

const POLYNOMIAL = 0xedb88320;
const HIGHEST = 0x80000000;

/** The CRC-32 of two texts in a row; `length` is the second one's. */
function combine(first: number, second: number, length: number): number {
  return (multiply(power(length), first) ^ second) >>> 0;
}

/** Polynomials over two elements modulo {@link POLYNOMIAL}; the highest bit is the lowest power. */
function multiply(a: number, b: number): number {
  let product = 0;
  let factor = b;
  for (let bit = HIGHEST; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) product ^= factor;
    factor = (factor & 1) === 0 ? factor >>> 1 : (factor >>> 1) ^ POLYNOMIAL;
  }
  return product >>> 0;
}

/** x to the 2^(index + 3). */
const SQUARES: readonly number[] = squares();

function squares(): number[] {
  const all: number[] = [];
  // x to the 8th.
  for (let square = HIGHEST >>> 8; all.length < 32; square = multiply(square, square)) all.push(square);
  return all;
}

/** x to the 8·bytes: what so many bytes after it do to a checksum. */
function power(bytes: number): number {
  let product = HIGHEST;
  for (let index = 0, left = bytes; left > 0; index += 1, left = Math.floor(left / 2)) {
    if (left % 2 === 1) product = multiply(SQUARES[index] ?? 0, product);
  }
  return product;
}
