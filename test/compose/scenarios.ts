/** What is done to the containers while clients go on, as rows: each with what clients may notice of it, and a figure of its own. What they saw is judged by main.ts. */
import {
  clearSmallDisk,
  compose,
  connect,
  containerOf,
  containers,
  cutFromPeers,
  disconnect,
  docker,
  fillSmallDisk,
  healPeers,
  healthy,
  leader,
  MEMBERS,
  openByServer,
  readyServers,
  restarts,
  scale,
  SMALL_DISK,
  stallDisk,
  wait,
} from './engine';
import type { Crowd } from './crowd';
import type { Upgrade } from './upgrade';

export interface Scenario {
  readonly name: string;
  readonly what: string;
  /**
   * Of the clients' requests: `none`; `cut`: those that are on their way to a server that is killed lose their connection, and no more; `clear`: what is written may
   * be refused for a while, but says so.
   */
  readonly mayFail: 'none' | 'cut' | 'clear';
  /** Resolves with a figure, or '' for none. */
  run(): Promise<string>;
}

const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1)} s`;
const CUT_MS = 15_000;
const STALL_MS = 5_000;

async function killed(service: string, downMs: number): Promise<string> {
  const container = await containerOf(service);
  await docker('kill', container);
  await wait(downMs);
  const started = performance.now();
  await docker('start', container);
  await healthy(container);
  return `back after ${seconds(started)}`;
}

async function rollingRestart(): Promise<string> {
  await scale(3);
  const started = performance.now();
  const all = await containers('apiserver');
  for (const container of all) {
    await docker('restart', '--time', '45', container);
    await healthy(container);
  }
  return `${all.length} in ${seconds(started)}`;
}

async function cutLeader(
  cut: (container: string) => Promise<void>,
  heal: (container: string, service: string) => Promise<void>,
): Promise<string> {
  const service = await leader();
  const container = await containerOf(service);
  await cut(container);
  const started = performance.now();
  try {
    await wait(CUT_MS);
  } finally {
    await heal(container, service);
  }
  await healthy(container);
  return `${service} for ${seconds(started)}, now ${await leader()} leads`;
}

async function fromPeers(container: string): Promise<void> {
  if (!(await cutFromPeers(container)))
    throw new SkippedScenario('rules for a container’s network take root on Linux, nsenter and iptables');
}

async function stalled(members: readonly string[]): Promise<string> {
  const paused = await Promise.all(members.map(containerOf));
  await docker('pause', ...paused);
  await wait(STALL_MS);
  await docker('unpause', ...paused);
  return `${members.join(', ')} for ${(STALL_MS / 1000).toFixed(0)} s`;
}

async function diskStalls(): Promise<string> {
  const service = await leader();
  const container = await containerOf(service);
  if (!(await stallDisk(container, CUT_MS))) throw new SkippedScenario('holding a disk up takes root on Linux, and strace');
  await healthy(container);
  return `${service}'s for ${(CUT_MS / 1000).toFixed(0)} s, now ${await leader()} leads`;
}

async function fullDisk(): Promise<string> {
  const container = await containerOf(SMALL_DISK);
  const before = await restarts(container);
  await fillSmallDisk();
  const filled = performance.now();
  let ended = '';
  for (let left = 60; left > 0 && ended === ''; left -= 1) {
    await wait(500);
    if ((await restarts(container)) > before) ended = seconds(filled);
  }
  await wait(CUT_MS);
  await clearSmallDisk();
  const cleared = performance.now();
  await healthy(container);
  return `${SMALL_DISK} ${ended === '' ? 'went on' : `ended ${ended} after its disk was full`}, healthy ${seconds(cleared)} after there was room`;
}

async function spread(crowd: Crowd): Promise<string> {
  await scale(SPREAD_OVER);
  for (let left = 60; left > 0 && (await readyServers()) < SPREAD_OVER; left -= 1) await wait(500);
  await crowd.come();
  await wait(CUT_MS);
  const open = [...(await openByServer()).values()].filter((count) => count > 0).sort((a, b) => b - a);
  const { requests } = await crowd.leave();
  const all = open.reduce((sum, count) => sum + count, 0);
  const found = `${open.join(', ')} connections, ${requests} requests of ${crowd.size} clients more`;
  if (open.length !== SPREAD_OVER || (open.at(-1) ?? 0) * 2 * SPREAD_OVER < all) throw new Error(`it is not spread: ${found}`);
  // Those with the highest numbers go.
  await compose('up', '--detach', '--wait', '--no-deps', '--scale', 'apiserver=3', 'apiserver');
  return found;
}

const SPREAD_OVER = 5;

export class SkippedScenario extends Error {
  override readonly name = 'SkippedScenario';
}

/** `upgrade`: of a cluster that was begun with other programs. */
export function scenarios(crowd: Crowd, upgrade?: Upgrade): readonly Scenario[] {
  const upgraded: Scenario[] =
    upgrade === undefined
      ? []
      : [{ name: 'upgrade', what: 'all programs are replaced by those of this tree', mayFail: 'none', run: () => upgrade.run() }];
  return [
    ...upgraded,
    { name: 'rolling-restart', what: 'three API servers, one after the other', mayFail: 'none', run: rollingRestart },
    { name: 'scale', what: 'five API servers, and a crowd of clients', mayFail: 'none', run: () => spread(crowd) },
    { name: 'kill-replica', what: 'an API server is killed', mayFail: 'cut', run: () => killed('apiserver', 3_000) },
    { name: 'kill-member', what: 'a member of etcd is killed', mayFail: 'none', run: () => killed('etcd1', 5_000) },
    { name: 'kill-leader', what: 'the leader of etcd is killed', mayFail: 'clear', run: async () => killed(await leader(), 5_000) },
    {
      name: 'leader-partitioned',
      what: 'the leader of etcd is cut off from its peers',
      mayFail: 'clear',
      run: () => cutLeader(fromPeers, healPeers),
    },
    {
      name: 'leader-isolated',
      what: 'the leader of etcd is cut off from everybody',
      mayFail: 'clear',
      run: () =>
        cutLeader(
          async (container) => void (await disconnect(container)),
          async (container, service) => void (await connect(container, service)),
        ),
    },
    { name: 'member-stalls', what: 'the leader of etcd stands still', mayFail: 'clear', run: async () => stalled([await leader()]) },
    { name: 'store-stalls', what: 'all of etcd stands still', mayFail: 'clear', run: () => stalled(MEMBERS) },
    { name: 'disk-stalls', what: 'the disk of the leader of etcd stands still', mayFail: 'clear', run: diskStalls },
    { name: 'full-disk', what: 'the disk of a member of etcd is full', mayFail: 'clear', run: fullDisk },
  ];
}
