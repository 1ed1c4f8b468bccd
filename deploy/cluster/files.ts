/** Writes files atomically, also across crashes. */
import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';

/** `mode`: the permissions of the file, such as 0o600 for keys. Replaces an existing file. */
export function writeFileAtomically(file: string, text: string, mode: number): void {
  const temporary = `${file}.${process.pid}.tmp`;
  const handle = openSync(temporary, 'w', mode);
  try {
    writeSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(temporary, file);
}
