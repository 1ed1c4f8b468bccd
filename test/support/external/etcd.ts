/**
 * Real etcd servers for tests. The program is `ETCD_BIN` or on PATH; on Debian, tests that run as root install the
 * package. `describeWithEtcd` reports the tests that are skipped without it.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from './find-program';
import { freePorts } from '../ports';
import { ProgramProcess, removeFolder, temporaryFolder, waitUntilReady } from '../programs';
import { reportSkipped } from '../report-skipped';

export interface EtcdServer {
  /** `http://127.0.0.1:port`, or `https` with TLS; the same after a restart. */
  readonly endpoint: string;
  /** Sends SIGKILL; resolves when the process has exited. */
  kill(): Promise<void>;
  /** Sends SIGTERM; resolves when the process has exited. */
  stop(): Promise<void>;
  /** SIGSTOP. */
  pause(): void;
  /** SIGCONT. */
  resume(): void;
  /** Starts a killed or stopped server on the same port and data. */
  restart(): Promise<void>;
  /** Kills the server and removes its data. */
  dispose(): Promise<void>;
}

export interface EtcdServerOptions {
  readonly arguments?: readonly string[];
  readonly tls?: EtcdTls;
}

/** PEM files. Clients must present a certificate of the same authority. */
export interface EtcdTls {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** `null` before the first search; `undefined` when there is no etcd. */
let cachedProgram: string | undefined | null = null;

/** The path of the etcd program, which is installed when possible; `undefined` when there is none. */
export function findEtcd(): string | undefined {
  if (cachedProgram === null) cachedProgram = locateEtcd() ?? (installEtcd() ? locateEtcd() : undefined);
  return cachedProgram;
}

/** `describe` where etcd exists, otherwise one test that reports the skipped block. */
export function describeWithEtcd(name: string, body: () => void): void {
  if (findEtcd() !== undefined) {
    describe(name, body);
    return;
  }
  reportSkipped(name, 'no etcd in ETCD_BIN or on PATH, and it could not be installed');
}

/** A cluster of one member. */
export async function startEtcd(options: EtcdServerOptions = {}): Promise<EtcdServer> {
  const [server] = await startEtcdCluster(1, options);
  if (server === undefined) throw new Error('etcd did not start');
  return server;
}

/** Starts the members of one cluster; resolves when all of them accept connections. */
export async function startEtcdCluster(members: number, options: EtcdServerOptions = {}): Promise<EtcdServer[]> {
  const program = findEtcd();
  if (program === undefined) throw new Error('there is no etcd program');
  const ports = await freePorts(2 * members);
  const scheme = options.tls === undefined ? 'http' : 'https';
  const addresses = Array.from({ length: members }, (_, index) => ({
    name: `member-${index}`,
    port: ports[2 * index] ?? 0,
    endpoint: `${scheme}://127.0.0.1:${ports[2 * index] ?? 0}`,
    peer: `http://127.0.0.1:${ports[2 * index + 1] ?? 0}`,
  }));
  const cluster = addresses.map(({ name, peer }) => `${name}=${peer}`).join(',');
  const { tls } = options;
  const tlsFlags =
    tls === undefined ? [] : ['--cert-file', tls.cert, '--key-file', tls.key, '--trusted-ca-file', tls.ca, '--client-cert-auth'];
  return Promise.all(
    addresses.map(async ({ name, port, endpoint, peer }) => {
      const directory = temporaryFolder('etcd-test');
      const flags = [
        ...['--name', name, '--data-dir', join(directory, 'data')],
        ...['--listen-client-urls', endpoint, '--advertise-client-urls', endpoint],
        ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer, '--initial-cluster', cluster],
        ...['--max-txn-ops', '2048', '--max-request-bytes', '3145728'],
        ...['--logger', 'zap', '--log-level', 'error'],
        ...tlsFlags,
        // Tests do not cut the power.
        '--unsafe-no-fsync',
        ...(options.arguments ?? []),
      ];
      const member = new EtcdMember({ program, flags, directory, endpoint, port });
      await member.restart();
      return member;
    }),
  );
}

/** Long enough for a member to find its cluster on a busy machine. */
const START_MS = 60_000;

interface MemberSettings {
  readonly program: string;
  readonly flags: readonly string[];
  /** Holds the data. */
  readonly directory: string;
  readonly endpoint: string;
  /** The port of the endpoint. */
  readonly port: number;
}

class EtcdMember implements EtcdServer {
  private process: ProgramProcess | undefined;
  private readonly killOnExit = (): void => void this.process?.child.kill('SIGKILL');

  constructor(private readonly settings: MemberSettings) {
    process.once('exit', this.killOnExit);
  }

  get endpoint(): string {
    return this.settings.endpoint;
  }

  async restart(): Promise<void> {
    const { program, flags, port } = this.settings;
    const started = new ProgramProcess(spawn(program, flags, { stdio: 'ignore' }));
    this.process = started;
    await waitUntilReady('etcd', started, () => acceptsConnections(port), START_MS);
  }

  async kill(): Promise<void> {
    await this.process?.kill();
  }

  async stop(): Promise<void> {
    // A paused process would not receive SIGTERM.
    this.process?.resume();
    await this.process?.stop();
  }

  pause(): void {
    if (this.process !== undefined) stopAllThreads(this.process);
  }

  resume(): void {
    this.process?.resume();
  }

  async dispose(): Promise<void> {
    await this.kill();
    process.removeListener('exit', this.killOnExit);
    removeFolder(this.settings.directory);
  }
}

const locateEtcd = (): string | undefined => findProgram('etcd', 'ETCD_BIN');

/** Installs Debian's package, one process at a time; `false` where that is impossible. */
function installEtcd(): boolean {
  if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version') || !existsSync('/usr/bin/apt-get')) return false;
  const lock = join(tmpdir(), 'etcd-test-install');
  const maxWaitSeconds = 180;
  for (let waitedSeconds = 0; !acquireLock(lock); waitedSeconds++) {
    if (waitedSeconds === maxWaitSeconds) return locateEtcd() !== undefined;
    execFileSync('sleep', ['1']);
  }
  try {
    if (locateEtcd() !== undefined) return true;
    const options = { stdio: 'ignore' as const, env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } };
    // The package starts a server unless RUNLEVEL makes policy-rc.d forbid it; the tests need only the program.
    const install = 'apt-get install -y -q --no-install-recommends etcd-server';
    execFileSync('sh', ['-c', `RUNLEVEL=1 ${install} || (apt-get update -q && RUNLEVEL=1 ${install})`], options);
    return locateEtcd() !== undefined;
  } catch {
    return false;
  } finally {
    rmdirSync(lock);
  }
}

/** Creates a folder as a lock; `false` when another process has it. A lock older than ten minutes belonged to a process that was killed, and is removed. */
function acquireLock(lock: string): boolean {
  const staleMs = 600_000;
  try {
    mkdirSync(lock);
    return true;
  } catch {
    try {
      if (Date.now() - statSync(lock).mtimeMs > staleMs) rmdirSync(lock);
    } catch {
      // The holder has just removed it.
    }
    return false;
  }
}

/** Sends SIGSTOP and returns when all threads have stopped: after the signal alone they may still send a response. */
function stopAllThreads(paused: ProgramProcess): void {
  paused.pause();
  const tasks = `/proc/${paused.pid}/task`;
  const isStopped = (task: string): boolean => /^State:\s+T/m.test(readFileSync(`${tasks}/${task}/status`, 'latin1'));
  const maxChecks = 10_000;
  for (let checks = 0; checks < maxChecks && existsSync(tasks) && !readdirSync(tasks).every(isStopped); checks++);
}

function acceptsConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
