/**
 * Leader election per controller: which process holds which Lease, and how often it renews them. A process with several
 * controllers first acquires the Lease of its set of controllers, `controller-set-{hash}`, and then that of each
 * controller, `controller-{name}`, which lasts 15 times as long.
 */
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

const LEASE_DURATION_MS = 12_000;
const RENEW_DEADLINE_MS = 8_000;
const RETRY_MS = 2_000;
/** A lease is renewed after half of the time in which it must be renewed. */
const RENEWAL_INTERVAL_MS = RENEW_DEADLINE_MS / 2;
/** How many times longer the lease of a controller lasts than that of the set. */
const INNER_LEASE_FACTOR = 15;

/** Several renewals of the lease of a set, so that every process has observed it. */
const SEVERAL_RENEWALS_MS = 30_000;
/** Several renewals of the leases of controllers, which last {@link INNER_LEASE_FACTOR} times as long. */
const SEVERAL_INNER_RENEWALS_MS = 200_000;

const SET_LEASE = /^controller-set-[0-9a-f]{10}$/;
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
      election: {
        namespace: 'platform-system',
        prefix: 'controller',
        durationMs: LEASE_DURATION_MS,
        renewDeadlineMs: RENEW_DEADLINE_MS,
        retryMs: RETRY_MS,
      },
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

/** Lets processes acquire all leases that they can acquire without waiting. */
const acquireLeases = (): Promise<void> => flushPromises(60);

describe('one process', () => {
  test('a process renews the lease of its set every 4 s and that of each controller once a minute', async () => {
    const fake = createApi();
    const first = startProcess('one', CONTROLLER_NAMES, fake);
    await acquireLeases();
    expect(first.leading()).toEqual(CONTROLLER_NAMES);
    expect(leaseHolders(fake)).toEqual([
      ...CONTROLLER_NAMES.map((name) => [`controller-${name}`, 'one']),
      [expect.stringMatching(SET_LEASE), 'one'],
    ]);
    fake.api.requests.length = 0;
    const elapsedMs = 600_000;
    await fake.clock.advanceAsync(elapsedMs);
    const renewals = (name: string) =>
      fake.api.requests.filter((request) => request.startsWith('PUT') && request.includes(`/controller-${name}`)).length;
    const ofSet = elapsedMs / RENEWAL_INTERVAL_MS;
    const ofController = ofSet / INNER_LEASE_FACTOR;
    expect([renewals('set-'), ...CONTROLLER_NAMES.map(renewals)]).toEqual([ofSet, ...CONTROLLER_NAMES.map(() => ofController)]);
    expect(fake.api.requests).toHaveLength(ofSet + CONTROLLER_NAMES.length * ofController);
  });

  test('a process with one controller holds only the lease of that controller', async () => {
    const fake = createApi();
    startProcess('one', ['a'], fake);
    await acquireLeases();
    expect(leaseHolders(fake)).toEqual([['controller-a', 'one']]);
  });
});

describe('two processes', () => {
  test('of two processes with the same controllers, the one that does not lead reads only the lease of the set', async () => {
    const fake = createApi();
    startProcess('one', CONTROLLER_NAMES, fake);
    await acquireLeases();
    const second = startProcess('other', [...CONTROLLER_NAMES].reverse(), fake);
    await acquireLeases();
    fake.api.requests.length = 0;
    await fake.clock.advanceAsync(SEVERAL_RENEWALS_MS);
    // It polls the lease, and watches it through the collection.
    const paths = new Set(fake.api.requests.filter((request) => request.startsWith('GET')).map((request) => request.replace(/\?.*/, '')));
    expect([...paths].map((path) => path.slice(path.lastIndexOf('/') + 1)).sort()).toEqual([expect.stringMatching(SET_LEASE), 'leases']);
    expect(second.leading()).toEqual([]);
  });

  test('of two processes with the same controllers, the second leads all as soon as the first ends', async () => {
    const fake = createApi();
    const first = startProcess('one', CONTROLLER_NAMES, fake);
    await acquireLeases();
    const second = startProcess('other', [...CONTROLLER_NAMES].reverse(), fake);
    await fake.clock.advanceAsync(SEVERAL_RENEWALS_MS);
    first.stop.abort();
    await first.ended;
    await acquireLeases();
    expect(second.leading()).toEqual(CONTROLLER_NAMES);
  });

  test('a second process leads the controllers of a dead one after one lease duration', async () => {
    const fake = createApi();
    const first = startProcess('one', CONTROLLER_NAMES, fake);
    await acquireLeases();
    const second = startProcess('other', CONTROLLER_NAMES, fake);
    // The last renewal is that after 20 s.
    const sinceRenewalMs = 500;
    await fake.clock.advanceAsync(5 * RENEWAL_INTERVAL_MS + sinceRenewalMs);
    failWritesOf('one', fake);
    await fake.clock.advanceAsync(LEASE_DURATION_MS - 2 * sinceRenewalMs);
    expect([first.leading(), second.leading()]).toEqual([[], []]);
    await fake.clock.advanceAsync(3 * sinceRenewalMs);
    expect(second.leading()).toEqual(CONTROLLER_NAMES);
  });

  test('of two processes with overlapping controllers, one leads a shared controller until it dies', async () => {
    const fake = createApi();
    const first = startProcess('one', ['a', 'b'], fake);
    await acquireLeases();
    const second = startProcess('other', ['b', 'c'], fake);
    await fake.clock.advanceAsync(SEVERAL_INNER_RENEWALS_MS);
    expect([first.leading(), second.leading()]).toEqual([['a', 'b'], ['c']]);
    failWritesOf('one', fake);
    await fake.clock.advanceAsync(LEASE_DURATION_MS + 1_000);
    expect([first.leading(), second.leading()]).toEqual([[], ['b', 'c']]);
  });
});

test('a process stops a controller when another holder has acquired its Lease', async () => {
  const fake = createApi();
  const first = startProcess('one', ['a', 'b'], fake);
  await acquireLeases();
  const lease = fake.api.get(LEASES, 'platform-system', 'controller-b') ?? {};
  fake.api.put(LEASES, { ...lease, spec: { ...objectAt(lease, 'spec'), holderIdentity: 'an earlier release', leaseTransitions: 1 } });
  await fake.clock.advanceAsync(INNER_LEASE_FACTOR * RENEWAL_INTERVAL_MS + 1_000);
  expect(first.leading()).toEqual(['a']);
});
