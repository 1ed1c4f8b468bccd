/**
 * A file of lines that is put aside when it has grown long: `audit.log` becomes `audit-2026-01-31T12-00-00.000.log`. Old ones are packed and removed
 * by age and number. Lines are in the system's hands when `append` returns; a line that was cut off by a full disk is ended before the next one.
 * A device or a pipe is written to and never renamed: its name belongs to the machine.
 */
import { closeSync, createReadStream, createWriteStream, existsSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { readdir, unlink } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Clock } from '../../shared/runtime/clock';

export interface LogFileOptions {
  readonly path: string;
  /** Bytes after which the file is put aside. */
  readonly maxBytes: number;
  /** Milliseconds that old files are kept; 0 = any time. */
  readonly maxAgeMs: number;
  /** Old files that are kept; 0 = any number. */
  readonly maxBackups: number;
  readonly compress: boolean;
}

const PACKED = '.gz';

export class LogFile {
  private handle: number;
  private length: number;
  private readonly isRegular: boolean;
  private isCut = false;
  private cleaning: Promise<void> = Promise.resolve();

  /** Throws what the file system says. */
  constructor(
    private readonly options: LogFileOptions,
    private readonly clock: Clock,
    /** Old files could not be packed or removed. */
    private readonly failed: (error: unknown) => void,
  ) {
    mkdirSync(path.dirname(options.path), { recursive: true });
    this.handle = openSync(options.path, 'a', 0o600);
    const found = fstatSync(this.handle);
    this.length = found.size;
    this.isRegular = found.isFile();
    this.clean();
  }

  /** `lines` ends with a line break. Throws what the file system says; what it has taken by then stays. */
  append(lines: Buffer): void {
    if (this.isRegular && this.length > 0 && this.length + lines.length > this.options.maxBytes) this.putAside();
    if (this.isCut) this.write(END);
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
      if (written > 0) this.isCut = bytes[written - 1] !== NEWLINE;
    }
  }

  async close(): Promise<void> {
    closeSync(this.handle);
    await this.cleaning;
  }

  private putAside(): void {
    const { path: file } = this.options;
    // It is not there when the last attempt failed halfway.
    if (existsSync(file)) renameSync(file, this.backupName());
    const old = this.handle;
    this.handle = openSync(file, 'a', 0o600);
    closeSync(old);
    this.length = 0;
    this.isCut = false;
    this.clean();
  }

  private backupName(): string {
    const { dir, name, ext } = path.parse(this.options.path);
    const time = new Date(this.clock.now()).toISOString().slice(0, -1).replaceAll(':', '-');
    return path.join(dir, `${name}-${time}${ext}`);
  }

  /** One after the other, beside the work. */
  private clean(): void {
    this.cleaning = this.cleaning.then(() => this.cleanNow()).catch(this.failed);
  }

  private async cleanNow(): Promise<void> {
    const { maxAgeMs, maxBackups, compress } = this.options;
    const backups = await this.backups();
    const oldest = maxAgeMs === 0 ? Number.NEGATIVE_INFINITY : this.clock.now() - maxAgeMs;
    for (const [index, { file, at }] of backups.entries()) {
      if ((maxBackups > 0 && index >= maxBackups) || at < oldest) await unlink(file);
      else if (compress && !file.endsWith(PACKED)) await pack(file);
    }
  }

  /** The newest first. */
  private async backups(): Promise<readonly { readonly file: string; readonly at: number }[]> {
    const { dir, name, ext } = path.parse(this.options.path);
    const found: { file: string; at: number }[] = [];
    for (const entry of await readdir(dir === '' ? '.' : dir)) {
      const plain = entry.endsWith(PACKED) ? entry.slice(0, -PACKED.length) : entry;
      if (!plain.startsWith(`${name}-`) || !plain.endsWith(ext)) continue;
      const at = timeOf(plain.slice(name.length + 1, plain.length - ext.length));
      if (at !== undefined) found.push({ file: path.join(dir, entry), at });
    }
    return found.sort((one, other) => other.at - one.at);
  }
}

const NEWLINE = 0x0a;
const END = Buffer.from('\n');
const TIME = /^(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\d\.\d{3})$/;

/** Milliseconds since 1970; undefined = the text is not the time of a backup. */
function timeOf(text: string): number | undefined {
  const [, date, hours, minutes, seconds] = TIME.exec(text) ?? [];
  return date === undefined ? undefined : Date.parse(`${date}${hours}:${minutes}:${seconds}Z`);
}

async function pack(file: string): Promise<void> {
  await pipeline(createReadStream(file), createGzip(), createWriteStream(`${file}${PACKED}`, { mode: 0o600 }));
  await unlink(file);
}
