/**
 * Runs another program of the package with all arguments. Its settings of Node are on the command line
 * (deploy/cluster/node-arguments.ts): when this process has them, as in a container, the program replaces `platform` in
 * it. Otherwise it runs in a child process; signals are forwarded, and the child ends with this process.
 */
import { createRequire } from 'node:module';
import path from 'node:path';
import { NODE_ARGUMENTS } from '../../cluster/node-arguments';
import { startProgram } from '../../local/start-program';
import { CommandError, type CommandHost } from '../terminal/host';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Resolves to the exit code, `undefined` when the program runs in this process; `module` is the main file below dist/. */
export async function runProgram(module: string, argv: readonly string[], host: CommandHost): Promise<number | undefined> {
  const file = path.join(host.programs, module);
  if (NODE_ARGUMENTS.every((argument) => process.execArgv.includes(argument))) {
    process.argv.splice(1, Infinity, file, ...argv);
    createRequire(file)(file);
    return undefined;
  }
  const child = startProgram(file, argv);
  for (const signal of SIGNALS) host.process.on(signal, () => child.kill('SIGTERM'));
  const { code, signal, error } = await child.exited;
  if (error !== undefined) throw new CommandError(`could not start: ${error.message}`);
  if (code === null) throw new CommandError(`ended by ${signal}`);
  return code;
}
