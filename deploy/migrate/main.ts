#!/usr/bin/env node
/** `platform-migrate`: backups of a cluster's data, and its way from one machine to another. Wires the commands to the real process, clock and console. */
import { systemClock } from '../../shared/runtime/clock';
import { flagsOrExit, USAGE_EXIT_CODE, UsageError, type CommandLine, type FlagTable, type FlagValues } from '../../shared/cli/flags';
import { systemRandom } from '../../shared/runtime/random';
import { errorMessage } from '../../shared/runtime/error-message';
import { backup, move, restoreFile, verify, type Host } from './commands';
import { BACKUP_FLAGS, MOVE_FLAGS, RESTORE_FLAGS, VERIFY_FLAGS } from './flags';

const NAME = 'platform-migrate';

interface Verb {
  readonly does: string;
  run(argv: readonly string[], host: Host): Promise<void>;
}

function verb<Table extends FlagTable>(
  name: string,
  does: string,
  table: Table,
  run: (flags: FlagValues<Table>, host: Host) => Promise<void>,
): [string, Verb] {
  const program: CommandLine = { name: `${NAME} ${name}`, description: does };
  return [name, { does, run: (argv, host) => run(flagsOrExit(program, table, argv, USAGE_EXIT_CODE).values, host) }];
}

const VERBS = new Map([
  verb('backup', 'Writes all that a store holds at one revision into a file, while the API servers go on.', BACKUP_FLAGS, backup),
  verb('verify', 'Looks whether a backup is whole, and says what it is of.', VERIFY_FLAGS, verify),
  verb('restore', 'Puts a backup into an empty store. Clients that come back list everything anew.', RESTORE_FLAGS, restoreFile),
  verb('move', 'Copies all data from the embedded store to an empty etcd, or back, while no API server runs.', MOVE_FLAGS, move),
]);

function usage(): string {
  const lines = [...VERBS].map(([name, { does }]) => `  ${name.padEnd(8)} ${does}`);
  return `Backs up, restores and moves the data of a cluster.\n\nUsage:\n  ${NAME} <verb> [flags]\n\n${lines.join('\n')}\n\n'${NAME} <verb> --help' lists the flags.\n`;
}

async function main([name = '', ...argv]: readonly string[]): Promise<void> {
  if (name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(usage());
    return;
  }
  const found = VERBS.get(name);
  if (found === undefined) {
    process.stderr.write(usage());
    process.exitCode = USAGE_EXIT_CODE;
    return;
  }
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  await found.run(argv, { clock: systemClock, random: systemRandom, say });
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${NAME}: ${errorMessage(error)}\n`);
  process.exitCode = error instanceof UsageError ? USAGE_EXIT_CODE : 1;
});
