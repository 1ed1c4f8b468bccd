/**
 * Assigns processes to processors, so that one machine stands for two: a client on another machine would take no
 * processor from the server. Uses Linux's `taskset`.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpus } from 'node:os';

/** `false` when this machine cannot give the server's event loop a processor of its own. */
export function canSeparateProcessors(): boolean {
  return cpus().length > 1 && spawnSync('taskset', ['--version']).status === 0;
}

/**
 * Moves the event loop of `server` to the first processor, and its other threads and this process, with its future
 * children, to the others.
 */
export function separateProcessors(server: number): void {
  const others = `1-${cpus().length - 1}`;
  for (const pid of [server, process.pid]) setAffinity('-acp', others, pid);
  setAffinity('-cp', '0', server);
}

/** Lets both processes run on all processors again. */
export function shareProcessors(server: number): void {
  for (const pid of [server, process.pid]) setAffinity('-acp', `0-${cpus().length - 1}`, pid);
}

function setAffinity(flag: '-acp' | '-cp', processors: string, pid: number): void {
  execFileSync('taskset', [flag, processors, String(pid)], { stdio: 'ignore' });
}
