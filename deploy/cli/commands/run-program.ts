/**
 * Runs another program of the package, such as `apiserver`, for a command of `platform`. The programs need arguments of
 * Node (deploy/cluster/node-arguments.ts). When this process was started with them, as in a container, it loads the
 * program and becomes it. Otherwise the program runs in a child process, which gets SIGTERM for each signal that ends this
 * process, and which ends by itself when its IPC channel closes with this process.
 */
import { createRequire } from 'node:module';
import path from 'node:path';
import { NODE_ARGUMENTS } from '../../cluster/node-arguments';
import { startProgram } from '../../local/start-program';
import { CommandError, type CommandHost } from '../terminal/host';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * `module` is the main file below dist/. Resolves to the exit code of the child process; `undefined` when the program
 * runs in this process. Rejects with {@link CommandError} when it could not start or was ended by a signal.
 */
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
