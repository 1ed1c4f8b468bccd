/** Who runs where: a client on a machine of its own takes no processor from the server, and one machine has to stand for both. Linux's `taskset` does it. */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpus } from 'node:os';

/** False = this machine cannot give a server's loop a processor that nobody else uses. */
export function canSeparateProcessors(): boolean {
  return cpus().length > 1 && spawnSync('taskset', ['--version']).status === 0;
}

/** The loop of `server` on the first processor, its helpers and this process, with what it starts from now on, on the others. */
export function separateProcessors(server: number): void {
  const others = `1-${cpus().length - 1}`;
  for (const pid of [server, process.pid]) setAffinity('-acp', others, pid);
  setAffinity('-cp', '0', server);
}

/** All of them everywhere again. */
export function shareProcessors(server: number): void {
  for (const pid of [server, process.pid]) setAffinity('-acp', `0-${cpus().length - 1}`, pid);
}

function setAffinity(flag: '-acp' | '-cp', processors: string, pid: number): void {
  execFileSync('taskset', [flag, processors, String(pid)], { stdio: 'ignore' });
}
