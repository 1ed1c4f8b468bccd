/**
 * Parts of a document that are compressed once: chunks are concatenated in a gzip stream without compressing them
 * again, because each starts with an empty window and ends at a byte boundary.
 */
import { constants, crc32, deflateRawSync, gunzip } from 'node:zlib';
import { combineCrc } from './combine-crc';

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
/** An empty final block of deflate. */
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
