/**
 * Long values are packed on their way into the log, beside the event loop: less is written and read, and less of the file stays mapped. How they lie
 * there, and how they are read, is record.ts's.
 */
import { deflateRaw } from 'node:zlib';
import { LENGTH_BYTES, type KeyChange } from './record';

/** What is shorter is stored as it is. */
const LONGEST_PLAIN = 16 * 1024;
const FASTEST = { level: 1 } as const;

/** Whether some of them are to be packed first. */
export function areLong(changes: readonly KeyChange[]): boolean {
  return changes.some(isLong);
}

/** The same changes, the long ones with what is stored of them. */
export function packed(changes: readonly KeyChange[]): Promise<readonly KeyChange[]> {
  return Promise.all(changes.map(async (change) => (isLong(change) ? { ...change, packed: await pack(change.value) } : change)));
}

const isLong = ({ value }: KeyChange): boolean => value.length > LONGEST_PLAIN;

/** Undefined = it does not get shorter. */
function pack(value: Buffer): Promise<Buffer | undefined> {
  return new Promise((resolve) =>
    deflateRaw(value, FASTEST, (error, bytes) =>
      resolve(error === null && bytes.length + LENGTH_BYTES < value.length ? withLength(value.length, bytes) : undefined),
    ),
  );
}

function withLength(length: number, bytes: Buffer): Buffer {
  const head = Buffer.alloc(LENGTH_BYTES);
  head.writeUInt32BE(length);
  return Buffer.concat([head, bytes]);
}
