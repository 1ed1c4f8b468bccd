/**
 * `platform stop`: ends the control plane of a data folder in order, whether it runs in the foreground or in the background.
 * Finds its process by the process file of the folder.
 */
import path from 'node:path';
import { formatDuration } from '../../../shared/cli/duration';
import { findForeignHolder } from '../../../shared/runtime/files/folder-lock';
import { layoutOf } from '../../local/plan';
import { isAlive, livePid, sendSignal } from '../../local/process-file';
import type { StopFlags } from './flags';
import { CommandError, type CommandHost } from '../terminal/host';
import { Progress } from '../terminal/progress';

const POLL_MS = 50;

/**
 * Resolves to the exit code 0, also when nothing runs. Throws {@link CommandError} when the control plane runs in another
 * container or machine, and when it does not end within `--timeout`.
 */
export async function stop({ 'data-dir': folder, timeout }: StopFlags, host: CommandHost): Promise<number> {
  const dataDir = path.resolve(host.directory, folder);
  const { run, supervisor } = layoutOf(dataDir);
  const holder = findForeignHolder(run);
  if (holder !== undefined) throw new CommandError(`${dataDir} is in use by ${holder}; stop it there`);
  const pid = livePid(supervisor);
  if (pid === undefined) {
    host.write(`no control plane runs in ${dataDir}\n`);
    return 0;
  }
  sendSignal(pid, 'SIGTERM');
  const progress = new Progress('stopping', host);
  try {
    const deadline = host.clock.monotonic() + timeout;
    while (isAlive(pid)) {
      if (host.clock.monotonic() >= deadline) throw new CommandError(`process ${pid} did not end within ${formatDuration(timeout)}`);
      await host.clock.sleep(POLL_MS);
    }
  } finally {
    progress.end();
  }
  host.write(`stopped the control plane in ${dataDir} (process ${pid})\n`);
  return 0;
}
