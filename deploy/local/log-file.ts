/**
 * A log file of bounded size. Before a write that would exceed the limit the file is renamed to `<file>.1`, which replaces
 * an earlier file of that name, and a new file is started. A single write is never split, so a larger one exceeds the
 * limit. Writes are synchronous, so that nothing is lost when the process exits; what cannot be written (a full disk) is
 * dropped.
 */
import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';
import type { OutputSink } from './start-program';

/** 10 MiB. */
const MAX_BYTES = 10 << 20;

/** The name of the previous file. */
export const previousLogFile = (file: string): string => `${file}.1`;

/** Appends the output of a program. Never throws once it is open. */
export class LogFile implements OutputSink {
  private handle: number;
  private size: number;

  /** Appends to an existing file. Throws errors of the file system. */
  constructor(
    private readonly file: string,
    private readonly maxBytes = MAX_BYTES,
  ) {
    this.handle = openSync(file, 'a', 0o600);
    this.size = fstatSync(this.handle).size;
  }

  write(chunk: Buffer): void {
    try {
      if (this.size > 0 && this.size + chunk.length > this.maxBytes) this.rotate();
      this.size += writeSync(this.handle, chunk);
    } catch {
      // A log that cannot be written must not end the programs.
    }
  }

  private rotate(): void {
    renameSync(this.file, previousLogFile(this.file));
    const previous = this.handle;
    this.handle = openSync(this.file, 'a', 0o600);
    this.size = 0;
    closeSync(previous);
  }
}
