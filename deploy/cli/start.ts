/**
 * The start of `platform`, which main.ts runs as a bundle or as modules: connects the commands to the process, clock and
 * console, reports their errors, and sets the exit code.
 */
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { runCommand, type CommandOutcome } from '../../shared/cli/command-table';
import { USAGE_EXIT_CODE, UsageError } from '../../shared/cli/flags';
import { systemClock } from '../../shared/runtime/clock';
import { errorMessage } from '../../shared/runtime/error-message';
import { systemRandom } from '../../shared/runtime/random';
import { CommandError, type CommandHost } from './terminal/host';
import { PROGRAM } from './program';

const host: CommandHost = {
  clock: systemClock,
  random: systemRandom,
  process,
  directory: process.cwd(),
  environment: process.env,
  // This file is in dist/deploy/cli when it runs.
  programs: path.resolve(__dirname, '../..'),
  isTerminal: process.stderr.isTTY,
  write: (text) => void process.stdout.write(text),
  writeError: (text) => void process.stderr.write(text),
  ask,
};

async function ask(question: string): Promise<string | undefined> {
  if (!process.stdin.isTTY) return undefined;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(question);
  } finally {
    lines.close();
  }
}

/** Prints what the command left to print. Returns the exit code; `undefined` when the process runs until a signal ends it. */
function report(outcome: CommandOutcome): number | undefined {
  if (outcome.kind === 'exit') return outcome.code;
  if (outcome.kind === 'text') {
    host.write(outcome.text);
    return 0;
  }
  host.writeError(`${outcome.command}: ${outcome.message}\nSee '${outcome.command} --help'.\n`);
  return USAGE_EXIT_CODE;
}

/** Prints the error of a command. Returns the exit code. */
function reportError(error: unknown, argv: readonly string[]): number {
  const command = [PROGRAM.name, ...argv.slice(0, 1)].join(' ');
  host.writeError(`${command}: ${errorMessage(error)}\n`);
  if (error instanceof UsageError) {
    host.writeError(`See '${command} --help'.\n`);
    return USAGE_EXIT_CODE;
  }
  return error instanceof CommandError ? error.exitCode : 1;
}

async function main(argv: readonly string[]): Promise<void> {
  // `platform --version` is the conventional spelling of the command `version`.
  const commandLine = argv[0] === '--version' ? ['version', ...argv.slice(1)] : argv;
  const code = await runCommand(PROGRAM, commandLine, host).then(report, (error: unknown) => reportError(error, argv));
  // Not process.exit(), which would cut off output that a pipe has not taken yet.
  if (code !== undefined) process.exitCode = code;
}

// The reader of a pipe may close it early: `platform status | head -1`.
process.stdout.on('error', () => process.exit(1));

void main(process.argv.slice(2));
