/**
 * Process id files: one decimal number each. A file counts only if that process is alive and older than the file, so
 * that a reused id (after a crash or reboot) is ignored. Ids mean nothing to the processes of other containers, so the
 * holder of a file also locks its folder.
 */
import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { errorCode } from '../../shared/runtime/error-code';
import { FolderInUseError, lockFolder, type FolderLock } from '../../shared/runtime/files/folder-lock';

/** Another live process holds the file. */
export class HeldError extends Error {
  constructor(
    readonly file: string,
    /** Such as `the running process 12`. */
    readonly holder: string,
  ) {
    super(`${file} belongs to ${holder}`);
  }
}

/** Start times in /proc are rounded, and boot time is known to the second. */
const TOLERANCE_MS = 2_000;

/** Writes the file atomically, so that a reader never sees a part of the number. */
export function writePid(file: string, pid: number): void {
  const temporary = `${file}.${process.pid}.tmp`;
  writeFileSync(temporary, `${pid}\n`);
  renameSync(temporary, file);
}

/** Removes the file if there is one. */
export function removePid(file: string): void {
  rmSync(file, { force: true });
}

/** The id of the live process in the file; `undefined` when there is none, or it is this process. */
export function livePid(file: string): number | undefined {
  const pid = readPid(file);
  const isOther = pid !== undefined && pid !== process.pid;
  if (!isOther || !isAlive(pid)) return undefined;
  const startedAt = startTime(pid);
  if (startedAt === undefined) return pid;
  const written = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  return written !== undefined && startedAt <= written + TOLERANCE_MS ? pid : undefined;
}

/**
 * Acquires the file for this process, also from an exited process, and locks its folder. Returns a function that removes
 * the file and unlocks the folder. Throws {@link HeldError} when its holder is alive, in this container or another.
 */
export function acquireProcessFile(file: string): () => void {
  const lock = lockFolderOf(file);
  try {
    writeOwnPid(file);
  } catch (error) {
    lock.release();
    throw error;
  }
  return () => {
    removePid(file);
    lock.release();
  };
}

function lockFolderOf(file: string): FolderLock {
  try {
    return lockFolder(path.dirname(file));
  } catch (error) {
    if (!(error instanceof FolderInUseError)) throw error;
    const pid = livePid(file);
    throw new HeldError(file, pid === undefined ? error.holder : runningProcess(pid));
  }
}

const runningProcess = (pid: number): string => `the running process ${pid}`;

/**
 * The caller has locked the folder, so no other process writes the file meanwhile. The file names a live process
 * although its lock is free when the lock file was removed, and while a killed process exits.
 */
function writeOwnPid(file: string): void {
  const holder = livePid(file);
  if (holder !== undefined) throw new HeldError(file, runningProcess(holder));
  writePid(file, process.pid);
}

const PID = /^[1-9]\d{0,9}$/;

function readPid(file: string): number | undefined {
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file, 'utf8').trim();
  return PID.test(text) ? Number(text) : undefined;
}

/** Does nothing when the process has exited since its id was read. */
export function sendSignal(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
  }
}

/** Whether a process is alive. Processes of other users count; zombies do not, once all their threads have exited. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
  return !isZombie(pid);
}

/** The first thread is shown as a zombie while other threads still hold open files and ports. */
function isZombie(pid: number): boolean {
  const fields = statFields(pid);
  return fields?.[STATE] === 'Z' && Number(fields[THREADS]) <= 1;
}

/** The line of /proc/stat with the time when the system started: `btime 1700000000`. Seconds since 1970. */
const BOOT_TIME = /^btime (\d+)$/m;

/** When the process was started, in milliseconds since 1970; `undefined` where there is no /proc. */
function startTime(pid: number): number | undefined {
  const ticks = Number(statFields(pid)?.[STARTED]);
  const boot = BOOT_TIME.exec(readProc('/proc/stat') ?? '')?.[1];
  if (!Number.isFinite(ticks) || boot === undefined) return undefined;
  return Number(boot) * 1_000 + (ticks * 1_000) / TICKS_PER_SECOND;
}

/** Indexes in {@link statFields}. */
const STATE = 0;
const THREADS = 17;
const STARTED = 19;
/** Clock ticks a second in /proc; the kernel's interface has it fixed at 100 on every platform that Node supports. */
const TICKS_PER_SECOND = 100;

/** The fields of /proc/<pid>/stat after the process name, which may contain spaces and brackets. */
function statFields(pid: number): string[] | undefined {
  const text = readProc(`/proc/${pid}/stat`);
  return text?.slice(text.lastIndexOf(')') + 2).split(' ');
}

function readProc(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
