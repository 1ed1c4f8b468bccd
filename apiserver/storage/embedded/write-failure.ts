/** Explains why LMDB did not store a batch: a full disk, damaged files, or another error. Reads only the free space. */
import { statfsSync } from 'node:fs';
import { errorMessage } from '../../../shared/runtime/error-message';
import { StoreError } from '../store';
import { explainDamage } from './database-files';

/** `MDB_MAP_FULL: Environment mapsize limit reached`, `No space left on device`, `Disk quota exceeded`. */
const FULL = /no space|ENOSPC|MAP_FULL|quota/i;
/** LMDB's error for a write of which the disk stored only a part. */
const SHORT_WRITE = /input\/output error|EIO/i;
/** With less free space than the largest batch takes (write-pipeline.ts), a short write means that the disk is full. */
const MIN_FREE_BYTES = 16 << 20;

/** The failure to report for the error of a batch; `directory` contains the files. */
export function explainWriteFailure(error: unknown, directory: string): StoreError {
  const message = errorMessage(error);
  if (FULL.test(message) || (SHORT_WRITE.test(message) && freeBytesOf(directory) < MIN_FREE_BYTES))
    return new StoreError('no-space', 'no space left on device: the write failed');
  const damage = explainDamage(error, directory);
  if (damage !== undefined) return new StoreError('damaged', damage);
  return new StoreError('unavailable', `the write failed: ${message}`);
}

/** Infinity when the file system does not report it. */
function freeBytesOf(directory: string): number {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  } catch {
    return Infinity;
  }
}
