/** The process around the commands of `platform`, for tests that run them in their own process. */
import { EventEmitter } from 'node:events';
import type { CommandHost } from '../../deploy/cli/terminal/host';
import { systemClock, type Clock } from '../../shared/runtime/clock';
import { systemRandom } from '../../shared/runtime/random';
import { repository } from './repository';

export interface TestHost extends CommandHost {
  /** What was written to standard output and standard error so far. */
  readonly printed: { output: string; errors: string };
  /** The questions that were asked. */
  readonly questions: string[];
  /** Delivers a signal to the command. */
  signal(name: 'SIGINT' | 'SIGTERM'): void;
}

export interface TestHostOptions {
  /** The working directory of the command. */
  readonly directory: string;
  readonly clock?: Clock;
  /** All variables of the environment; those of the test process are not visible. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The reply to every question; absent when questions cannot be asked. */
  readonly confirmation?: string;
  readonly isTerminal?: boolean;
}

/**
 * What a command prints and asks is collected in `printed` and `questions`; `signal` stands for a signal to the
 * process.
 */
export function createTestHost({
  directory,
  clock = systemClock,
  environment = {},
  confirmation,
  isTerminal = false,
}: TestHostOptions): TestHost {
  const printed = { output: '', errors: '' };
  const questions: string[] = [];
  const events = new EventEmitter();
  return {
    clock,
    random: systemRandom,
    process: { on: (event, listener) => events.on(event, listener), exit: () => undefined },
    directory,
    environment,
    programs: `${repository}/dist`,
    isTerminal,
    write: (text) => void (printed.output += text.toString()),
    writeError: (text) => void (printed.errors += text),
    async ask(question) {
      questions.push(question);
      return confirmation;
    },
    printed,
    questions,
    signal: (name) => void events.emit(name),
  };
}
