/**
 * Keeps two processes from opening one data folder. The lock is a file that names its holder (process id, the moment
 * that process started, and the machine's boot), so a lock whose holder was killed is recognised and taken over.
 * It never waits and never signals anyone.
 */
import { linkSync, mkdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../../../shared/runtime/random';

const fileName = 'lock';

export interface FolderLock {
  release(): void;
}

export class FolderInUse extends Error {
  override readonly name = 'FolderInUse';
  constructor(
    readonly directory: string,
    readonly pid: number,
  ) {
    super(`the data folder ${directory} is in use by process ${pid}`);
  }
}

/** Creates `directory` if need be and locks it. Throws {@link FolderInUse} when a living process holds it. */
export function lockFolder(directory: string, random: Random): FolderLock {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, fileName);
  const own = `${JSON.stringify(identify(process.pid))}\n`;
  const draft = join(directory, `${fileName}.${process.pid}.${random.string(8, 'abcdefghijklmnop')}`);
  writeFileSync(draft, own, { mode: 0o600 });
  try {
    while (!linkIfAbsent(draft, path)) {
      const found = readIfPresent(path);
      if (found === undefined) continue;
      const holder = parseHolder(found);
      if (holder !== undefined && isAlive(holder)) throw new FolderInUse(directory, holder.pid);
      removeStale(path, `${draft}.stale`, found);
    }
  } finally {
    unlinkSync(draft);
  }
  return {
    release: () => {
      if (readIfPresent(path) === own) unlinkSync(path);
    },
  };
}

interface Holder {
  readonly pid: number;
  /** Clock ticks from boot to the start of the process; tells it from a later one with the same id. */
  readonly started: string;
  readonly boot: string;
}

function identify(pid: number): Holder {
  return { pid, started: startOf(pid) ?? '', boot: bootId() };
}

function isAlive(holder: Holder): boolean {
  if (holder.boot !== bootId()) return false;
  if (holder.started !== '') return startOf(holder.pid) === holder.started;
  try {
    process.kill(holder.pid, 0);
    return true;
  } catch (error) {
    return !hasCode(error, 'ESRCH');
  }
}

/** The start time of a process, from the 22nd field of its status line; undefined where there is no such process. */
function startOf(pid: number): string | undefined {
  const line = readIfPresent(`/proc/${pid}/stat`);
  return line?.slice(line.lastIndexOf(')') + 2).split(' ')[19];
}

function bootId(): string {
  return readIfPresent('/proc/sys/kernel/random/boot_id')?.trim() ?? '';
}

function parseHolder(text: string): Holder | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || !('pid' in value) || !('started' in value) || !('boot' in value)) return undefined;
    const { pid, started, boot } = value;
    return typeof pid === 'number' && typeof started === 'string' && typeof boot === 'string' ? { pid, started, boot } : undefined;
  } catch {
    return undefined;
  }
}

/** Moves the lock aside before removing it: if another process replaced it in between, that one is put back. */
function removeStale(path: string, aside: string, expected: string): void {
  try {
    renameSync(path, aside);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  if (readIfPresent(aside) !== expected) linkIfAbsent(aside, path);
  unlinkSync(aside);
}

function linkIfAbsent(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ESRCH')) return undefined;
    throw error;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
