/**
 * Helpers of tests that run whole programs: temporary folders, waiting for a condition, processes, and API servers. The
 * programs are the compiled ones in dist/; `npm run build` compiles them, and `npm test` does so before the tests.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ensureCertificates, type Certificates } from '../../deploy/local/certificates';
import { ADMINISTRATOR_NAME, formatKubeconfig } from '../../deploy/cluster/kubeconfig';
import { isReady } from '../../deploy/local/readiness';
import { NODE_ARGUMENTS } from '../../deploy/cluster/node-arguments';
import type { Credential } from '../../shared/pki/certificates';
import { systemClock, type Clock } from '../../shared/runtime/clock';
import { repository } from './repository';

/** Long enough for a program to become ready on a busy machine. */
const START_MS = 45_000;

/** A local program changes its state within milliseconds. */
const POLL_MS = 20;

export interface WaitLimits {
  readonly timeoutMs: number;
  /** The pause between two checks; {@link POLL_MS} by default. */
  readonly pollMs?: number;
  /** Measures the time limit and the pauses; the system's by default. */
  readonly clock?: Clock;
}

/** A new folder below the system's temporary folder. Remove it with {@link removeFolder}. */
export function temporaryFolder(name: string): string {
  return mkdtempSync(path.join(tmpdir(), `${name}-`));
}

/** A missing folder is no error. Retries, because a process that is ending may still write to it. */
export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/**
 * Checks `condition` periodically until it returns something other than `undefined` or `false`, and resolves with that.
 * Rejects with `description` after the time limit. `limits`: the time limit in milliseconds, or more settings.
 */
export async function waitUntil<T>(
  description: string,
  condition: () => T | undefined | false | Promise<T | undefined | false>,
  limits: number | WaitLimits = 15_000,
): Promise<T> {
  const { timeoutMs, pollMs = POLL_MS, clock = systemClock } = typeof limits === 'number' ? { timeoutMs: limits } : limits;
  const deadline = clock.monotonic() + timeoutMs;
  for (;;) {
    const value = await condition();
    if (value !== undefined && value !== false) return value;
    if (clock.monotonic() >= deadline) throw new Error(`gave up after ${timeoutMs} ms waiting for: ${description}`);
    await clock.sleep(pollMs);
  }
}

/** A zombie counts as alive. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** A started process with its output so far and its exit. */
export class ProgramProcess {
  /** Standard output and standard error, in the order of arrival. */
  output = '';
  /** Resolves when the process has ended and its output is complete. */
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;

  constructor(readonly child: ChildProcess) {
    const collect = (chunk: Buffer): void => void (this.output += chunk.toString());
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    this.exited = new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal })));
  }

  get pid(): number {
    return this.child.pid ?? -1;
  }

  /** Also of a paused process. */
  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Sends SIGKILL, which leaves no chance to clean up. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited;
  }

  /** Sends SIGTERM and returns the exit code; `null` when a signal ended the process. */
  async stop(): Promise<number | null> {
    this.child.kill('SIGTERM');
    return (await this.exited).code;
  }

  /** Sends SIGSTOP. */
  pause(): void {
    this.child.kill('SIGSTOP');
  }

  /** Sends SIGCONT. */
  resume(): void {
    this.child.kill('SIGCONT');
  }
}

/**
 * Starts `dist/<program>` (such as `apiserver/main.js`) with an IPC channel, so that it exits with the test process.
 * With `environment` the program runs from its modules instead of its bundle, so that a clock module can be replaced.
 */
export function startProgram(program: string, args: readonly string[], environment?: NodeJS.ProcessEnv): ProgramProcess {
  const file = path.join(repository, 'dist', environment === undefined ? program : path.join(path.dirname(program), 'start.js'));
  if (!existsSync(file)) throw new Error(`${file} is missing: run npm run build`);
  const env = { ...process.env, ...environment };
  return new ProgramProcess(spawn(process.execPath, [...NODE_ARGUMENTS, file, ...args], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], env }));
}

/** What `platform start` prints when its control plane is ready. */
export const READY_OUTPUT = 'Ctrl-C ends it';

/**
 * Starts `platform start` with these flags and resolves when the control plane is ready. Rejects as
 * {@link waitUntilReady} does.
 */
export async function startPlatform(flags: readonly string[]): Promise<ProgramProcess> {
  const platform = startProgram('deploy/cli/main.js', ['start', ...flags]);
  await waitUntilReady('the control plane', platform, () => platform.output.includes(READY_OUTPUT));
  return platform;
}

/** Rejects with the output when the process exits before; kills it and rejects when it is not ready after the time limit. */
export async function waitUntilReady(
  name: string,
  process: ProgramProcess,
  isReady: () => boolean | Promise<boolean>,
  timeoutMs = START_MS,
): Promise<void> {
  const check = (): boolean | Promise<boolean> => {
    const { exitCode, signalCode } = process.child;
    if (!process.isRunning) throw new Error(`${name} ended with ${exitCode ?? signalCode} before it was ready:\n${process.output}`);
    return isReady();
  };
  try {
    await waitUntil(`${name} to be ready`, check, timeoutMs);
  } catch (error) {
    await process.kill();
    throw error;
  }
}

export interface ApiServerOptions {
  /** Holds certificates, kubeconfig and, with the embedded store, the data. */
  readonly folder: string;
  readonly securePort: number;
  /** Absent for the embedded store in `folder`. */
  readonly etcdServers?: string;
  readonly args?: readonly string[];
  /** Enables the ServiceAccount plug-in: pods run as service accounts, which must exist. */
  readonly accounts?: boolean;
  /** Variables besides those of the test; see {@link startProgram}. */
  readonly environment?: NodeJS.ProcessEnv;
}

export interface ApiServer {
  readonly process: ProgramProcess;
  readonly address: string;
  readonly certificates: Certificates;
  /** Path of the administrator's kubeconfig for this server. */
  readonly kubeconfig: string;
  /** Path of the kubeconfig with the controllers' identity. */
  readonly controllersKubeconfig: string;
  /** Folder with certificates and keys. */
  readonly pki: string;
}

/** Starts an API server process and resolves when /readyz returns 200. Rejects as {@link waitUntilReady} does. */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const pki = path.join(options.folder, 'pki');
  const certificates = await ensureCertificates(pki, systemClock);
  const address = `https://127.0.0.1:${options.securePort}`;
  const { authority, admin, controllers } = certificates;
  const writeKubeconfig = (name: string, user: string, credential: Credential): string => {
    const file = path.join(options.folder, `${name}-${options.securePort}.kubeconfig`);
    writeFileSync(file, formatKubeconfig({ server: address, authority, user, credential }), { mode: 0o600 });
    return file;
  };
  const kubeconfig = writeKubeconfig('admin', ADMINISTRATOR_NAME, admin);
  const controllersKubeconfig = writeKubeconfig('controllers', 'controllers', controllers);

  const process = spawnApiServer(options, pki);
  await waitUntilReady(`the API server on ${address}`, process, () => isReady({ address, ...certificates }));
  return { process, address, certificates, kubeconfig, controllersKubeconfig, pki };
}

/** Starts an API server without waiting for it, for tests that expect it to fail. */
export async function launchApiServer(options: ApiServerOptions): Promise<ProgramProcess> {
  const pki = path.join(options.folder, 'pki');
  await ensureCertificates(pki, systemClock);
  return spawnApiServer(options, pki);
}

function spawnApiServer(options: ApiServerOptions, pki: string): ProgramProcess {
  return startProgram('apiserver/main.js', serverArguments(options, pki), options.environment);
}

/** The flags of a test's API server, with certificates and keys from the folder `pki`. */
export const serverArguments = (
  { folder, securePort, etcdServers, accounts = false, args = [] }: ApiServerOptions,
  pki: string,
): readonly string[] => [
  '--bind-address=127.0.0.1',
  `--secure-port=${securePort}`,
  '--insecure-bind-address=127.0.0.1',
  '--insecure-port=0',
  `--tls-cert-file=${pki}/apiserver.crt`,
  `--tls-private-key-file=${pki}/apiserver.key`,
  `--client-ca-file=${pki}/ca.crt`,
  '--service-account-issuer=https://platform.default.svc.cluster.local',
  `--service-account-key-file=${pki}/sa.pub`,
  `--service-account-signing-key-file=${pki}/sa.key`,
  ...(etcdServers === undefined
    ? ['--storage-backend=embedded', `--storage-dir=${path.join(folder, 'store')}`]
    : [`--etcd-servers=${etcdServers}`]),
  '--log-level=warn',
  // Most tests run no controllers, which would create the accounts.
  ...(accounts ? [] : ['--disable-admission-plugins=ServiceAccount']),
  ...args,
];
