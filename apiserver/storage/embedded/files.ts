/**
 * The database files before lmdb is given them. Where lmdb fails to open files, lmdb-js (3.5.6) frees twice what it has made for them, which ends the process: so whatever would
 * make it fail is looked at here, and said. Only to be called behind the {@link StoreGate}. Reads no table and changes nothing that is stored.
 */
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { errorMessage } from '../../../shared/runtime/error-message';
import { openPrivate, PRIVATE_FILE, restrict } from './folder-lock';

export const DATA_FILE = 'data.mdb';
const LOCK_FILE = 'lock.mdb';

/** A file begins with two pages that are headers; in either, the last of the members that are read here ends after so many bytes. */
const HEADER_BYTES = 152;
const AT = { flags: 18, magic: 24, version: 28, pageSize: 48, lastPage: 144 } as const;
const IS_HEADER = 0x08;
const MAGIC = 0xbeefc0de;
const DATA_VERSION = 2;
const PAGE_SIZES: readonly number[] = Array.from({ length: 9 }, (_, power) => 256 << power);

/** With places for 126 readers. */
const LOCK_FILE_BYTES = 8_272;
/** What a store needs to begin with. */
const FIRST_BYTES = 64 << 10;
/** More than a process can map is said by damaged headers only. */
const MOST_BYTES = 1n << 46n;

/** Does something while nobody can write to the folder, or not at all. */
export type WhileAlone = (action: () => void) => void;

interface Extent {
  readonly bytes: number;
  /** By its headers. The file of a store that is whole may have less: the last pages may be free, and free pages need not be written. */
  readonly says: number;
}

/** Throws unless a store can be opened in `directory`, or made there. To be called by whoever holds the folder's lock. */
export function prepareToWrite(directory: string): void {
  const path = join(directory, DATA_FILE);
  closeSync(openPrivate(directory, DATA_FILE));
  makeLockFile(directory);
  if (statSync(path).size > 0) lengthen(path);
  else if (freeBytes(directory) < FIRST_BYTES) throw new Error(`there is no space left on the device for a store in ${directory}`);
}

/** Throws unless there is a store in `directory` that can be read. */
export function prepareToRead(directory: string, whileAlone: WhileAlone): void {
  const path = join(directory, DATA_FILE);
  if (!existsSync(path)) throw new Error(`there is no embedded store in ${directory}`);
  if (statSync(path).size === 0) throw new Error(`the store in ${directory} holds nothing yet`);
  makeLockFile(directory);
  const { bytes, says } = extentOf(path);
  // Whoever writes there has done it when he opened it; since then only free pages may lie behind the end.
  if (bytes < says) whileAlone(() => lengthen(path));
}

/** What the headers speak of can be mapped, and is zero where the file has ended: read, it is an error rather than the end of the process. */
function lengthen(path: string): void {
  const { bytes, says } = extentOf(path);
  if (bytes >= says) return;
  const file = openSync(path, constants.O_RDWR);
  try {
    ftruncateSync(file, says);
  } catch (error) {
    throw damaged(path, `it ends after ${bytes} bytes, by its header after ${says} (${errorMessage(error)})`);
  } finally {
    closeSync(file);
  }
}

function extentOf(path: string): Extent {
  const file = openSync(path, constants.O_RDONLY);
  try {
    const { size } = fstatSync(file);
    const first = header(file, path, 0);
    const pageSize = first.readUInt32LE(AT.pageSize);
    if (!PAGE_SIZES.includes(pageSize)) throw damaged(path, `by its header it has pages of ${pageSize} bytes`);
    const second = header(file, path, pageSize);
    const pages = [first, second].map((page) => page.readBigUInt64LE(AT.lastPage) + 1n);
    const says = pages.reduce((most, count) => (count > most ? count : most)) * BigInt(pageSize);
    if (says > MOST_BYTES) throw damaged(path, `by its header it has ${says} bytes`);
    return { bytes: size, says: Number(says) };
  } finally {
    closeSync(file);
  }
}

function header(file: number, path: string, position: number): Buffer {
  const page = Buffer.alloc(HEADER_BYTES);
  if (readSync(file, page, 0, HEADER_BYTES, position) < HEADER_BYTES) throw damaged(path, 'it ends before its data begin');
  const isHeader = (page.readUInt16LE(AT.flags) & IS_HEADER) !== 0 && page.readUInt32LE(AT.magic) === MAGIC;
  if (!isHeader) throw new Error(`${path} is not a file of an embedded store, or is damaged: ${REMEDY}`);
  const version = page.readUInt32LE(AT.version) & 0xffff;
  if (version !== DATA_VERSION) {
    throw new Error(
      `${path} was written by another version of lmdb (format ${version}; this one reads ${DATA_VERSION}): use the program that wrote it`,
    );
  }
  return page;
}

const REMEDY = 'name the right folder, or move the damaged one away and restore a backup';

const DAMAGE = /MDB_(CORRUPTED|PAGE_NOTFOUND|INVALID)/;

/** Says what is to be done about damaged pages that lmdb has found; any other error is returned as it is. */
export function explained(error: unknown): unknown {
  const message = errorMessage(error);
  return DAMAGE.test(message) ? new Error(`the files of the embedded store are damaged (${message}): ${REMEDY}`) : error;
}

function damaged(path: string, what: string): Error {
  return new Error(`${path} is damaged, ${what}: ${REMEDY}`);
}

/** lmdb maps it into memory, where a full disk would end the process; so it gets its blocks by being written. */
function makeLockFile(directory: string): void {
  const path = join(directory, LOCK_FILE);
  // Not by opening one that is there: closing it would give up the locks that this process has on it.
  if (!existsSync(path)) closeSync(openPrivate(directory, LOCK_FILE));
  if (!statSync(path).isFile()) throw new Error(`${path} is not a file`);
  restrict(path, PRIVATE_FILE);
  accessSync(path, constants.R_OK | constants.W_OK);
  if (statSync(path).size < LOCK_FILE_BYTES) writeFileSync(path, Buffer.alloc(LOCK_FILE_BYTES), { flag: 'r+' });
}

function freeBytes(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}
