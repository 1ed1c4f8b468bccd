/**
 * A table of the faults that are injected into containers while clients send requests: what happens, which requests may
 * fail, and a figure to print. main.ts judges which requests failed.
 */
import { resourceOf } from '../../shared/client/rest/resource';
import type { RestClient } from '../../shared/client/rest/rest-client';
import { waitUntil } from '../support/programs';
import {
  clearSmallDisk,
  compose,
  connect,
  containerOf,
  containerIds,
  cutFromPeers,
  disconnect,
  docker,
  fillSmallDisk,
  healPeers,
  waitUntilHealthy,
  findLeader,
  MEMBERS,
  countConnectionsByServer,
  countReadyServers,
  countRestarts,
  scaleApiServers,
  SMALL_DISK,
  stallDisk,
  sleep,
} from './container-engine';
import type { ClientCrowd } from './client-crowd';
import type { Upgrade } from './upgrade';

export interface Scenario {
  readonly name: string;
  readonly description: string;
  /**
   * Which requests may fail. `none`: no request. `interrupted`: only requests in progress on a server that is killed, by
   * a lost connection. `rejected`: writes may be rejected for a while, with an explicit error.
   */
  readonly mayFail: 'none' | 'interrupted' | 'rejected';
  /** Resolves with a figure to print, or ''. */
  run(): Promise<string>;
}

/** Faults last long enough for etcd to elect another leader, and for clients to see their effects. */
const PARTITION_MS = 15_000;
const DISK_STALL_MS = 15_000;
const FULL_DISK_MS = 15_000;
/** The time for which the crowd reads. */
const CROWD_MS = 15_000;
/** A pause that clients notice only as a delay. */
const PAUSE_MS = 5_000;
const POLL_MS = 500;
/** API servers after scaling up, over which the connections are spread again. */
const SPREAD_SERVERS = 5;
/** Replicas of the Deployment that simulated nodes run. */
const SIMULATED_PODS = 3;
const DEPLOYMENTS = resourceOf('apps.v1.Deployment');
const NODES = resourceOf('core.v1.Node');

/** The time since a reading of `performance.now()`. */
const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1)} s`;

async function killAndRestart(service: string, downMs: number): Promise<string> {
  const container = await containerOf(service);
  await docker('kill', container);
  await sleep(downMs);
  const started = performance.now();
  await docker('start', container);
  await waitUntilHealthy(container);
  return `back after ${seconds(started)}`;
}

async function rollingRestart(): Promise<string> {
  await scaleApiServers(3);
  const started = performance.now();
  const ids = await containerIds('apiserver');
  for (const container of ids) {
    await docker('restart', '--time', '45', container);
    await waitUntilHealthy(container);
  }
  return `${ids.length} in ${seconds(started)}`;
}

async function restartMembers(): Promise<string> {
  const started = performance.now();
  for (const service of MEMBERS) {
    const container = await containerOf(service);
    await docker('restart', '--time', '30', container);
    await waitUntilHealthy(container);
  }
  return `${MEMBERS.length} in ${seconds(started)}`;
}

async function cutLeader(
  cut: (container: string) => Promise<void>,
  heal: (container: string, service: string) => Promise<void>,
): Promise<string> {
  const service = await findLeader();
  const container = await containerOf(service);
  await cut(container);
  const started = performance.now();
  try {
    await sleep(PARTITION_MS);
  } finally {
    await heal(container, service);
  }
  await waitUntilHealthy(container);
  return `${service} for ${seconds(started)}, now ${await findLeader()} leads`;
}

async function cutFromPeersOrSkip(container: string): Promise<void> {
  if (!(await cutFromPeers(container))) throw new SkippedScenario('firewall rules of a container need root on Linux, nsenter and iptables');
}

async function pauseMembers(members: readonly string[]): Promise<string> {
  const paused = await Promise.all(members.map(containerOf));
  await docker('pause', ...paused);
  await sleep(PAUSE_MS);
  await docker('unpause', ...paused);
  return `${members.join(', ')} for ${(PAUSE_MS / 1000).toFixed(0)} s`;
}

async function stallLeaderDisk(): Promise<string> {
  const service = await findLeader();
  const container = await containerOf(service);
  if (!(await stallDisk(container, DISK_STALL_MS))) throw new SkippedScenario('stalling a disk needs root on Linux, and strace');
  await waitUntilHealthy(container);
  return `${service}'s for ${(DISK_STALL_MS / 1000).toFixed(0)} s, now ${await findLeader()} leads`;
}

async function fillMemberDisk(): Promise<string> {
  const container = await containerOf(SMALL_DISK);
  const before = await countRestarts(container);
  await fillSmallDisk();
  const filled = performance.now();
  const hasExited = async (): Promise<boolean> => (await countRestarts(container)) > before;
  const outcome = await waitUntil(`${SMALL_DISK} to exit`, hasExited, { timeoutMs: 30_000, pollMs: POLL_MS }).then(
    () => `exited ${seconds(filled)} after its disk was full`,
    () => 'kept running',
  );
  await sleep(FULL_DISK_MS);
  await clearSmallDisk();
  const cleared = performance.now();
  await waitUntilHealthy(container);
  return `${SMALL_DISK} ${outcome}, healthy ${seconds(cleared)} after space was freed`;
}

async function spreadClients(crowd: ClientCrowd): Promise<string> {
  await scaleApiServers(SPREAD_SERVERS);
  const areReady = async (): Promise<boolean> => (await countReadyServers()) >= SPREAD_SERVERS;
  await waitUntil('the API servers to be ready', areReady, { timeoutMs: 30_000, pollMs: POLL_MS });
  await crowd.start();
  await sleep(CROWD_MS);
  const open = [...(await countConnectionsByServer()).values()].filter((count) => count > 0).sort((a, b) => b - a);
  const { requests } = await crowd.stop();
  const total = open.reduce((sum, count) => sum + count, 0);
  const summary = `${open.join(', ')} connections, ${crowd.size} more clients sent ${requests} requests`;
  if (open.length !== SPREAD_SERVERS || (open.at(-1) ?? 0) * 2 * SPREAD_SERVERS < total)
    throw new Error(`connections are not spread evenly: ${summary}`);
  // Compose removes the servers with the highest numbers.
  await compose('up', '--detach', '--wait', '--no-deps', '--scale', 'apiserver=3', 'apiserver');
  return summary;
}

/** Adds the profile `simulation`, waits until a Deployment is available on its nodes, and removes the services. */
async function simulateNodes(client: RestClient): Promise<string> {
  const deployments = client.of(DEPLOYMENTS).namespace('default');
  const metadata = { name: 'simulated' };
  const labels = { app: 'simulated' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'nginx' }] } };
  const started = performance.now();
  await compose('--profile', 'simulation', 'up', '--detach', '--wait', '--no-recreate', 'simulation');
  try {
    await deployments.create({ metadata, spec: { replicas: SIMULATED_PODS, selector: { matchLabels: labels }, template } });
    const areAvailable = async (): Promise<boolean> =>
      (await deployments.get(metadata.name)).body.status?.availableReplicas === SIMULATED_PODS;
    await waitUntil(`${SIMULATED_PODS} pods to be available`, areAvailable, { timeoutMs: 60_000, pollMs: POLL_MS });
    const { items } = await client.of(NODES).list();
    return `${SIMULATED_PODS} pods on ${items.length} nodes after ${seconds(started)}`;
  } finally {
    await compose('--profile', 'simulation', 'rm', '--stop', '--force', 'simulation', 'simulation-access');
  }
}

export class SkippedScenario extends Error {
  override readonly name = 'SkippedScenario';
}

/** `upgrade` is given when the cluster was started with other programs. */
export function scenarios(client: RestClient, crowd: ClientCrowd, upgrade?: Upgrade): readonly Scenario[] {
  const upgradeScenarios: Scenario[] =
    upgrade === undefined
      ? []
      : [{ name: 'upgrade', description: 'all programs are upgraded to this tree', mayFail: 'none', run: () => upgrade.run() }];
  return [
    ...upgradeScenarios,
    // Before the scenarios that scale: `up` sets the API servers, on which `simulation` depends, to the scale of
    // docker-compose.yml.
    { name: 'simulation', description: 'simulated nodes run a Deployment', mayFail: 'none', run: () => simulateNodes(client) },
    { name: 'rolling-restart', description: 'three API servers restart one after the other', mayFail: 'none', run: rollingRestart },
    { name: 'scale', description: 'five API servers, and a crowd of clients', mayFail: 'none', run: () => spreadClients(crowd) },
    { name: 'kill-replica', description: 'an API server is killed', mayFail: 'interrupted', run: () => killAndRestart('apiserver', 3_000) },
    { name: 'restart-members', description: 'the members of etcd restart one after the other', mayFail: 'none', run: restartMembers },
    { name: 'kill-member', description: 'a member of etcd is killed', mayFail: 'none', run: () => killAndRestart('etcd1', 5_000) },
    {
      name: 'kill-leader',
      description: 'the leader of etcd is killed',
      mayFail: 'rejected',
      run: async () => killAndRestart(await findLeader(), 5_000),
    },
    {
      name: 'leader-partitioned',
      description: 'the leader of etcd is cut off from its peers',
      mayFail: 'rejected',
      run: () => cutLeader(cutFromPeersOrSkip, healPeers),
    },
    {
      name: 'leader-isolated',
      description: 'the leader of etcd is disconnected from the network',
      mayFail: 'rejected',
      run: () =>
        cutLeader(
          async (container) => void (await disconnect(container)),
          async (container, service) => void (await connect(container, service)),
        ),
    },
    {
      name: 'member-stalls',
      description: 'the leader of etcd is paused',
      mayFail: 'rejected',
      run: async () => pauseMembers([await findLeader()]),
    },
    { name: 'store-stalls', description: 'all members of etcd are paused', mayFail: 'rejected', run: () => pauseMembers(MEMBERS) },
    { name: 'disk-stalls', description: 'the disk of the leader of etcd stalls', mayFail: 'rejected', run: stallLeaderDisk },
    { name: 'full-disk', description: 'the disk of a member of etcd is full', mayFail: 'rejected', run: fillMemberDisk },
  ];
}
