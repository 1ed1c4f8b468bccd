/**
 * Stops processes left by an earlier run with a killed supervisor. They exit by themselves but may still hold ports
 * and the store: they are sent SIGTERM, and killed after a timeout.
 */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { Clock } from '../../shared/runtime/clock';
import { livePid, removePid, sendSignal } from './process-file';

const POLL_MS = 50;
/** Longer than an API server usually drains. */
const TERMINATION_TIMEOUT_MS = 15_000;
/** The kernel ends a killed process at once, unless its disk hangs. */
const KILL_TIMEOUT_MS = 5_000;

/** Where the processes of an earlier run are recorded, and what is needed to stop them. */
export interface StopLeftoverOptions {
  /** The folder of the files `<name>.pid`. */
  readonly folder: string;
  /** The name of the file that stays, because it is that of this process. */
  readonly supervisorFile: string;
  readonly clock: Clock;
  readonly print: (line: string) => void;
}

/** Resolves when no process of the folder is alive. Rejects when one cannot be stopped. */
export async function stopLeftoverProcesses({ folder, supervisorFile, clock, print }: StopLeftoverOptions): Promise<void> {
  for (const name of readdirSync(folder).filter((entry) => entry.endsWith('.pid') && entry !== supervisorFile)) {
    const file = path.join(folder, name);
    const pid = livePid(file);
    if (pid !== undefined) {
      print(`waiting for ${path.basename(name, '.pid')} (process ${pid}) of an earlier run to exit`);
      await stopProcess(pid, file, clock);
    }
    removePid(file);
  }
}

async function stopProcess(pid: number, file: string, clock: Clock): Promise<void> {
  sendSignal(pid, 'SIGTERM');
  if (await waitForExit(file, clock, TERMINATION_TIMEOUT_MS)) return;
  sendSignal(pid, 'SIGKILL');
  if (!(await waitForExit(file, clock, KILL_TIMEOUT_MS))) throw new Error(`process ${pid} of an earlier run does not exit`);
}

async function waitForExit(file: string, clock: Clock, withinMs: number): Promise<boolean> {
  const deadline = clock.monotonic() + withinMs;
  while (livePid(file) !== undefined) {
    if (clock.monotonic() >= deadline) return false;
    await clock.sleep(POLL_MS);
  }
  return true;
}
