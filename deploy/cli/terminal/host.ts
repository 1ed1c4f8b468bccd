/** The dependencies of the commands of `platform` on the process that runs them, and the error with which they fail. */
import type { CommandContext } from '../../../shared/cli/command-table';
import type { Clock } from '../../../shared/runtime/clock';
import type { ProcessHandle } from '../../../shared/runtime/process/lifecycle';
import type { Random } from '../../../shared/runtime/random';

/** What a command may use of its process; tests replace it. */
export interface CommandHost extends CommandContext {
  readonly clock: Clock;
  readonly random: Random;
  readonly process: ProcessHandle;
  /** The working directory. */
  readonly directory: string;
  /** Folder with the compiled programs. */
  readonly programs: string;
  /** Whether standard error is a terminal, so that progress can be shown. */
  readonly isTerminal: boolean;
  /** Writes to standard output, and adds no line feed. */
  readonly write: (text: string | Buffer) => void;
  /** Writes to standard error, and adds no line feed. */
  readonly writeError: (text: string) => void;
  /** Prints a question and reads a line; `undefined` when the standard input is no terminal. */
  readonly ask: (question: string) => Promise<string | undefined>;
}

/** A command cannot do what it was asked; only the message is printed. */
export class CommandError extends Error {
  constructor(
    message: string,
    readonly exitCode = 1,
  ) {
    super(message);
  }
}
