import { GENERATED_NAMES } from '../../../shared/names/dialect';
import type { LogFields } from '../../../shared/runtime/logger';
import { FixedRandom } from '../../../test/support/clock/fixed-random';
import { ManualClock, flushPromises } from '../../../test/support/clock/manual-clock';
import { MemoryStore } from '../../../test/support/store/memory-store';
import { openReplica, type Replica } from '../../../test/support/store/replica';
import { START } from '../../../test/support/store/write-fixture';
import { useForEachTest } from '../../../test/support/use-resource';
import { identityOf, startIdentityLeaseReconciler } from './identity-leases';
import { startPeerChecks, type CommonSettings } from './peer-checks';

const RANGE = '--service-cluster-ip-range';
const SETTINGS: CommonSettings = { [RANGE]: '10.0.0.0/16', '--service-node-port-range': '30000-32767' };

interface Server {
  readonly replica: Replica<ManualClock>;
  /** The logged warnings. */
  readonly findings: { readonly message: string; readonly fields: LogFields }[];
  /** The reported metrics, oldest first. */
  readonly counts: { readonly offsetSeconds: number; readonly differingServers: number }[];
  /** The settings of the server, which a test may change. */
  settings: CommonSettings;
  stop(): void;
}

/** The servers of a test over one store. */
const cluster = useForEachTest(
  () => ({ store: new MemoryStore(), servers: [] as Server[] }),
  async ({ servers }) => {
    for (const { replica, stop } of servers) {
      stop();
      await replica.cache.close();
    }
  },
);

/** Starts a server with a clock that is ahead by `aheadMs`. The first one creates the namespaces. */
async function start(hostname: string, aheadMs: number): Promise<Server> {
  const { store, servers } = cluster();
  const replica = await openReplica(store, new ManualClock(START + aheadMs));
  if (servers.length === 0) for (const name of ['platform-system', 'default']) await replica.create('namespaces', { metadata: { name } });
  const { cache, writer, clock, resources } = replica;
  const stops: (() => void)[] = [];
  const server: Server = { replica, findings: [], counts: [], settings: SETTINGS, stop: () => stops.forEach((stop) => stop()) };
  const common = {
    cache,
    writer,
    clock,
    names: GENERATED_NAMES.platform,
    random: new FixedRandom(),
    hostname,
    port: 6443,
    worker: 1,
    leases: resources.require('leases.coordination.platform.io'),
    settings: () => server.settings,
    onFailure: (message: string) => void replica.failures.push(message),
  };
  const leases = startIdentityLeaseReconciler(common);
  const peerChecks = startPeerChecks({
    ...common,
    ownLeaseName: identityOf(common),
    onFinding: (message, fields) => server.findings.push({ message, fields }),
    onCounts: (offsetSeconds, differingServers) => server.counts.push({ offsetSeconds, differingServers }),
  });
  stops.push(
    () => leases.stop(),
    () => peerChecks.stop(),
  );
  servers.push(server);
  await flushPromises(20);
  return server;
}

/** Advances the clocks of the running servers together, second by second, by the time of `count` renewals. */
async function advanceRenewals(count: number, running: readonly Server[] = cluster().servers): Promise<void> {
  const seconds = count * 10;
  for (let second = 0; second < seconds; second += 1) {
    for (const { replica } of running) await replica.clock.advanceAsync(1_000);
    await flushPromises(5);
  }
  await flushPromises(20);
}

/** The messages without the advice that follows the colon. */
const messages = ({ findings }: Server): readonly string[] => findings.map(({ message }) => message.replace(/:.*/, ''));

it('peer check logs nothing when clocks and settings of the API servers are equal', async () => {
  const first = await start('one', 0);
  const second = await start('other', 2_000);
  await advanceRenewals(8);
  expect([...first.findings, ...second.findings]).toEqual([]);
  expect(second.counts.at(-1)?.differingServers).toBe(0);
});

it('peer check logs a clock skew on both servers at a limited rate, and reports it as a metric', async () => {
  const first = await start('one', 0);
  const ahead = await start('ahead', 60_000);
  await advanceRenewals(8);
  expect(messages(first)).toEqual(['the clock of another API server is 60 s ahead of the clock of this one']);
  // The clocks of the test advance one after another in steps of a second.
  expect(messages(ahead)).toEqual([
    expect.stringMatching(/^the clock of another API server is (59|60|61) s behind the clock of this one$/),
  ]);
  expect(first.findings[0]?.message).toMatch(/NTP/);
  expect(first.findings[0]?.fields).toMatchObject({ hostname: 'ahead', lease: expect.stringMatching(/^platform-system\/apiserver-/) });
  expect(first.counts.at(-1)).toEqual({ offsetSeconds: 60, differingServers: 0 });
  expect(ahead.counts.at(-1)?.offsetSeconds).toBeCloseTo(-60, -1);
  // Ten minutes later the warning is repeated.
  await advanceRenewals(60);
  expect(messages(first)).toHaveLength(2);
});

it('peer check reports no clock skew for one late renewal', async () => {
  const first = await start('one', 0);
  const late = await start('late', 0);
  await advanceRenewals(4);
  cluster().store.isHeld = true;
  // The renewals of 30 seconds arrive at once.
  await advanceRenewals(3, [late]);
  await first.replica.clock.advanceAsync(30_000);
  cluster().store.isHeld = false;
  await advanceRenewals(4);
  expect(first.findings).toEqual([]);
});

it('peer check reports no clock skew when it receives many renewals at once after it was starved', async () => {
  const first = await start('one', 0);
  const second = await start('other', 0);
  await advanceRenewals(4);
  cluster().store.isHeld = true;
  await advanceRenewals(5, [second]);
  await second.replica.clock.advanceAsync(9_000);
  await first.replica.clock.advanceAsync(59_000);
  cluster().store.isHeld = false;
  await advanceRenewals(8);
  expect([...first.findings, ...second.findings]).toEqual([]);
});

it('peer check drops a server that has stopped renewing its Lease', async () => {
  const first = await start('one', 0);
  const ahead = await start('ahead', 60_000);
  await advanceRenewals(4);
  ahead.stop();
  await advanceRenewals(7, [first]);
  expect(first.counts.at(-1)).toEqual({ offsetSeconds: 0, differingServers: 0 });
});

it('peer check logs no different settings while a change is rolled out', async () => {
  const first = await start('one', 0);
  const second = await start('other', 0);
  await advanceRenewals(4);
  second.settings = { ...SETTINGS, [RANGE]: '10.1.0.0/16' };
  await advanceRenewals(1);
  first.settings = second.settings;
  await advanceRenewals(5);
  expect([...first.findings, ...second.findings]).toEqual([]);
});

it('peer check logs settings that remain different', async () => {
  const first = await start('one', 0);
  const second = await start('other', 0);
  second.settings = { ...SETTINGS, [RANGE]: '10.1.0.0/16' };
  await advanceRenewals(5);
  expect(messages(first)).toEqual(['another API server on this store has different settings']);
  expect(first.findings[0]?.message).toMatch(/two clusters must not share an --etcd-prefix/);
  expect(first.findings[0]?.fields).toMatchObject({
    hostname: 'other',
    settings: [`${RANGE}: here 10.0.0.0/16, there 10.1.0.0/16`],
  });
  expect(first.counts.at(-1)?.differingServers).toBe(1);
  expect(messages(second)).toHaveLength(1);
});
