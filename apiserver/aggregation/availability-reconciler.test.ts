/**
 * When aggregated API servers are checked. Time is a manual clock, the server is an HTTP server of this process, and each
 * test decides whether its Service resolves to that server.
 */
import { FixedRandom } from '../../test/support/clock/fixed-random';
import { ManualClock, flushPromises } from '../../test/support/clock/manual-clock';
import { waitUntil } from '../../test/support/programs';
import { EXTENSION_GROUP, startExtensionServer } from '../../test/support/servers/extension-server';
import { useForEachTest, useResource } from '../../test/support/use-resource';
import { GENERATED_NAMES } from '../../shared/names/dialect';
import { STORED_KINDS } from '../../shared/api/kinds';
import { systemClock } from '../../shared/runtime/clock';
import { ExtensionServers } from './extension-servers';
import { startAvailabilityReconciler, type AvailabilityReconciler } from './availability-reconciler';
import { Registrations, type Registration } from './registrations';

const NAME = `v1.${EXTENSION_GROUP}`;
const REGISTRATION: Registration = {
  name: NAME,
  group: EXTENSION_GROUP,
  version: 'v1',
  priorities: { group: 100, version: 10 },
  service: { namespace: 'agg', name: 'ext', port: 443 },
  caBundle: '',
  insecureSkipTlsVerify: true,
  isAvailable: false,
};
/** Each of the three attempts of a check resolves the address again when resolution fails. */
const RESOLUTIONS_PER_FAILED_CHECK = 3;

const server = useResource(
  () => startExtensionServer('ext', 'agg'),
  (started) => started.close(),
);

/** The Service of the extension server as the cluster shows it; tests change it. */
interface ServiceFixture {
  /** The port that the Service resolves to, or `undefined` when resolution fails. */
  port: number | undefined;
  isPresent: boolean;
  /** Number of address resolutions. */
  resolutions: number;
}

interface Fixture {
  readonly service: ServiceFixture;
  readonly clock: ManualClock;
  readonly registrations: Registrations;
  readonly extensions: ExtensionServers;
  readonly reconciler: AvailabilityReconciler;
}

function openFixture(): Fixture {
  const service: ServiceFixture = { port: undefined, isPresent: true, resolutions: 0 };
  const clock = new ManualClock();
  const registrations = new Registrations();
  registrations.set(NAME, REGISTRATION);
  const extensions = new ExtensionServers({
    resolve: () => {
      service.resolutions += 1;
      return service.port === undefined ? { error: 'no endpoint responds' } : { host: '127.0.0.1', port: service.port };
    },
    credentials: () => ({}),
    clock: systemClock,
  });
  const row = STORED_KINDS.find(({ kind }) => kind === 'APIService');
  if (row === undefined) throw new Error('the kind APIService is not stored');
  const reconciler = startAvailabilityReconciler({
    registrations,
    extensions,
    stateOf: () => (service.isPresent ? 'ready' : 'absent'),
    writer: { update: () => Promise.reject(new Error('nothing is stored')) },
    cache: { get: () => undefined },
    apiServices: { row, hub: row, stored: { name: 'apiservices', segment: 'apiservices', namespaced: false } },
    clock,
    names: GENERATED_NAMES.platform,
    random: new FixedRandom(),
    onUnavailable: () => undefined,
    onFailure: (_message, error) => {
      throw error;
    },
  });
  return { service, clock, registrations, extensions, reconciler };
}

const fixture = useForEachTest(openFixture, ({ reconciler, extensions }) => {
  reconciler.stop();
  extensions.close();
});
beforeEach(() => {
  server().setBehaviour('normal');
  server().calls.length = 0;
});

/** Whether a check has received the resources of the server. */
const isDiscovered = (): boolean =>
  fixture()
    .registrations.remoteVersions()
    .some(({ resources }) => resources !== undefined);

/** Advances the clock by `seconds` and returns the seconds in which a check started. */
async function checksWithin(seconds: number): Promise<readonly number[]> {
  const { service, clock } = fixture();
  const starts: number[] = [];
  for (let second = 1; second <= seconds; second += 1) {
    const resolutionsBefore = service.resolutions;
    await clock.advanceAsync(1_000);
    if (service.resolutions > resolutionsBefore) starts.push(second);
  }
  return starts;
}

describe('availability reconciler', () => {
  it('retries an unavailable server after 1, 2, 4, 8 and 16 seconds, then every 30 seconds', async () => {
    fixture().reconciler.recheck(NAME);
    await flushPromises();
    expect(fixture().service.resolutions).toBe(RESOLUTIONS_PER_FAILED_CHECK);
    expect(await checksWithin(100)).toEqual([1, 3, 7, 15, 31, 61, 91]);
  });

  it('detects a server that becomes available at the next retry, and checks it again after 30 seconds', async () => {
    fixture().reconciler.recheck(NAME);
    await fixture().clock.advanceAsync(5_000);
    fixture().service.port = server().port;
    // The retries are due after 1, 3 and 7 seconds.
    await fixture().clock.advanceAsync(2_000);
    await waitUntil('its resources are known', isDiscovered);
    expect(await checksWithin(40)).toEqual([30]);
  });

  it('restarts the back-off when an available server becomes unavailable', async () => {
    fixture().service.port = server().port;
    fixture().reconciler.recheck(NAME);
    await waitUntil('its resources are known', isDiscovered);
    await flushPromises();
    fixture().service.port = undefined;
    // The regular check finds the server unavailable; the retries follow after 1, 2 and 4 seconds.
    expect(await checksWithin(40)).toEqual([30, 31, 33, 37]);
  });

  it('checks immediately and restarts the back-off when the Service or its endpoints change', async () => {
    fixture().reconciler.recheck(NAME);
    // The next retry would be due after 31 seconds.
    await fixture().clock.advanceAsync(20_000);
    fixture().service.resolutions = 0;
    fixture().reconciler.recheck(NAME);
    await flushPromises();
    expect(fixture().service.resolutions).toBe(RESOLUTIONS_PER_FAILED_CHECK);
    expect(await checksWithin(4)).toEqual([1, 3]);
  });

  it('aborts a hanging check when the endpoints change', async () => {
    server().setBehaviour('hang');
    fixture().service.port = server().port;
    fixture().reconciler.recheck(NAME);
    await waitUntil('the server is called', () => server().calls.length === 1);
    server().setBehaviour('normal');
    fixture().reconciler.recheck(NAME);
    await waitUntil('its resources are known', isDiscovered);
    expect(fixture().clock.monotonic()).toBe(0);
  });

  it('limits how often changes of the endpoints abort a hanging check', async () => {
    server().setBehaviour('hang');
    fixture().service.port = server().port;
    fixture().reconciler.recheck(NAME);
    // The first check, and five that changes have started.
    const maxChecks = 6;
    for (let change = 1; change <= 20; change += 1) {
      await waitUntil('the server is called', () => server().calls.length >= Math.min(change, maxChecks));
      fixture().reconciler.recheck(NAME);
    }
    await flushPromises();
    expect(server().calls).toHaveLength(maxChecks);
    // The last check proceeds: an attempt ends after 5 seconds, and another one follows.
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      await fixture().clock.advanceAsync(5_000);
      await waitUntil('the next attempt', () => server().calls.length >= maxChecks + attempt);
    }
  });

  it('rechecks a missing Service after 30 seconds', async () => {
    fixture().service.isPresent = false;
    fixture().reconciler.recheck(NAME);
    await fixture().clock.advanceAsync(29_000);
    expect(fixture().clock.pending).toBe(1);
    fixture().service.isPresent = true;
    fixture().service.port = server().port;
    await fixture().clock.advanceAsync(1_000);
    await waitUntil('its resources are known', isDiscovered);
  });

  it('stops checking a server whose APIService is deleted', async () => {
    fixture().reconciler.recheck(NAME);
    await flushPromises();
    fixture().registrations.set(NAME, undefined);
    await fixture().clock.advanceAsync(1_000);
    expect(fixture().clock.pending).toBe(0);
  });
});
