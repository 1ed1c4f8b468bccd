/**
 * A scripted kubectl session: one binary, one kubeconfig, helpers that run a command and say what went wrong when it ends otherwise
 * than the script expects. Never asserts on its own beyond the exit code.
 */
import { runClient, startClient, type Outcome } from '../support/kubectl';
import { type ProgramProcess } from '../support/programs';

export class KubectlSession {
  constructor(
    readonly binary: string,
    readonly kubeconfig: string,
    /** Appended to every command: `-n <namespace>`. */
    readonly namespace: string,
  ) {}

  /** Runs a command to its end, whatever that is. */
  run(command: string | readonly string[], input?: string): Promise<Outcome> {
    return runClient(this.binary, this.kubeconfig, this.args(command), input === undefined ? {} : { input });
  }

  /** Runs a command that must succeed, and gives its standard output. */
  async ok(command: string | readonly string[], input?: string): Promise<string> {
    const { code, stdout, stderr } = await this.run(command, input);
    if (code !== 0) throw new Error(`kubectl ${this.args(command).join(' ')} ended with ${code}:\n${stderr}${stdout}`);
    return stdout;
  }

  /** Runs a command that must fail, and gives its standard error. */
  async fails(command: string | readonly string[], input?: string): Promise<string> {
    const { code, stdout, stderr } = await this.run(command, input);
    if (code === 0) throw new Error(`kubectl ${this.args(command).join(' ')} should fail, but said:\n${stdout}`);
    return stderr;
  }

  async json<T>(command: string): Promise<T> {
    return JSON.parse(await this.ok(`${command} -o json`)) as T;
  }

  /** Starts a command that goes on until it is stopped. */
  start(command: string): ProgramProcess {
    return startClient(this.binary, this.kubeconfig, this.args(command));
  }

  /** A command as words; quotes are not understood, arguments with blanks come as an array. */
  private args(command: string | readonly string[]): string[] {
    const words = typeof command === 'string' ? command.split(' ').filter((word) => word !== '') : [...command];
    return words.includes('-n') || words.includes('-A') ? words : ['-n', this.namespace, ...words];
  }
}

/** The rows of kubectl's table output, cells split where two or more blanks stand. */
export function table(output: string): string[][] {
  return output
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => line.trim().split(/ {2,}/));
}
