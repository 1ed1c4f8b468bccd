/**
 * Checks and prepares the database files before LMDB opens them. When LMDB fails to open files, lmdb-js (3.5.6) frees
 * its handles twice, which ends the process; so every cause of such a failure is detected here and reported as an
 * error. Must be called inside the {@link StoreGate}. Changes no stored data.
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
import { errorCode } from '../../../shared/runtime/error-code';
import { errorMessage } from '../../../shared/runtime/error-message';
import { openPrivateFile, PRIVATE_FILE_MODE, setMode } from '../../../shared/runtime/files/folder-lock';

/** The name that LMDB gives its data file in the folder of an environment. */
export const DATA_FILE = 'data.mdb';
const LOCK_FILE = 'lock.mdb';

/** The file begins with two meta pages; the last member of a meta page that is read here ends after this many bytes. */
const META_BYTES = 152;
/** Offsets of the members of a meta page, from its beginning (mdb.c: MDB_page, MDB_meta). */
const OFFSET = { flags: 18, magic: 24, version: 28, pageSize: 48, lastPage: 144 } as const;
const META_PAGE_FLAG = 0x08;
const MAGIC = 0xbeefc0de;
/** The version of LMDB's data format that this build of lmdb-js reads. */
const DATA_VERSION = 2;
/** The page sizes that LMDB supports: the powers of two from 256 bytes to 64 KiB. */
const PAGE_SIZES: readonly number[] = Array.from({ length: 9 }, (_, power) => 256 << power);

/** The size of a lock file with slots for 126 readers. */
const LOCK_FILE_BYTES = 8_272;
/** Free space required to create a store. */
const MIN_FREE_BYTES = 64 << 10;
/** More than a process can map; only damaged meta pages claim such a size. */
const MAX_MAP_BYTES = 1n << 46n;

/** Runs the action while no other process can write to the folder, or does not run it. */
export type RunIfUnlocked = (action: () => void) => void;

interface FileSize {
  readonly actual: number;
  /**
   * The size according to the meta pages. The file of an intact store may be shorter: free pages at the end need not be
   * written.
   */
  readonly declared: number;
}

/** Throws unless a store can be opened or created in `directory`; the caller holds its folder lock. */
export function prepareToWrite(directory: string): void {
  const path = join(directory, DATA_FILE);
  closeSync(openPrivateFile(directory, DATA_FILE));
  ensureLockFile(directory);
  if (statSync(path).size > 0) extendToDeclaredSize(path);
  else if (freeBytesOf(directory) < MIN_FREE_BYTES) throw new Error(`there is no space left on the device for a store in ${directory}`);
}

/** Throws unless there is a store in `directory` that can be read. */
export function prepareToRead(directory: string, runIfUnlocked: RunIfUnlocked): void {
  const path = join(directory, DATA_FILE);
  if (!existsSync(path)) throw new Error(`there is no embedded store in ${directory}`);
  if (statSync(path).size === 0) throw new Error(`the store in ${directory} is empty`);
  ensureLockFile(directory);
  const { actual, declared } = fileSizeOf(path);
  // A process that opened the store for writing has extended the file; since then only free pages can lie behind its
  // end.
  if (actual < declared) runIfUnlocked(() => extendToDeclaredSize(path));
}

/**
 * Extends the file with zeros to the size that its meta pages claim, so that it can be mapped completely: reading a
 * missing page is then an error instead of a SIGBUS.
 */
function extendToDeclaredSize(path: string): void {
  const { actual, declared } = fileSizeOf(path);
  if (actual >= declared) return;
  const file = openSync(path, constants.O_RDWR);
  try {
    ftruncateSync(file, declared);
  } catch (error) {
    throw damageError(path, `it ends after ${actual} bytes, by its header after ${declared} (${errorMessage(error)})`);
  } finally {
    closeSync(file);
  }
}

function fileSizeOf(path: string): FileSize {
  const file = openSync(path, constants.O_RDONLY);
  try {
    const { size } = fstatSync(file);
    const first = readMetaPage(file, path, 0);
    const pageSize = first.readUInt32LE(OFFSET.pageSize);
    if (!PAGE_SIZES.includes(pageSize)) throw damageError(path, `by its header it has pages of ${pageSize} bytes`);
    const second = readMetaPage(file, path, pageSize);
    // The older meta page may name a higher last page; the file must hold both states.
    const pageCounts = [first, second].map((page) => page.readBigUInt64LE(OFFSET.lastPage) + 1n);
    const declared = pageCounts.reduce((max, count) => (count > max ? count : max)) * BigInt(pageSize);
    if (declared > MAX_MAP_BYTES) throw damageError(path, `by its header it has ${declared} bytes`);
    return { actual: size, declared: Number(declared) };
  } finally {
    closeSync(file);
  }
}

/** What the operator can do, for the end of an error message. */
const REMEDY = 'name the right folder, or move the damaged one away and restore a backup';

function readMetaPage(file: number, path: string, position: number): Buffer {
  const page = Buffer.alloc(META_BYTES);
  if (readSync(file, page, 0, META_BYTES, position) < META_BYTES) throw damageError(path, 'it ends before its data starts');
  const isMetaPage = (page.readUInt16LE(OFFSET.flags) & META_PAGE_FLAG) !== 0 && page.readUInt32LE(OFFSET.magic) === MAGIC;
  if (!isMetaPage) throw new Error(`${path} is not a file of an embedded store, or is damaged: ${REMEDY}`);
  // The data format is in the lower half of the member; the upper half holds flags of the build.
  const version = page.readUInt32LE(OFFSET.version) & 0xffff;
  if (version !== DATA_VERSION) {
    throw new Error(
      `${path} was written by another version of lmdb (format ${version}; this one reads ${DATA_VERSION}): use the program that wrote it`,
    );
  }
  return page;
}

/** LMDB's errors for damaged or foreign pages: `MDB_CORRUPTED: Located page was wrong type`. */
const DAMAGE = /MDB_(CORRUPTED|PAGE_NOTFOUND|INVALID|PANIC|BAD_TXN|VERSION_MISMATCH|INCOMPATIBLE)/;

/**
 * Damaged pages without damaged links: lengths that exceed the page (`ERR_OUT_OF_RANGE`), and values that cannot be
 * decompressed (`Z_DATA_ERROR`).
 */
const DECODING_ERROR_CODE = /^(ERR_OUT_OF_RANGE|ERR_BUFFER_OUT_OF_BOUNDS|ERR_INVALID_|Z_)/;

/** A record refers to another one that is not in the files. */
export class MissingRecordError extends Error {}

/** The sentence for an error about damaged pages or records; undefined for any other error. */
export function explainDamage(error: unknown, directory: string): string | undefined {
  const isDamage =
    DAMAGE.test(errorMessage(error)) || error instanceof MissingRecordError || DECODING_ERROR_CODE.test(errorCode(error) ?? '');
  return isDamage ? damageSentence(error, directory) : undefined;
}

/** As {@link explainDamage}, as an error; any other error is returned unchanged. */
export const withDamageExplained = (error: unknown, directory: string): unknown => {
  const damage = explainDamage(error, directory);
  return damage === undefined ? error : new Error(damage, { cause: error });
};

const damageSentence = (error: unknown, directory: string): string =>
  `the files of the embedded store in ${directory} are damaged (${errorMessage(error)}): ${REMEDY}`;

/**
 * The sentence for an error that nothing has caught; undefined when it is not lmdb's. lmdb-js rejects a promise of its
 * own when it cannot end a transaction on damaged pages.
 */
export function explainUncaughtDamage(error: unknown, directory: string): string | undefined {
  const message = errorMessage(error);
  return DAMAGE.test(message) || message.includes('abort this transaction') ? damageSentence(error, directory) : undefined;
}

function damageError(path: string, detail: string): Error {
  return new Error(`${path} is damaged, ${detail}: ${REMEDY}`);
}

/** LMDB maps the lock file into memory, where a full disk would end the process. Writing it allocates its blocks. */
function ensureLockFile(directory: string): void {
  const path = join(directory, LOCK_FILE);
  // An existing file must not be opened: closing it would release the locks that this process has on it.
  if (!existsSync(path)) closeSync(openPrivateFile(directory, LOCK_FILE));
  if (!statSync(path).isFile()) throw new Error(`${path} is not a file`);
  setMode(path, PRIVATE_FILE_MODE);
  accessSync(path, constants.R_OK | constants.W_OK);
  if (statSync(path).size < LOCK_FILE_BYTES) writeFileSync(path, Buffer.alloc(LOCK_FILE_BYTES), { flag: 'r+' });
}

function freeBytesOf(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}
