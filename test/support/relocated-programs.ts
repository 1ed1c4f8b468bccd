/**
 * Runs the commands of deployment files (units, manifests) as processes of a test, with other paths, host names and
 * ports than in the files.
 */
import { spawn } from 'node:child_process';
import { findEtcd } from './external/etcd';
import { ProgramProcess, startProgram } from './programs';

export class RelocatedPrograms {
  private readonly started: ProgramProcess[] = [];

  /**
   * Each replacement applies to the result of the previous ones. When one `from` contains another, the longer one comes first:
   * `0.0.0.0:2379` before `=0.0.0.0`.
   */
  constructor(private readonly replacements: readonly (readonly [from: string, to: string])[]) {}

  /** The text with all replacements. */
  relocate(text: string): string {
    return this.replacements.reduce((relocated, [from, to]) => relocated.replaceAll(from, to), text);
  }

  /** `platform` with these arguments. */
  startPlatform(args: readonly string[]): ProgramProcess {
    const relocated = args.map((argument) => this.relocate(argument));
    return this.add(startProgram('deploy/cli/main.js', relocated));
  }

  /**
   * etcd, which the deployment files configure by variables only. It inherits no variable of the test except PATH: it
   * reads every `ETCD_*`, so that `ETCD_BIN` and settings of the test would reach it.
   */
  startEtcd(variables: Readonly<Record<string, string>>): ProgramProcess {
    const program = findEtcd();
    if (program === undefined) throw new Error('there is no etcd program');
    const relocated = Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, this.relocate(value)]));
    return this.add(new ProgramProcess(spawn(program, [], { env: { PATH: process.env['PATH'], ...relocated }, stdio: 'pipe' })));
  }

  /** Ends the programs that still run, the last started one first. */
  async stop(): Promise<void> {
    for (const program of this.started.toReversed()) if (program.isRunning) await program.stop();
  }

  private add(program: ProgramProcess): ProgramProcess {
    this.started.push(program);
    return program;
  }
}
