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

/** An in-memory API server and the clock of all processes. */
function createApi() {
  return { api: new FakeApi(), clock: new ManualClock() };
}

function defaultSettings() {
  const parsed = parseFlags({ name: 'test', description: '' }, flags, ['--master=http://127.0.0.1:1']);
  if (parsed.kind !== 'values') throw new Error('no flags');
  return settingsFromFlags(parsed.values).settings;
}

/** Starts a process with controllers that only record that they lead. */
function startProcess(identity: string, names: readonly string[], { api, clock }: ReturnType<typeof createApi>) {
  const client = fakeClient({ api, clock });
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
  const informers = new InformerPool({ ...client, logger: silentLogger }, stop.signal);
  const ended = runControllers(
    controllers,
    {
      ...client,
      clientOf: () => client.client,
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

const leaseHolders = ({ api }: ReturnType<typeof createApi>) =>
  api
    .objectsIn(LEASES)
    .map((lease) => [stringAt(objectAt(lease, 'metadata'), 'name'), stringAt(objectAt(lease, 'spec'), 'holderIdentity')]);

/** Fails every write of the process from now on, as if it were dead. */
function failWritesOf(identity: string, { api }: ReturnType<typeof createApi>): void {
  api.intercept = ({ method, body }) =>
    method !== 'GET' && body?.includes(`"${identity}"`) === true ? new ConnectionError('dead', { wasSent: true }) : undefined;
}

test('a process renews its own lease every 4 s and that of each controller once a minute', async () => {
  const fake = createApi();
  const first = startProcess('one', CONTROLLER_NAMES, fake);
  await flushPromises(30);
  expect(first.leading()).toEqual(CONTROLLER_NAMES);
  expect(leaseHolders(fake)).toEqual([
    ...CONTROLLER_NAMES.map((name) => [`controller-${name}`, 'one']),
    [expect.stringMatching(/^controller-set-[0-9a-f]{10}$/), 'one'],
  ]);
  fake.api.requests.length = 0;
  await fake.clock.advanceAsync(600_000);
  const renewals = (name: string) =>
    fake.api.requests.filter((request) => request.startsWith('PUT') && request.includes(`/controller-${name}`)).length;
  // 600 s / 4 s, and 600 s / 60 s for each of four controllers.
  expect([renewals('set-'), ...CONTROLLER_NAMES.map(renewals)]).toEqual([150, 10, 10, 10, 10]);
  expect(fake.api.requests).toHaveLength(150 + 4 * 10);
});

test('a process with one controller holds only the lease of that controller', async () => {
  const fake = createApi();
  startProcess('one', ['a'], fake);
  await flushPromises(30);
  expect(leaseHolders(fake)).toEqual([['controller-a', 'one']]);
});

test('of two processes with the same controllers, one leads all and the other polls one lease', async () => {
  const fake = createApi();
  const first = startProcess('one', CONTROLLER_NAMES, fake);
  await flushPromises(30);
  const second = startProcess('other', [...CONTROLLER_NAMES].reverse(), fake);
  await flushPromises(30);
  fake.api.requests.length = 0;
  await fake.clock.advanceAsync(30_000);
  expect(new Set(fake.api.requests.filter((request) => request.startsWith('GET')).map((request) => request.replace(/\?.*/, ''))).size).toBe(
    2,
  );
  first.stop.abort();
  await first.ended;
  await flushPromises(60);
  expect(second.leading()).toEqual(CONTROLLER_NAMES);
});

test('a second process leads the controllers of a dead one after one lease duration', async () => {
  const fake = createApi();
  const first = startProcess('one', CONTROLLER_NAMES, fake);
  await flushPromises(30);
  const second = startProcess('other', CONTROLLER_NAMES, fake);
  await fake.clock.advanceAsync(20_500);
  failWritesOf('one', fake);
  await fake.clock.advanceAsync(11_000);
  expect([first.leading(), second.leading()]).toEqual([[], []]);
  await fake.clock.advanceAsync(1_500);
  expect(second.leading()).toEqual(CONTROLLER_NAMES);
});

test('of two processes with overlapping controllers, one leads a shared controller until it dies', async () => {
  const fake = createApi();
  const first = startProcess('one', ['a', 'b'], fake);
  await flushPromises(30);
  const second = startProcess('other', ['b', 'c'], fake);
  await fake.clock.advanceAsync(200_000);
  expect([first.leading(), second.leading()]).toEqual([['a', 'b'], ['c']]);
  failWritesOf('one', fake);
  await fake.clock.advanceAsync(13_000);
  expect([first.leading(), second.leading()]).toEqual([[], ['b', 'c']]);
});

test('a process stops a controller when another holder has acquired its Lease', async () => {
  const fake = createApi();
  const first = startProcess('one', ['a', 'b'], fake);
  await flushPromises(30);
  const lease = fake.api.get(LEASES, 'platform-system', 'controller-b') ?? {};
  fake.api.put(LEASES, { ...lease, spec: { ...objectAt(lease, 'spec'), holderIdentity: 'an earlier release', leaseTransitions: 1 } });
  await fake.clock.advanceAsync(61_000);
  expect(first.leading()).toEqual(['a']);
});
