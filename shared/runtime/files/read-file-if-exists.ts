/** Reads a file that need not be there. */
import { readFileSync } from 'node:fs';
import { errorCode } from '../error-code';

/** Undefined = there is no such file. Throws what else keeps it from being read. */
export function readFileIfExists(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
