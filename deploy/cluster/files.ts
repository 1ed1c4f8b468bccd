/** Writes files atomically, also across crashes. */
import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';

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
