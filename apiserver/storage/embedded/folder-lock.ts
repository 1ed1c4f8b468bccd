/**
 * Keeps two processes from opening one data folder. The lock is the kernel's, on an open file: no matter in which namespaces or containers of a
 * machine processes are, they see one lock, and it ends with its holder, however that ends. What the file says is for people only. It never
 * waits, never signals anyone, and never removes the file: whoever made a new one would lock something else.
 *
 * Between machines it is worth as much as the file system's own locks, and lmdb is not made for shared file systems anyway. Whoever gets past it
 * is found out by the first write that follows (see Environment.write).
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
import { errorCode } from '../../../shared/runtime/error-code';

const FILE_NAME = 'lock';
const PRIVATE_FOLDER = 0o700;
export const PRIVATE_FILE = 0o600;
const LONGEST_HOLDER = 200;
const SUPERUSER = 0;

export interface FolderLock {
  release(): void;
}

export class FolderInUse extends Error {
  override readonly name = 'FolderInUse';
  constructor(directory: string, holder: string) {
    super(`the data folder ${directory} is in use by ${holder}`);
  }
}

/** Creates `directory` if need be, and takes it from all other users. */
export function makeFolder(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: PRIVATE_FOLDER });
  restrict(directory, PRIVATE_FOLDER);
}

/** Locks a folder that there is. Throws {@link FolderInUse} when it is locked already. */
export function lockFolder(directory: string): FolderLock {
  const file = openPrivate(directory, FILE_NAME);
  const path = join(directory, FILE_NAME);
  try {
    if (!tryLock(file)) throw new FolderInUse(directory, holderIn(path));
    ftruncateSync(file);
    writeSync(file, `process ${process.pid} on ${hostname()}\n`, 0);
  } catch (error) {
    closeSync(file);
    throw error;
  }
  return { release: () => closeSync(file) };
}

/** Opens a file to be read and written, and makes it if need be, for the folder's owner: what the superuser makes beside a server is to be the server's. */
export function openPrivate(directory: string, name: string): number {
  const path = join(directory, name);
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT, PRIVATE_FILE);
  try {
    const { uid, gid } = statSync(directory);
    if (process.getuid?.() === SUPERUSER && fstatSync(file).uid !== uid) asFarAsPermitted(() => fchownSync(file, uid, gid));
    restrict(path, PRIVATE_FILE);
  } catch (error) {
    closeSync(file);
    throw error;
  }
  return file;
}

/** Sets who may read and write; what belongs to another user keeps the mode that he gave it. */
export function restrict(path: string, mode: number): void {
  asFarAsPermitted(() => chmodSync(path, mode));
}

function asFarAsPermitted(action: () => void): void {
  try {
    action();
  } catch (error) {
    if (errorCode(error) !== 'EPERM') throw error;
  }
}

function holderIn(path: string): string {
  const [line = ''] = readFileSync(path, 'utf8').slice(0, LONGEST_HOLDER).split('\n');
  return line === '' ? 'another process' : line;
}
