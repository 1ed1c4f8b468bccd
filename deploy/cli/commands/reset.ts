/**
 * `platform reset`: deletes the data of a control plane that does not run. Deletes only what the local runner creates: a
 * folder without its certificates and process ids is refused, and other files in the folder are left.
 */
import { readdirSync, rmdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { UsageError } from '../../../shared/cli/flags';
import { acquireProcessFile, HeldError, livePid } from '../../local/process-file';
import { layoutOf, type Layout } from '../../local/plan';
import type { ResetFlags } from './flags';
import { CommandError, type CommandHost } from '../terminal/host';

/** `y` or `yes`, in any case. */
const YES = /^y(es)?$/i;

/**
 * Returns the exit code. Asks for confirmation unless `--yes` is set; throws {@link CommandError} when the folder is in
 * use or no data folder, or the user declines, and {@link UsageError} when there is no terminal to ask on.
 */
export async function reset({ 'data-dir': folder, yes }: ResetFlags, host: CommandHost): Promise<number> {
  const dataDir = path.resolve(host.directory, folder);
  const layout = layoutOf(dataDir);
  if (!fileExists(dataDir)) {
    host.write(`${dataDir} does not exist\n`);
    return 0;
  }
  if (!fileExists(layout.run) || !fileExists(path.join(layout.pki, 'ca.crt'))) {
    throw new CommandError(`${dataDir} is not the data folder of a control plane: it has no run/ and pki/ca.crt`);
  }
  assertStopped(layout, dataDir);
  if (!yes) {
    const confirmation = await host.ask(`Delete the certificates and all data in ${dataDir}? [y/N] `);
    if (confirmation === undefined) throw new UsageError('deletes all data: confirm with --yes');
    if (!YES.test(confirmation.trim())) throw new CommandError('nothing was deleted');
  }
  // No control plane starts there while files are deleted.
  const release = acquireDataFolder(layout, dataDir);
  for (const entry of ownEntries(layout)) rmSync(entry, { recursive: true, force: true });
  release();
  const others = readdirSync(dataDir);
  if (others.length === 0) rmdirSync(dataDir);
  host.write(
    others.length === 0
      ? `deleted ${dataDir}\n`
      : `deleted the control plane in ${dataDir}; other files were left there: ${others.join(', ')}\n`,
  );
  return 0;
}

function assertStopped({ run }: Layout, dataDir: string): void {
  for (const file of readdirSync(run).filter((name) => name.endsWith('.pid'))) {
    const pid = livePid(path.join(run, file));
    if (pid !== undefined)
      throw new CommandError(`${dataDir} is in use by the running process ${pid} (${path.basename(file, '.pid')}); stop it first`);
  }
}

/** What the local runner creates in the data folder. The certificates and process ids, which identify it, are last. */
const ownEntries = ({ store, logs, kubeconfig, controllersKubeconfig, simulationKubeconfig, pki, run }: Layout): readonly string[] => [
  store,
  logs,
  kubeconfig,
  controllersKubeconfig,
  simulationKubeconfig,
  pki,
  run,
];

/** Returns a function that releases the folder. */
function acquireDataFolder({ supervisor }: Layout, dataDir: string): () => void {
  try {
    return acquireProcessFile(supervisor);
  } catch (error) {
    if (error instanceof HeldError) throw new CommandError(`${dataDir} is in use by ${error.holder}; stop it first`);
    throw error;
  }
}

const fileExists = (file: string): boolean => statSync(file, { throwIfNoEntry: false }) !== undefined;
