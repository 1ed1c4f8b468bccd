/**
 * Prevents two processes from opening one data folder for writing. The lock is a kernel lock on an open file: it holds
 * across namespaces and containers of a machine and is released when its holder ends for any reason. Between machines
 * it is as reliable as the locks of the shared file system. The text of the file only names the holder for messages.
 * Locking never waits. The file is never removed, because a new file would be a different lock.
 */
import {
  chmodSync,
  closeSync,
  constants,
  fchownSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  writeSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { tryLock } from 'fs-native-extensions';
import { errorCode } from '../error-code';

const FILE_NAME = 'lock';
const PRIVATE_FOLDER_MODE = 0o700;
/** Readable and writable by the owner only. */
export const PRIVATE_FILE_MODE = 0o600;
/** Characters of the lock file that a message shows. */
const MAX_HOLDER_LENGTH = 200;
const ROOT_UID = 0;

/** The lock of a folder. The operating system releases it too when the process ends. */
export interface FolderLock {
  /** Must be called at most once. */
  release(): void;
}

/** Another process holds the lock of the folder. */
export class FolderInUseError extends Error {
  override readonly name = 'FolderInUseError';
  constructor(
    directory: string,
    /** Such as `process 12 on HOST`. */
    readonly holder: string,
  ) {
    super(`the data folder ${directory} is in use by ${holder}`);
  }
}

/** Creates `directory` if needed and removes the access of other users. */
export function ensurePrivateFolder(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: PRIVATE_FOLDER_MODE });
  setMode(directory, PRIVATE_FOLDER_MODE);
}

/** Locks an existing folder. Throws {@link FolderInUseError} when it is locked already. */
export function lockFolder(directory: string): FolderLock {
  const file = openPrivateFile(directory, FILE_NAME);
  const path = join(directory, FILE_NAME);
  try {
    if (!tryLock(file)) throw new FolderInUseError(directory, readHolder(path));
    ftruncateSync(file);
    writeSync(file, `process ${process.pid} on ${hostname()}\n`, 0);
  } catch (error) {
    closeSync(file);
    throw error;
  }
  return { release: () => closeSync(file) };
}

/**
 * The process of another machine or container that holds the lock of `directory`, such as `process 12 on HOST`.
 * `undefined` when no process holds the lock, or its last holder was on this host. In the latter case the lock is not tried:
 * a try holds the lock for a moment, and a process that starts here at that moment would be refused.
 */
export function findForeignHolder(directory: string): string | undefined {
  const path = join(directory, FILE_NAME);
  const holder = statSync(path, { throwIfNoEntry: false }) === undefined ? '' : readHolder(path);
  if (holder === '' || holder.endsWith(` on ${hostname()}`)) return undefined;
  const file = openSync(path, constants.O_RDONLY);
  try {
    // Offset 0 and length 0 are the whole file, as in `lockFolder`. A file that is open for reading allows only a shared lock.
    return tryLock(file, 0, 0, { shared: true }) ? undefined : holder;
  } finally {
    closeSync(file);
  }
}

/**
 * Opens a file for reading and writing and creates it if needed, owned by the owner of the folder: a file that root
 * creates beside a running server must be accessible to the server.
 */
export function openPrivateFile(directory: string, name: string): number {
  const path = join(directory, name);
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT, PRIVATE_FILE_MODE);
  try {
    const { uid, gid } = statSync(directory);
    if (process.getuid?.() === ROOT_UID && fstatSync(file).uid !== uid) ignoreMissingPermission(() => fchownSync(file, uid, gid));
    setMode(path, PRIVATE_FILE_MODE);
  } catch (error) {
    closeSync(file);
    throw error;
  }
  return file;
}

/** Sets the mode; a file that belongs to another user keeps its mode. */
export function setMode(path: string, mode: number): void {
  ignoreMissingPermission(() => chmodSync(path, mode));
}

function ignoreMissingPermission(action: () => void): void {
  try {
    action();
  } catch (error) {
    if (errorCode(error) !== 'EPERM') throw error;
  }
}

function readHolder(path: string): string {
  const [line = ''] = readFileSync(path, 'utf8').slice(0, MAX_HOLDER_LENGTH).split('\n');
  return line === '' ? 'another process' : line;
}
