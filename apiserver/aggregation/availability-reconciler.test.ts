import { FixedRandom } from '../../test/support/clock/fixed-random';
import { ManualClock, flushPromises } from '../../test/support/clock/manual-clock';
import { waitUntil } from '../../test/support/programs';
import { EXTENSION_GROUP, startExtensionServer, type ExtensionServer } from '../../test/support/servers/extension-server';
import { GENERATED_NAMES } from '../../shared/names/dialect';
import { STORED_KINDS } from '../../shared/api/kinds';
import { systemClock } from '../../shared/runtime/clock';
import { ExtensionServers } from './extension-servers';
import { startAvailabilityReconciler, type AvailabilityReconciler } from './availability-reconciler';
import { Registrations, type Registration } from './registrations';

const NAME = `v1.${EXTENSION_GROUP}`;
let server: ExtensionServer;
let reconciler: AvailabilityReconciler;
let clock: ManualClock;
let registrations: Registrations;
/** The port that the Service resolves to, or `undefined` when resolution fails. */
let port: number | undefined;
let serviceExists = true;
/** Number of address resolutions: a check makes three when resolution fails. */
let resolutions = 0;
let extensions: ExtensionServers;

beforeAll(async () => {
  server = await startExtensionServer('ext', 'agg');
});
afterAll(() => server.close());

beforeEach(() => {
  server.setBehaviour('well');
  server.calls.length = 0;
  [port, serviceExists, resolutions] = [undefined, true, 0];
  clock = new ManualClock();
  registrations = new Registrations();
  const registration: Registration = {
    name: NAME,
    group: EXTENSION_GROUP,
    version: 'v1',
    priorities: { group: 100, version: 10 },
    service: { namespace: 'agg', name: 'ext', port: 443 },
    caBundle: '',
    insecureSkipTlsVerify: true,
    isAvailable: false,
  };
  registrations.set(NAME, registration);
  extensions = new ExtensionServers({
    resolve: () => {
      resolutions += 1;
      return port === undefined ? { error: 'nothing answers' } : { host: '127.0.0.1', port };
    },
    credentials: () => ({}),
    clock: systemClock,
  });
  const row = STORED_KINDS.find(({ kind }) => kind === 'APIService');
  if (row === undefined) throw new Error('no APIServices');
  reconciler = startAvailabilityReconciler({
    registrations,
    extensions,
    stateOf: () => (serviceExists ? 'ready' : 'absent'),
    writer: { update: () => Promise.reject(new Error('nothing is stored')) },
    cache: { get: () => undefined },
    services: { row, hub: row, stored: { name: 'apiservices', segment: 'apiservices', namespaced: false } },
    clock,
    names: GENERATED_NAMES.platform,
    random: new FixedRandom(),
    onUnavailable: () => undefined,
    failed: (_message, error) => {
      throw error;
    },
  });
});
afterEach(() => {
  reconciler.stop();
  extensions.close();
});

const isDiscovered = (): boolean => registrations.remoteVersions()[0]?.resources !== undefined;

/** Advances the clock by `seconds` and returns the seconds in which a check started. */
async function checksWithin(seconds: number): Promise<readonly number[]> {
  const starts: number[] = [];
  for (let second = 1; second <= seconds; second += 1) {
    const before = resolutions;
    await clock.advanceAsync(1_000);
    if (resolutions > before) starts.push(second);
  }
  return starts;
}

describe('the availability keeper', () => {
  it('retries an unavailable server after 1, 2, 4, 8 and 16 seconds, then every 30 seconds', async () => {
    reconciler.recheck(NAME);
    await flushPromises();
    expect(resolutions).toBe(3);
    expect(await checksWithin(100)).toEqual([1, 3, 7, 15, 31, 61, 91]);
  });

  it('detects a server that becomes available at the next retry, and checks it again after 30 seconds', async () => {
    reconciler.recheck(NAME);
    await clock.advanceAsync(5_000);
    ({ port } = server);
    await clock.advanceAsync(2_000);
    await waitUntil('its resources are known', isDiscovered);
    expect(await checksWithin(40)).toEqual([30]);
  });

  it('restarts the back-off when an available server becomes unavailable', async () => {
    ({ port } = server);
    reconciler.recheck(NAME);
    await waitUntil('its resources are known', isDiscovered);
    await flushPromises();
    port = undefined;
    expect(await checksWithin(40)).toEqual([30, 31, 33, 37]);
  });

  it('checks immediately and restarts the back-off when the Service or its endpoints change', async () => {
    reconciler.recheck(NAME);
    await clock.advanceAsync(20_000);
    resolutions = 0;
    reconciler.recheck(NAME);
    await flushPromises();
    expect(resolutions).toBe(3);
    expect(await checksWithin(4)).toEqual([1, 3]);
  });

  it('aborts a hanging check when the endpoints change', async () => {
    server.setBehaviour('hang');
    ({ port } = server);
    reconciler.recheck(NAME);
    await waitUntil('the server is asked', () => server.calls.length === 1);
    server.setBehaviour('well');
    reconciler.recheck(NAME);
    await waitUntil('its resources are known', isDiscovered);
    expect(clock.monotonic()).toBe(0);
  });

  it('limits how often changes of the endpoints abort a hanging check', async () => {
    server.setBehaviour('hang');
    ({ port } = server);
    reconciler.recheck(NAME);
    for (let change = 1; change <= 20; change += 1) {
      await waitUntil('the server is asked', () => server.calls.length >= Math.min(change, 6));
      reconciler.recheck(NAME);
    }
    await flushPromises();
    expect(server.calls).toHaveLength(6);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await clock.advanceAsync(5_000);
      await waitUntil('the next attempt', () => server.calls.length >= 7 + attempt);
    }
  });

  it('rechecks a missing Service after 30 seconds', async () => {
    serviceExists = false;
    reconciler.recheck(NAME);
    await clock.advanceAsync(29_000);
    expect(clock.pending).toBe(1);
    serviceExists = true;
    ({ port } = server);
    await clock.advanceAsync(1_000);
    await waitUntil('its resources are known', isDiscovered);
  });

  it('stops checking a server whose APIService is deleted', async () => {
    reconciler.recheck(NAME);
    await flushPromises();
    registrations.set(NAME, undefined);
    await clock.advanceAsync(1_000);
    expect(clock.pending).toBe(0);
  });
});
