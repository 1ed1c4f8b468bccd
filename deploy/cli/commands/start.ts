/**
 * `platform start`: runs the control plane in the foreground under the local runner, or starts itself in the background.
 * Of the flags that are not its own, those that only the controllers have go to the controllers, and all others to each
 * API server. Their names are checked first, so that a mistyped flag starts nothing.
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { CommandInput } from '../../../shared/cli/command-table';
import { findUnknownFlag, unknownFlagMessage, UsageError, type FlagTable } from '../../../shared/cli/flags';
import { partitionArguments } from '../../../shared/cli/scan-arguments';
import { errorMessage } from '../../../shared/runtime/error-message';
import { createLogger } from '../../../shared/runtime/logger';
import { Lifecycle } from '../../../shared/runtime/process/lifecycle';
import { PERMANENT_EXIT_CODE } from '../../../shared/runtime/process/permanent-error';
import { LogFile } from '../../local/log-file';
import { runnerOptions, type PassedFlags, type RunnerOptions } from '../../local/options';
import { layoutOf } from '../../local/plan';
import { describeRun, removeRunState, writeRunState } from '../../local/run-state';
import { runLocal, StartError, type Host } from '../../local/runner';
import { startProgram } from '../../local/start-program';
import { containerName } from '../../local/start-summary';
import { START_FLAGS } from './flags';
import type { CommandHost } from '../terminal/host';
import { Progress } from '../terminal/progress';
import { startInBackground } from './start-in-background';

/**
 * Resolves to `undefined` in the foreground, where signals or a failed start end the process, and to an exit code in the
 * background. Throws {@link UsageError} for flags that are not valid.
 */
export async function start(input: CommandInput<typeof START_FLAGS>, host: CommandHost): Promise<number | undefined> {
  const { values, operands: passedFlags } = input;
  const options = runnerOptions(values, await assignFlags(passedFlags), host.directory);
  if (typeof options === 'string') throw new UsageError(options);
  // Empty: the logs are written to the terminal in the foreground, and to the folder of the layout in the background.
  const logs = values['log-dir'] === '' ? '' : path.resolve(host.directory, values['log-dir']);
  if (values.detach) return startInBackground({ options, argv: input.argv, logs: logs || layoutOf(options.dataDir).logs }, host);
  await runInForeground(options, logs, host);
  return undefined;
}

/**
 * Assigns each flag to the program that gets it. Throws {@link UsageError} for an unknown flag; the programs check the
 * values. The flag tables of the programs are large, and loaded only when there are flags to assign.
 */
async function assignFlags(passedFlags: readonly string[]): Promise<PassedFlags> {
  if (passedFlags.length === 0) return { servers: [], controllers: [] };
  const [{ FLAGS: serverFlags }, { flags: controllerFlags }] = await Promise.all([
    import('../../../apiserver/options/flags/flags.js'),
    import('../../../controllers/flags.js'),
  ]);
  const known: FlagTable = { ...controllerFlags, ...serverFlags, ...START_FLAGS };
  const unknown = findUnknownFlag(known, passedFlags);
  if (unknown !== undefined) throw new UsageError(unknownFlagMessage(unknown, known));
  const isOnlyOfControllers = (name: string): boolean => Object.hasOwn(controllerFlags, name) && !Object.hasOwn(serverFlags, name);
  const { selected, others } = partitionArguments(known, passedFlags, isOnlyOfControllers);
  return { servers: others, controllers: selected };
}

async function runInForeground(options: RunnerOptions, logs: string, host: CommandHost): Promise<void> {
  const { clock } = host;
  const lifecycle = new Lifecycle({
    clock,
    logger: createLogger({ level: 'warn', clock, fields: { component: 'local' } }),
    process: host.process,
  });
  lifecycle.listenForSignals();
  const progress = new Progress('starting', host);
  try {
    if (logs !== '') mkdirSync(logs, { recursive: true, mode: 0o700 });
    const print = (line: string): void => {
      progress.clear();
      host.write(`${line}\n`);
    };
    await runLocal(options, runnerHost({ lifecycle, logs, print }, host));
    progress.end();
    if (lifecycle.stopping.aborted) return;
    lifecycle.onStop({ name: 'run state', timeoutMs: 1_000, run: () => removeRunState(options.dataDir) });
    writeRunState(options.dataDir, describeRun(options, logs, clock.now()));
  } catch (error) {
    progress.end();
    host.writeError(`platform start: ${describeFailure(error)}\n`);
    await lifecycle.stop('could not start', error instanceof StartError ? PERMANENT_EXIT_CODE : 1);
  }
}

/** What the runner needs of this process. Modules that are needed later are loaded then. */
function runnerHost(
  { lifecycle, logs, print }: { readonly lifecycle: Lifecycle; readonly logs: string; readonly print: (line: string) => void },
  { clock, random, programs, environment }: CommandHost,
): Host {
  return {
    clock,
    lifecycle,
    programs,
    start(program, args, name) {
      const started = startProgram(program, args, logs === '' ? undefined : new LogFile(path.join(logs, `${name}.log`)));
      // Loads the module of publishClusterInfo while the API server starts.
      void import('../../cluster/cluster-info.js');
      return started;
    },
    async publishClusterInfo(publication, signal) {
      const { publishClusterInfo } = await import('../../cluster/cluster-info.js');
      await publishClusterInfo(publication, clock, random, signal);
    },
    async grantSimulationAccess(administrator, signal) {
      const { grantSimulationAccess } = await import('../../cluster/simulation-access.js');
      await grantSimulationAccess({ ...administrator, clock, random }, signal);
    },
    container: containerName(environment),
    print,
  };
}

/** The message of an error that the user can correct; others are faults of the program and have their stack. */
function describeFailure(error: unknown): string {
  if (error instanceof StartError || !(error instanceof Error)) return errorMessage(error);
  return error.stack ?? error.message;
}
