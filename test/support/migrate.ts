/** `platform-migrate` as a process of its own, as its users run it. */
import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { repository } from './repository';

const PROGRAM = path.join(repository, 'dist/deploy/migrate/main.js');

export interface MigrateRun {
  readonly child: ChildProcess;
  /** How it ended, and what it said on standard error. */
  readonly ended: Promise<{ readonly code: number | null; readonly stderr: string }>;
}

/** Starts it; its standard input stays open until the caller ends it, and its standard output is for whoever wants it as a pipe. */
export function startMigrate(args: readonly string[], output: 'ignore' | 'pipe' = 'ignore'): MigrateRun {
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['pipe', output, 'pipe'], cwd: repository });
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  // A process that has been killed does not take the rest.
  child.stdin?.on('error', () => undefined);
  const ended = new Promise<{ readonly code: number | null; readonly stderr: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, stderr })),
  );
  return { child, ended };
}

/** Runs it to its end; what it says when it succeeds. Rejects with that when it fails. */
export async function migrate(...args: readonly string[]): Promise<string> {
  const { child, ended } = startMigrate(args);
  child.stdin?.end();
  const { code, stderr } = await ended;
  if (code !== 0) throw new Error(stderr);
  return stderr;
}
