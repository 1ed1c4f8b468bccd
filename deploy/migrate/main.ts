#!/usr/bin/env node
/**
 * The program `platform-migrate`: backs up, restores and moves the data of a cluster. Connects the commands to the
 * process, clock and console.
 */
import { systemClock } from '../../shared/runtime/clock';
import { flagsOrExit, USAGE_EXIT_CODE, UsageError, type CommandLine, type FlagTable, type FlagValues } from '../../shared/cli/flags';
import { systemRandom } from '../../shared/runtime/random';
import { errorMessage } from '../../shared/runtime/error-message';
import { backup, move, restoreFile, verify, type Host } from './commands';
import { BACKUP_FLAGS, MOVE_FLAGS, RESTORE_FLAGS, VERIFY_FLAGS } from './flags';

const NAME = 'platform-migrate';

interface Verb {
  readonly summary: string;
  run(argv: readonly string[], host: Host): Promise<void>;
}

function createVerb<Table extends FlagTable>(
  name: string,
  summary: string,
  table: Table,
  run: (flags: FlagValues<Table>, host: Host) => Promise<void>,
): [string, Verb] {
  const program: CommandLine = { name: `${NAME} ${name}`, description: summary };
  return [name, { summary, run: (argv, host) => run(flagsOrExit(program, table, argv, USAGE_EXIT_CODE).values, host) }];
}

const VERBS = new Map([
  createVerb('backup', 'Writes all data of a store at one revision to a file, while the API servers run.', BACKUP_FLAGS, backup),
  createVerb('verify', 'Checks that a backup is complete, and prints its source.', VERIFY_FLAGS, verify),
  createVerb('restore', 'Restores a backup into an empty store. Clients list all objects again afterwards.', RESTORE_FLAGS, restoreFile),
  createVerb('move', 'Copies all data from the embedded store to an empty etcd, or back, while no API server runs.', MOVE_FLAGS, move),
]);

function usage(): string {
  const lines = [...VERBS].map(([name, { summary }]) => `  ${name.padEnd(8)} ${summary}`);
  return `Backs up, restores and moves the data of a cluster.\n\nUsage:\n  ${NAME} <verb> [flags]\n\n${lines.join('\n')}\n\n'${NAME} <verb> --help' lists the flags.\n`;
}

async function main([name = '', ...argv]: readonly string[]): Promise<void> {
  if (name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(usage());
    return;
  }
  const command = VERBS.get(name);
  if (command === undefined) {
    process.stderr.write(usage());
    process.exitCode = USAGE_EXIT_CODE;
    return;
  }
  const print = (line: string): void => void process.stderr.write(`${line}\n`);
  await command.run(argv, { clock: systemClock, random: systemRandom, print });
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${NAME}: ${errorMessage(error)}\n`);
  process.exitCode = error instanceof UsageError ? USAGE_EXIT_CODE : 1;
});
