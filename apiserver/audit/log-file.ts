/**
 * A log file with rotation: `audit.log` becomes `audit-2026-01-31T12-00-00.000.log`. Old files are compressed, and removed
 * by age and number. The operating system has the lines when `append` returns. A line that a full disk has cut off is
 * terminated before the next one. A device or a pipe is never renamed, because it belongs to the system.
 */
import { closeSync, createReadStream, createWriteStream, existsSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { readdir, unlink } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Clock } from '../../shared/runtime/clock';

/** The file, and how many old files are kept. */
export interface LogFileOptions {
  readonly path: string;
  /** Size at which the file is rotated. */
  readonly maxBytes: number;
  /** Maximum age of old files in milliseconds; 0 for no limit. */
  readonly maxAgeMs: number;
  /** Maximum number of old files; 0 for no limit. */
  readonly maxBackups: number;
  /** Whether old files are compressed with gzip. */
  readonly compress: boolean;
}

const COMPRESSED_SUFFIX = '.gz';

const NEWLINE = 0x0a;
/** `2026-01-31T12-00-00.000`: hyphens in place of colons, which not all file systems allow. Groups: date, hours, minutes, seconds. */
const ROTATION_TIME = /^(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\d\.\d{3})$/;

/** One open log file. Writes are synchronous. */
export class LogFile {
  /** The file descriptor. */
  private handle: number;
  /** Size of the file in bytes. */
  private length: number;
  private readonly isRegular: boolean;
  /** Whether the file ends within a line, which a full disk has cut off. */
  private hasPartialLine = false;
  /** Resolves when the last scheduled clean-up has ended. */
  private cleanup: Promise<void> = Promise.resolve();

  /** Throws the errors of the file system. */
  constructor(
    private readonly options: LogFileOptions,
    private readonly clock: Clock,
    /** Called when old files could not be compressed or removed. */
    private readonly onError: (error: unknown) => void,
  ) {
    mkdirSync(path.dirname(options.path), { recursive: true });
    this.handle = openSync(options.path, 'a', 0o600);
    const stats = fstatSync(this.handle);
    this.length = stats.size;
    this.isRegular = stats.isFile();
    this.scheduleCleanup();
  }

  /**
   * Appends whole lines; rotates the file first if they would exceed its size. Throws the errors of the file system; bytes
   * written before an error stay in the file.
   */
  append(lines: Buffer): void {
    if (this.isRegular && this.length > 0 && this.length + lines.length > this.options.maxBytes) this.rotate();
    if (this.hasPartialLine) this.write(Buffer.of(NEWLINE));
    this.write(lines);
  }

  private write(bytes: Buffer): void {
    let written = 0;
    try {
      while (written < bytes.length) {
        const count = writeSync(this.handle, bytes, written);
        written += count;
        this.length += count;
      }
    } finally {
      if (written > 0) this.hasPartialLine = bytes[written - 1] !== NEWLINE;
    }
  }

  /** Closes the file; resolves when the clean-up of old files has ended. */
  async close(): Promise<void> {
    closeSync(this.handle);
    await this.cleanup;
  }

  /** Renames the file and opens a new one under its name. */
  private rotate(): void {
    const { path: file } = this.options;
    // The file does not exist when the last rotation failed halfway.
    if (existsSync(file)) renameSync(file, this.backupName());
    const old = this.handle;
    this.handle = openSync(file, 'a', 0o600);
    closeSync(old);
    this.length = 0;
    this.hasPartialLine = false;
    this.scheduleCleanup();
  }

  private backupName(): string {
    const { dir, name, ext } = path.parse(this.options.path);
    const time = new Date(this.clock.now()).toISOString().slice(0, -1).replaceAll(':', '-');
    return path.join(dir, `${name}-${time}${ext}`);
  }

  /** Runs in the background, one cleanup after the other. */
  private scheduleCleanup(): void {
    this.cleanup = this.cleanup.then(() => this.cleanUp()).catch(this.onError);
  }

  /** Removes the old files beyond the limits and compresses the others. */
  private async cleanUp(): Promise<void> {
    const { maxAgeMs, maxBackups, compress } = this.options;
    const backupFiles = await this.listBackups();
    const oldestTime = maxAgeMs === 0 ? Number.NEGATIVE_INFINITY : this.clock.now() - maxAgeMs;
    for (const [index, { file, at }] of backupFiles.entries()) {
      const isExcess = maxBackups > 0 && index >= maxBackups;
      if (isExcess || at < oldestTime) await unlink(file);
      else if (compress && !file.endsWith(COMPRESSED_SUFFIX)) await compressFile(file);
    }
  }

  /** The old files with the times of their rotation in milliseconds since 1970, newest first. */
  private async listBackups(): Promise<readonly { readonly file: string; readonly at: number }[]> {
    const { dir, name, ext } = path.parse(this.options.path);
    const backups: { file: string; at: number }[] = [];
    for (const entry of await readdir(dir === '' ? '.' : dir)) {
      const uncompressedName = entry.endsWith(COMPRESSED_SUFFIX) ? entry.slice(0, -COMPRESSED_SUFFIX.length) : entry;
      if (!uncompressedName.startsWith(`${name}-`) || !uncompressedName.endsWith(ext)) continue;
      const at = parseRotationTime(uncompressedName.slice(name.length + 1, uncompressedName.length - ext.length));
      if (at !== undefined) backups.push({ file: path.join(dir, entry), at });
    }
    return backups.sort((a, b) => b.at - a.at);
  }
}

/** Milliseconds since 1970; undefined when the text is not the time of a rotation. */
function parseRotationTime(text: string): number | undefined {
  const [, date, hours, minutes, seconds] = ROTATION_TIME.exec(text) ?? [];
  return date === undefined ? undefined : Date.parse(`${date}${hours}:${minutes}:${seconds}Z`);
}

async function compressFile(file: string): Promise<void> {
  await pipeline(createReadStream(file), createGzip(), createWriteStream(`${file}${COMPRESSED_SUFFIX}`, { mode: 0o600 }));
  await unlink(file);
}
