import { FixedRandom } from '../../test/support/fixed-random';
import { ManualClock, settle } from '../../test/support/manual-clock';
import { waitUntil } from '../../test/support/programs';
import { EXTENSION_GROUP, startExtensionServer, type ExtensionServer } from '../../test/support/extension-server';
import { GENERATED_NAMES } from '../../shared/names/dialect';
import { KINDS } from '../../shared/api/kinds';
import { systemClock } from '../../shared/runtime/clock';
import { Extensions } from './extensions';
import { keepAvailability, type AvailabilityKeeper } from './keeper';
import { Registrations, type Registration } from './registration';

const NAME = `v1.${EXTENSION_GROUP}`;
let server: ExtensionServer;
let keeper: AvailabilityKeeper;
let clock: ManualClock;
let registrations: Registrations;
/** Where the Service leads; `undefined` when nothing answers there. */
let port: number | undefined;
let isServiceThere = true;
/** Requests for an address: each check makes three when it fails at once. */
let located = 0;
let extensions: Extensions;

beforeAll(async () => {
  server = await startExtensionServer('ext', 'agg');
});
afterAll(() => server.close());

beforeEach(() => {
  server.behave('well');
  server.calls.length = 0;
  [port, isServiceThere, located] = [undefined, true, 0];
  clock = new ManualClock();
  registrations = new Registrations();
  const registration: Registration = {
    name: NAME,
    group: EXTENSION_GROUP,
    version: 'v1',
    priorities: { group: 100, version: 10 },
    service: { namespace: 'agg', name: 'ext', port: 443 },
    authority: '',
    believesAll: true,
    isAvailable: false,
  };
  registrations.set(NAME, registration);
  extensions = new Extensions({
    resolve: () => {
      located += 1;
      return port === undefined ? { fault: 'nothing answers' } : { host: '127.0.0.1', port };
    },
    credentials: () => ({}),
    clock: systemClock,
  });
  const row = KINDS.find(({ kind }) => kind === 'APIService');
  if (row === undefined) throw new Error('no APIServices');
  keeper = keepAvailability({
    registrations,
    extensions,
    stateOf: () => (isServiceThere ? 'ready' : 'absent'),
    writer: { update: () => Promise.reject(new Error('nothing is stored')) },
    cache: { get: () => undefined },
    services: { row, hub: row, stored: { name: 'apiservices', segment: 'apiservices', namespaced: false } },
    clock,
    names: GENERATED_NAMES.platform,
    random: new FixedRandom(),
    lost: () => undefined,
    failed: (_message, error) => {
      throw error;
    },
  });
});
afterEach(() => {
  keeper.stop();
  extensions.close();
});

const isKnown = (): boolean => registrations.remoteVersions()[0]?.resources !== undefined;

/** Seconds from now on at which checks start, within so many seconds. */
async function checksWithin(seconds: number): Promise<readonly number[]> {
  const starts: number[] = [];
  for (let second = 1; second <= seconds; second += 1) {
    const before = located;
    await clock.advanceAsync(1_000);
    if (located > before) starts.push(second);
  }
  return starts;
}

describe('the availability keeper', () => {
  it('checks a server that does not answer after 1, 2, 4, 8 and 16 seconds, then every 30', async () => {
    keeper.look(NAME);
    await settle();
    expect(located).toBe(3);
    expect(await checksWithin(100)).toEqual([1, 3, 7, 15, 31, 61, 91]);
  });

  it('finds a server that comes up late at its next attempt, and checks it again after 30 s', async () => {
    keeper.look(NAME);
    await clock.advanceAsync(5_000);
    ({ port } = server);
    await clock.advanceAsync(2_000);
    await waitUntil('its resources are known', isKnown);
    expect(await checksWithin(40)).toEqual([30]);
  });

  it('starts the back-off again when the server is lost after it was there', async () => {
    ({ port } = server);
    keeper.look(NAME);
    await waitUntil('its resources are known', isKnown);
    await settle();
    port = undefined;
    expect(await checksWithin(40)).toEqual([30, 31, 33, 37]);
  });

  it('checks at once when the Service or its endpoints change, and starts the back-off again', async () => {
    keeper.look(NAME);
    await clock.advanceAsync(20_000);
    located = 0;
    keeper.look(NAME);
    await settle();
    expect(located).toBe(3);
    expect(await checksWithin(4)).toEqual([1, 3]);
  });

  it('cuts a check of an endpoint that hangs short when the endpoints change', async () => {
    server.behave('hang');
    ({ port } = server);
    keeper.look(NAME);
    await waitUntil('the server is asked', () => server.calls.length === 1);
    server.behave('well');
    keeper.look(NAME);
    await waitUntil('its resources are known', isKnown);
    expect(clock.monotonic()).toBe(0);
  });

  it('lets a check end although the endpoints change all the time', async () => {
    server.behave('hang');
    ({ port } = server);
    keeper.look(NAME);
    for (let change = 1; change <= 20; change += 1) {
      await waitUntil('the server is asked', () => server.calls.length >= Math.min(change, 6));
      keeper.look(NAME);
    }
    await settle();
    expect(server.calls).toHaveLength(6);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await clock.advanceAsync(5_000);
      await waitUntil('the next attempt', () => server.calls.length >= 7 + attempt);
    }
  });

  it('waits for an event while the Service is missing', async () => {
    isServiceThere = false;
    keeper.look(NAME);
    await clock.advanceAsync(29_000);
    expect(clock.pending).toBe(1);
    isServiceThere = true;
    ({ port } = server);
    await clock.advanceAsync(1_000);
    await waitUntil('its resources are known', isKnown);
  });

  it('forgets a server whose APIService is deleted', async () => {
    keeper.look(NAME);
    await settle();
    registrations.set(NAME, undefined);
    await clock.advanceAsync(1_000);
    expect(clock.pending).toBe(0);
  });
});
