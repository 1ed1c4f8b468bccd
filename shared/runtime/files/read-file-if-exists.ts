/** Reads a file that need not exist. Only its absence is tolerated: an unreadable file is an error. */
import { readFileSync } from 'node:fs';
import { errorCode } from '../error-code';

/** `undefined` when the file does not exist. Throws any other error of the file system. */
export function readFileIfExists(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
