/**
 * Runs the commands of deployment files (units, manifests) as processes of a test, with other paths, host names and
 * ports than in the files.
 */
import { spawn } from 'node:child_process';
import { findEtcd } from './external/etcd';
import { ProgramProcess, startProgram } from './programs';

export class RelocatedPrograms {
  private readonly running: ProgramProcess[] = [];

  /** The replacements apply in order. */
  constructor(private readonly replacements: readonly (readonly [from: string, to: string])[]) {}

  relocate(text: string): string {
    return this.replacements.reduce((relocated, [from, to]) => relocated.replaceAll(from, to), text);
  }

  /** `platform` with these arguments. */
  startPlatform(args: readonly string[]): ProgramProcess {
    const relocated = args.map((argument) => this.relocate(argument));
    return this.add(startProgram('deploy/cli/main.js', relocated));
  }

  /** etcd, which is configured by variables only. */
  startEtcd(variables: Readonly<Record<string, string>>): ProgramProcess {
    const relocated = Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, this.relocate(value)]));
    return this.add(new ProgramProcess(spawn(findEtcd() ?? '', [], { env: { PATH: process.env['PATH'], ...relocated }, stdio: 'pipe' })));
  }

  /** Ends the programs, the last one first. */
  async stop(): Promise<void> {
    for (const program of this.running.toReversed()) if (program.isRunning) await program.stop();
  }

  private add(program: ProgramProcess): ProgramProcess {
    this.running.push(program);
    return program;
  }
}
