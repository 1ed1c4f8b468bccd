/** Runs the commands `platform backup`, `verify`, `restore` and `migrate` as a process, like their users. */
import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { repository } from './repository';

const PROGRAM = path.join(repository, 'dist/deploy/cli/main.js');

export interface MigrateRun {
  readonly child: ChildProcess;
  /** The exit code and the standard error. */
  readonly ended: Promise<{ readonly code: number | null; readonly stderr: string }>;
}

/** Starts the program; `args` begin with the command. Its standard input stays open until the caller ends it; its standard output can be a pipe. */
export function startMigrate(args: readonly string[], output: 'ignore' | 'pipe' = 'ignore'): MigrateRun {
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['pipe', output, 'pipe'], cwd: repository });
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  // A process that was killed does not read the rest.
  child.stdin?.on('error', () => undefined);
  const ended = new Promise<{ readonly code: number | null; readonly stderr: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, stderr })),
  );
  return { child, ended };
}

/** Runs the program to its end and returns its standard error. Rejects with it when the program fails. */
export async function migrate(...args: readonly string[]): Promise<string> {
  const { child, ended } = startMigrate(args);
  child.stdin?.end();
  const { code, stderr } = await ended;
  if (code !== 0) throw new Error(stderr);
  return stderr;
}
