/**
 * Runs the container engine and the project of docker-compose.yml through their command lines, and injects faults into
 * containers from outside.
 */
import { execFile, spawn } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { waitUntil } from '../support/programs';
import { repository } from '../support/repository';

const run = promisify(execFile);

export const IMAGE = 'platform-control-plane';
export const PROJECT = 'platform';
/** The etcd member with a small disk; see small-disk.yml. */
export const SMALL_DISK = 'etcd3';
export const MEMBERS = ['etcd1', 'etcd2', 'etcd3'] as const;

const env = { ...process.env, COMPOSE_FILE: ['docker-compose.yml', 'test/compose/small-disk.yml'].join(path.delimiter) };

/** Returns the trimmed output. Rejects when the command fails. */
export async function docker(...args: readonly string[]): Promise<string> {
  const { stdout } = await run('docker', [...args], { cwd: repository, env, maxBuffer: 64 * 1024 * 1024 });
  return stdout.trim();
}

/** Like {@link docker}, but a failing command is an outcome. */
export function tryDocker(...args: readonly string[]): Promise<{ readonly code: number; readonly output: string }> {
  return new Promise((resolve) => {
    const child = execFile('docker', [...args], { cwd: repository, env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : (child.exitCode ?? 1), output: `${stdout}${stderr}`.trim() });
    });
  });
}

export const compose = (...args: readonly string[]): Promise<string> => docker('compose', ...args);

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The ids of the running containers of a service. */
export async function containerIds(service: string): Promise<readonly string[]> {
  return (await compose('ps', '--quiet', service)).split('\n').filter((id) => id !== '');
}

/** Rejects when no container of the service runs. */
export async function containerOf(service: string): Promise<string> {
  const [id] = await containerIds(service);
  if (id === undefined) throw new Error(`${service} does not run`);
  return id;
}

/** Containers start one after the other. Each check starts a process. */
const HEALTH_WAIT = { timeoutMs: 120_000, pollMs: 500 };

/** Rejects after two minutes. */
export async function waitUntilHealthy(container: string): Promise<void> {
  const status = (): Promise<string> => docker('inspect', '--format', '{{.State.Health.Status}}', container);
  await waitUntil(`${container} to be healthy`, async () => (await status()) === 'healthy', HEALTH_WAIT);
}

/** Builds an image of a commit, independent of the working tree. */
export async function buildCommit(commit: string, tag: string): Promise<void> {
  const image = process.env['NODE_IMAGE'];
  const archive = spawn('git', ['archive', commit], { cwd: repository, stdio: ['ignore', 'pipe', 'inherit'] });
  const args = ['build', '--quiet', '--tag', tag, ...(image === undefined ? [] : ['--build-arg', `NODE_IMAGE=${image}`]), '-'];
  const build = spawn('docker', args, { cwd: repository, stdio: [archive.stdout, 'ignore', 'inherit'] });
  const code = await new Promise<number | null>((resolve) => build.once('close', resolve));
  if (code !== 0) throw new Error(`the image of ${commit} could not be built`);
}

/** Runs etcdctl in the container of a member. */
function etcdctl(container: string, ...args: readonly string[]): Promise<string> {
  const files = [`--cacert=/pki/etcd/ca.crt`, `--cert=/pki/etcd/member.crt`, `--key=/pki/etcd/member.key`];
  return docker('exec', container, 'etcdctl', `--endpoints=https://localhost:2379`, ...files, ...args);
}

/** The column `IS LEADER` of `etcdctl endpoint status`. */
const LEADER_COLUMN = 4;

/** The service of the current leader of etcd. Rejects when there is none for two minutes. */
export function findLeader(): Promise<(typeof MEMBERS)[number]> {
  const findOnce = async (): Promise<(typeof MEMBERS)[number] | undefined> => {
    for (const member of MEMBERS) {
      const status = await etcdctl(await containerOf(member), 'endpoint', 'status').catch(() => '');
      if (status.split(', ')[LEADER_COLUMN] === 'true') return member;
    }
    return undefined;
  };
  return waitUntil('etcd to have a leader', findOnce, HEALTH_WAIT);
}

const PEER_RULES = ['INPUT', 'OUTPUT'].flatMap((chain) =>
  ['--dport', '--sport'].map((side) => [chain, '-p', 'tcp', side, '2380', '-j', 'DROP']),
);

/**
 * Drops all traffic between a member and its peers; clients still reach it. `false` where that is impossible (it needs
 * root on Linux).
 */
export async function cutFromPeers(container: string): Promise<boolean> {
  try {
    for (const rule of PEER_RULES) await changeFirewall(container, '-A', ...rule);
    return true;
  } catch {
    return false;
  }
}

/** Ends the partition of the member. Rejects when there is none. */
export async function healPeers(container: string): Promise<void> {
  for (const rule of PEER_RULES) await changeFirewall(container, '-D', ...rule);
}

async function changeFirewall(container: string, ...rule: readonly string[]): Promise<void> {
  const pid = await docker('inspect', '--format', '{{.State.Pid}}', container);
  await run('nsenter', ['--target', pid, '--net', 'iptables', ...rule]);
}

const SYNCS = 'fsync,fdatasync';
/** Ten minutes, longer than any stall that a scenario asks for. */
const NEVER_US = 600_000_000;

/**
 * Delays all syncs of a member's files for `ms`, while the member itself runs. `false` where that is impossible
 * (it needs root on Linux, and strace).
 */
export async function stallDisk(container: string, ms: number): Promise<boolean> {
  const pid = await docker('inspect', '--format', '{{.State.Pid}}', container);
  const straceArguments = ['-e', `trace=${SYNCS}`, '-e', `inject=${SYNCS}:delay_enter=${NEVER_US}`];
  const strace = spawn('strace', ['-f', '-qq', '-o', '/dev/null', ...straceArguments, '-p', pid], { stdio: 'ignore' });
  const ended = new Promise<false>((resolve) => {
    strace.once('error', () => resolve(false));
    strace.once('close', () => resolve(false));
  });
  const isStalled = await Promise.race([sleep(ms).then(() => true), ended]);
  // Delayed writes continue then.
  strace.kill('SIGINT');
  await ended;
  return isStalled;
}

const NETWORK = `${PROJECT}_default`;

export const disconnect = (container: string): Promise<string> => docker('network', 'disconnect', NETWORK, container);

/** The container may get another address. */
export const connect = (container: string, service: string): Promise<string> =>
  docker('network', 'connect', '--alias', service, NETWORK, container);

const DISK_HOLDER = `${PROJECT}-disk-holder`;
const FILL = `
const { openSync, writeSync, closeSync } = require('node:fs');
const file = openSync('/data/filler', 'w');
for (let size = 1 << 20; size >= 512; size >>= 1) {
  try { for (;;) writeSync(file, Buffer.alloc(size)); } catch (error) { if (error.code !== 'ENOSPC') throw error; }
}
closeSync(file);`;

/** Scales the API servers; running ones stay as they are. */
export async function scaleApiServers(count: number): Promise<void> {
  await compose('up', '--detach', '--wait', '--no-deps', '--no-recreate', '--scale', `apiserver=${count}`, 'apiserver');
}

/** Keeps the small disk mounted. It is in memory, so that a killed member would otherwise restart without its data. */
export function holdSmallDisk(): Promise<string> {
  const program = ['--entrypoint', 'node', IMAGE, '-e', 'setInterval(() => undefined, 1e6)'];
  return docker('run', '--detach', '--init', '--name', DISK_HOLDER, '--volume', `${PROJECT}_${SMALL_DISK}:/data`, ...program);
}

export const fillSmallDisk = (): Promise<string> => docker('exec', DISK_HOLDER, 'node', '-e', FILL);
export const clearSmallDisk = (): Promise<string> => docker('exec', DISK_HOLDER, 'node', '-e', `require('node:fs').rmSync('/data/filler')`);
export const releaseSmallDisk = async (): Promise<void> => void (await tryDocker('rm', '--force', DISK_HOLDER));

export const countRestarts = async (container: string): Promise<number> =>
  Number(await docker('inspect', '--format', '{{.RestartCount}}', container));

/** The connections that the load balancer has open to each API server. */
export async function countConnectionsByServer(): Promise<ReadonlyMap<string, number>> {
  const lines = (await balancerMetrics()).matchAll(/^haproxy_server_current_sessions\{proxy="apiservers",server="([^"]+)"\} (\d+)/gm);
  return new Map([...lines].map(([, server = '', count]) => [server, Number(count)]));
}

/** The number of API servers that the load balancer considers ready. */
export async function countReadyServers(): Promise<number> {
  return Number(/^haproxy_backend_active_servers\{proxy="apiservers"\} (\d+)/m.exec(await balancerMetrics())?.[1] ?? 0);
}

async function balancerMetrics(): Promise<string> {
  const script = `exec 3<>/dev/tcp/127.0.0.1/8404; printf 'GET /metrics HTTP/1.0\\r\\n\\r\\n' >&3; cat <&3`;
  return docker('exec', await containerOf('front'), 'bash', '-c', script);
}
