/**
 * Runs another program of the package with all arguments, in a child process, because its settings of Node are on the
 * command line (deploy/cluster/node-arguments.ts). Signals are forwarded; the child ends with this process.
 */
import path from 'node:path';
import { startProgram } from '../../local/start-program';
import { CommandError, type CommandHost } from '../terminal/host';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Resolves to the exit code; `module` is the main file below dist/. */
export async function runProgram(module: string, argv: readonly string[], host: CommandHost): Promise<number> {
  const child = startProgram(path.join(host.programs, module), argv);
  for (const signal of SIGNALS) host.process.on(signal, () => child.kill('SIGTERM'));
  const { code, signal, error } = await child.exited;
  if (error !== undefined) throw new CommandError(`could not start: ${error.message}`);
  if (code === null) throw new CommandError(`ended by ${signal}`);
  return code;
}
