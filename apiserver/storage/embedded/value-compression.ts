/**
 * Compresses long values on libuv's thread pool before they are written to the log: less is written and read, and less
 * of the file stays mapped. record.ts defines the stored layout and decompresses.
 */
import { deflateRaw } from 'node:zlib';
import { LENGTH_PREFIX_BYTES, type KeyChange } from './record';

/** Shorter values are stored uncompressed. */
const MAX_UNCOMPRESSED_BYTES = 16 * 1024;
const FASTEST = { level: 1 } as const;

/** Whether any of the changes must be compressed first. */
export function hasLongValue(changes: readonly KeyChange[]): boolean {
  return changes.some(isLong);
}

/** The same changes; long values also have their compressed form. */
export function compressLongValues(changes: readonly KeyChange[]): Promise<readonly KeyChange[]> {
  return Promise.all(changes.map(async (change) => (isLong(change) ? { ...change, compressed: await compress(change.value) } : change)));
}

const isLong = ({ value }: KeyChange): boolean => value.length > MAX_UNCOMPRESSED_BYTES;

/** Undefined when the result is not shorter. */
function compress(value: Buffer): Promise<Buffer | undefined> {
  return new Promise((resolve) =>
    deflateRaw(value, FASTEST, (error, bytes) =>
      resolve(error === null && bytes.length + LENGTH_PREFIX_BYTES < value.length ? prependLength(value.length, bytes) : undefined),
    ),
  );
}

function prependLength(length: number, bytes: Buffer): Buffer {
  const prefix = Buffer.alloc(LENGTH_PREFIX_BYTES);
  prefix.writeUInt32BE(length);
  return Buffer.concat([prefix, bytes]);
}
