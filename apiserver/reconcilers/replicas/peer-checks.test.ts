import { GENERATED_NAMES } from '../../../shared/names/dialect';
import type { LogFields } from '../../../shared/runtime/logger';
import { FixedRandom } from '../../../test/support/clock/fixed-random';
import { ManualClock, flushPromises } from '../../../test/support/clock/manual-clock';
import { MemoryStore } from '../../../test/support/store/memory-store';
import { openReplica, type Replica } from '../../../test/support/store/replica';
import { START } from '../../../test/support/store/write-fixture';
import { identityOf, startIdentityLeaseReconciler } from './identity-leases';
import { startPeerChecks, type CommonSettings } from './peer-checks';

const RANGE = '--service-cluster-ip-range';
const OURS: CommonSettings = { [RANGE]: '10.0.0.0/16', '--service-node-port-range': '30000-32767' };

interface Server {
  readonly replica: Replica<ManualClock>;
  readonly findings: { readonly message: string; readonly fields: LogFields }[];
  readonly counts: { readonly offsetSeconds: number; readonly differingServers: number }[];
  settings: CommonSettings;
  stop(): void;
}

let store: MemoryStore;
let servers: Server[];

beforeEach(() => {
  store = new MemoryStore();
  servers = [];
});
afterEach(async () => {
  for (const { replica, stop } of servers) {
    stop();
    await replica.cache.close();
  }
});

/** Starts a server with a clock that is ahead by `aheadMs`. */
async function start(hostname: string, aheadMs: number, settings: CommonSettings = OURS): Promise<Server> {
  const replica = await openReplica(store, new ManualClock(START + aheadMs));
  if (servers.length === 0) for (const name of ['platform-system', 'default']) await replica.create('namespaces', { metadata: { name } });
  const { cache, writer, clock, resources } = replica;
  const cleanups: (() => void)[] = [];
  const server: Server = { replica, findings: [], counts: [], settings, stop: () => cleanups.forEach((cleanUp) => cleanUp()) };
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
  cleanups.push(
    () => leases.stop(),
    () => peerChecks.stop(),
  );
  servers.push(server);
  await flushPromises(20);
  return server;
}

/** Advances all clocks together by the time of `count` renewals. */
async function renewals(count: number, running: readonly Server[] = servers): Promise<void> {
  for (let left = count * 10; left > 0; left -= 1) {
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
  await renewals(8);
  expect([...first.findings, ...second.findings]).toEqual([]);
  expect(second.counts.at(-1)?.differingServers).toBe(0);
});

it('peer check logs a clock skew on both servers at a limited rate, and reports it as a metric', async () => {
  const first = await start('one', 0);
  const ahead = await start('ahead', 60_000);
  await renewals(8);
  expect(messages(first)).toEqual(['the clock of another API server is 60 s ahead of the clock of this one']);
  // The clocks of the test advance one after another in steps of a second.
  expect(messages(ahead)).toEqual([
    expect.stringMatching(/^the clock of another API server is (59|60|61) s behind the clock of this one$/),
  ]);
  expect(first.findings[0]?.message).toMatch(/NTP/);
  expect(first.findings[0]?.fields).toMatchObject({ hostname: 'ahead', lease: expect.stringMatching(/^platform-system\/apiserver-/) });
  expect(first.counts.at(-1)).toEqual({ offsetSeconds: 60, differingServers: 0 });
  expect(ahead.counts.at(-1)?.offsetSeconds).toBeCloseTo(-60, -1);
  await renewals(60);
  expect(messages(first)).toHaveLength(2);
});

it('peer check reports no clock skew for one late renewal', async () => {
  const first = await start('one', 0);
  const late = await start('late', 0);
  await renewals(4);
  store.isHeld = true;
  await renewals(3, [late]);
  await first.replica.clock.advanceAsync(30_000);
  store.isHeld = false;
  await renewals(4);
  expect(first.findings).toEqual([]);
});

it('peer check reports no clock skew when it receives many renewals at once after it was starved', async () => {
  const first = await start('one', 0);
  const second = await start('other', 0);
  await renewals(4);
  store.isHeld = true;
  await renewals(5, [second]);
  await second.replica.clock.advanceAsync(9_000);
  await first.replica.clock.advanceAsync(59_000);
  store.isHeld = false;
  await renewals(8);
  expect([...first.findings, ...second.findings]).toEqual([]);
});

it('peer check drops a server that has stopped renewing its Lease', async () => {
  const first = await start('one', 0);
  const ahead = await start('ahead', 60_000);
  await renewals(4);
  ahead.stop();
  await renewals(7, [first]);
  expect(first.counts.at(-1)).toEqual({ offsetSeconds: 0, differingServers: 0 });
});

it('peer check logs different settings, but not while a change is rolled out', async () => {
  const first = await start('one', 0);
  const second = await start('other', 0);
  await renewals(4);
  second.settings = { ...OURS, [RANGE]: '10.1.0.0/16' };
  await renewals(1);
  first.settings = second.settings;
  await renewals(5);
  expect([...first.findings, ...second.findings]).toEqual([]);
  first.settings = OURS;
  await renewals(5);
  expect(messages(first)).toEqual(['another API server on this store has different settings']);
  expect(first.findings[0]?.message).toMatch(/two clusters must not share an --etcd-prefix/);
  expect(first.findings[0]?.fields).toMatchObject({
    hostname: 'other',
    settings: [`${RANGE}: here 10.0.0.0/16, there 10.1.0.0/16`],
  });
  expect(first.counts.at(-1)?.differingServers).toBe(1);
  expect(messages(second)).toHaveLength(1);
});
