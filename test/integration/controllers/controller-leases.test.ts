/** Leader election per controller: which process holds which Lease, and how often it renews them. */
import { flags } from '../../../controllers/flags';
import { settingsFromFlags } from '../../../controllers/settings-from-flags';
import { runControllers } from '../../../controllers/runtime/manager';
import { ControllerMetrics } from '../../../controllers/runtime/metrics';
import { InformerPool } from '../../../shared/client/informer/informer-pool';
import { waitForAbort } from '../../../shared/client/signals';
import { ConnectionError } from '../../../shared/client/transport/transport';
import { parseFlags } from '../../../shared/cli/flags';
import { CertificateExpirations } from '../../../shared/pki/certificate-expirations';
import { silentLogger } from '../../../shared/runtime/logger';
import { objectAt, stringAt } from '../../../shared/values/json';
import { FakeApi } from '../../support/controllers/fake-api';
import { fakeClient } from '../../support/controllers/fake-client';
import { ManualClock, flushPromises } from '../../support/clock/manual-clock';

const LEASES = '/apis/coordination.platform.io/v1/leases';

function createWorld() {
  return { api: new FakeApi(), clock: new ManualClock() };
}

function defaultSettings() {
  const parsed = parseFlags({ name: 'test', description: '' }, flags, ['--master=http://127.0.0.1:1']);
  if (parsed.kind !== 'values') throw new Error('no flags');
  return settingsFromFlags(parsed.values).settings;
}

/** Starts a process with controllers that only record that they lead. */
function startProcess(identity: string, names: readonly string[], { api, clock }: ReturnType<typeof createWorld>) {
  const fake = fakeClient({ api, clock });
  const stop = new AbortController();
  const leading = new Set<string>();
  const controllers = names.map((name) => ({
    name,
    description: name,
    aliases: [],
    isOnByDefault: true,
    account: undefined,
    run: async ({ signal }: { readonly signal: AbortSignal }) => {
      leading.add(name);
      await waitForAbort(signal);
      leading.delete(name);
    },
  }));
  const informers = new InformerPool({ ...fake, logger: silentLogger }, stop.signal);
  const ended = runControllers(
    controllers,
    {
      ...fake,
      clientOf: () => fake.client,
      informers,
      logger: silentLogger,
      metrics: new ControllerMetrics(clock, informers, new CertificateExpirations()),
      settings: defaultSettings(),
      identity,
      election: { namespace: 'platform-system', prefix: 'controller', durationMs: 12_000, renewDeadlineMs: 8_000, retryMs: 2_000 },
      onProblem: () => undefined,
    },
    stop.signal,
  );
  return { stop, ended, leading: () => [...leading].sort() };
}

const CONTROLLER_NAMES = ['a', 'b', 'c', 'd'];

const leaseHolders = ({ api }: ReturnType<typeof createWorld>) =>
  api
    .objectsIn(LEASES)
    .map((lease) => [stringAt(objectAt(lease, 'metadata'), 'name'), stringAt(objectAt(lease, 'spec'), 'holderIdentity')]);

/** Fails every write of the process from now on, as if it were dead. */
function failWritesOf(identity: string, { api }: ReturnType<typeof createWorld>): void {
  api.intercept = ({ method, body }) =>
    method !== 'GET' && body?.includes(`"${identity}"`) === true ? new ConnectionError('dead', { wasSent: true }) : undefined;
}

test('a process renews its own lease every 4 s and that of each controller once a minute', async () => {
  const world = createWorld();
  const first = startProcess('one', CONTROLLER_NAMES, world);
  await flushPromises(30);
  expect(first.leading()).toEqual(CONTROLLER_NAMES);
  expect(leaseHolders(world)).toEqual([
    ...CONTROLLER_NAMES.map((name) => [`controller-${name}`, 'one']),
    [expect.stringMatching(/^controller-set-[0-9a-f]{10}$/), 'one'],
  ]);
  world.api.requests.length = 0;
  await world.clock.advanceAsync(600_000);
  const renewals = (name: string) =>
    world.api.requests.filter((request) => request.startsWith('PUT') && request.includes(`/controller-${name}`)).length;
  expect([renewals('set-'), ...CONTROLLER_NAMES.map(renewals)]).toEqual([150, 10, 10, 10, 10]);
  expect(world.api.requests).toHaveLength(190);
});

test('a process with one controller holds only the lease of that controller', async () => {
  const world = createWorld();
  startProcess('one', ['a'], world);
  await flushPromises(30);
  expect(leaseHolders(world)).toEqual([['controller-a', 'one']]);
});

test('of two processes with the same controllers, one leads all and the other polls one lease', async () => {
  const world = createWorld();
  const first = startProcess('one', CONTROLLER_NAMES, world);
  await flushPromises(30);
  const second = startProcess('other', [...CONTROLLER_NAMES].reverse(), world);
  await flushPromises(30);
  world.api.requests.length = 0;
  await world.clock.advanceAsync(30_000);
  expect(
    new Set(world.api.requests.filter((request) => request.startsWith('GET')).map((request) => request.replace(/\?.*/, ''))).size,
  ).toBe(2);
  first.stop.abort();
  await first.ended;
  await flushPromises(60);
  expect(second.leading()).toEqual(CONTROLLER_NAMES);
});

test('a second process leads the controllers of a dead one after one lease duration', async () => {
  const world = createWorld();
  const first = startProcess('one', CONTROLLER_NAMES, world);
  await flushPromises(30);
  const second = startProcess('other', CONTROLLER_NAMES, world);
  await world.clock.advanceAsync(20_500);
  failWritesOf('one', world);
  await world.clock.advanceAsync(11_000);
  expect([first.leading(), second.leading()]).toEqual([[], []]);
  await world.clock.advanceAsync(1_500);
  expect(second.leading()).toEqual(CONTROLLER_NAMES);
});

test('of two processes with overlapping controllers, one leads a shared controller until it dies', async () => {
  const world = createWorld();
  const first = startProcess('one', ['a', 'b'], world);
  await flushPromises(30);
  const second = startProcess('other', ['b', 'c'], world);
  await world.clock.advanceAsync(200_000);
  expect([first.leading(), second.leading()]).toEqual([['a', 'b'], ['c']]);
  failWritesOf('one', world);
  await world.clock.advanceAsync(13_000);
  expect([first.leading(), second.leading()]).toEqual([[], ['b', 'c']]);
});

test('a process stops a controller when another holder has acquired its Lease', async () => {
  const world = createWorld();
  const first = startProcess('one', ['a', 'b'], world);
  await flushPromises(30);
  const lease = world.api.get(LEASES, 'platform-system', 'controller-b') ?? {};
  world.api.put(LEASES, { ...lease, spec: { ...objectAt(lease, 'spec'), holderIdentity: 'an earlier release', leaseTransitions: 1 } });
  await world.clock.advanceAsync(61_000);
  expect(first.leading()).toEqual(['a']);
});
