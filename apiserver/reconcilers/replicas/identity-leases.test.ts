import { objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import { identityLabels } from '../../../shared/names/server-identity';
import { FixedRandom } from '../../../test/support/clock/fixed-random';
import { ManualClock, flushPromises } from '../../../test/support/clock/manual-clock';
import { MemoryStore } from '../../../test/support/store/memory-store';
import { openReplica, type Replica } from '../../../test/support/store/replica';
import { START } from '../../../test/support/store/write-fixture';
import { stopAfterTest, useForEachTest } from '../../../test/support/use-resource';
import { StoreError } from '../../storage/store';
import { parseEntry } from '../../registry/object/stored-object';
import type { Resource } from '../../registry/verbs';
import type { Reconciler } from '../reconciler';
import { mergePatch, objectBody } from '../server-writes';
import { startIdentityLeaseCollector, startIdentityLeaseReconciler, type IdentityLeasesOptions } from './identity-leases';

const SYSTEM = 'platform-system';
/** The labels of the Lease of the server `one`. */
const LABELS = { 'apiserver.platform.io/identity': 'platform-apiserver', 'platform.io/hostname': 'one' };
/** The options of a user's writes. */
const USER_WRITE = { dryRun: false, fieldValidation: 'Strict', fieldManager: 'other' } as const;

interface Fixture {
  readonly store: MemoryStore;
  readonly replica: Replica<ManualClock>;
  readonly leases: Resource;
}

const stopAfterwards = stopAfterTest<Reconciler>((reconciler) => reconciler.stop());
const fixture = useForEachTest<Fixture>(
  async () => {
    const store = new MemoryStore();
    const replica = await openReplica(store, new ManualClock(START));
    for (const name of [SYSTEM, 'default']) await replica.create('namespaces', { metadata: { name } });
    return { store, replica, leases: replica.resources.require('leases.coordination.platform.io') };
  },
  ({ replica }) => replica.cache.close(),
);

/** The options of the server `one`. */
function options(changes: Partial<IdentityLeasesOptions> = {}): IdentityLeasesOptions {
  const { replica, leases } = fixture();
  const { writer, cache, clock, failures } = replica;
  const onFailure = (message: string): void => void failures.push(message);
  const identity = { hostname: 'one', port: 6443, worker: 1, settings: () => ({}) };
  const random = new FixedRandom();
  return { writer, cache, leases, clock, random, names: GENERATED_NAMES.platform, onFailure, ...identity, ...changes };
}

/** Starts a server's reconciler; resolves after its first renewal. */
async function start(changes: Partial<IdentityLeasesOptions> = {}): Promise<Reconciler> {
  const reconciler = stopAfterwards(startIdentityLeaseReconciler(options(changes)));
  await reconciler.complete;
  await flushPromises(10);
  return reconciler;
}

/** Starts the deletion of expired Leases; resolves after its first pass. */
async function startCollector(): Promise<void> {
  await stopAfterwards(startIdentityLeaseCollector(options())).complete;
  await flushPromises(10);
}

async function advance(ms: number): Promise<void> {
  await fixture().replica.clock.advanceAsync(ms);
  await flushPromises(20);
}

/** The Leases of a namespace. Its keys are a range: `0` follows `/` in ASCII. */
function leasesIn(namespace = SYSTEM): readonly JsonObject[] {
  const { replica, leases } = fixture();
  return [...replica.cache.snapshot(leases.stored).range(`${namespace}/`, `${namespace}0`)].map((entry) => parseEntry(entry).object);
}

function onlyLease(): JsonObject {
  const [lease, ...others] = leasesIn();
  if (lease === undefined || others.length > 0) throw new Error('there is not exactly one Lease');
  return lease;
}

const createLease = (name: string, labels: JsonObject, spec: JsonObject, namespace = SYSTEM): Promise<unknown> => {
  const { replica, leases } = fixture();
  const body = objectBody({ metadata: { namespace, name, labels }, spec });
  return replica.writer.create(replica.context(), leases, namespace, body, USER_WRITE);
};

const nameOf = (lease: JsonObject): string => stringAt(objectAt(lease, 'metadata'), 'name') ?? '';

it('identity Lease has the name, the labels and the renew time of its server', async () => {
  await start();
  const lease = onlyLease();
  const name = nameOf(lease);
  // The prefix and 26 digits of base 32.
  expect(name).toMatch(/^apiserver-[0-9a-v]{26}$/);
  expect(lease).toMatchObject({
    metadata: { namespace: SYSTEM, labels: LABELS },
    spec: {
      holderIdentity: `${name}_00000000-0000-4000-8000-000000000001`,
      leaseDurationSeconds: 3600,
      renewTime: '2026-01-02T03:04:05.000000Z',
    },
  });
  expect(fixture().replica.failures).toEqual([]);
});

it('identity Lease is renewed every ten seconds', async () => {
  await start();
  expect(onlyLease()).toMatchObject({ spec: { renewTime: '2026-01-02T03:04:05.000000Z' } });
  await advance(10_000);
  expect(onlyLease()).toMatchObject({ spec: { renewTime: '2026-01-02T03:04:15.000000Z' } });
});

it('identity Lease has the labels of upstream in the Kubernetes spelling', () => {
  const { identity, hostname } = identityLabels(GENERATED_NAMES.kubernetes);
  expect([identity, hostname]).toEqual([['apiserver.kubernetes.io/identity', 'kube-apiserver'], 'kubernetes.io/hostname']);
});

it('identity Lease of a stopped server is kept, and reused after a restart', async () => {
  (await start()).stop();
  const before = onlyLease();
  await advance(60_000);
  expect(onlyLease()).toEqual(before);
  // A Lease that is created now would have the second UUID in its holder.
  const random = new FixedRandom();
  random.uuid();
  await start({ random });
  expect(onlyLease()).toMatchObject({
    metadata: { name: nameOf(before) },
    spec: {
      holderIdentity: `${nameOf(before)}_00000000-0000-4000-8000-000000000001`,
      renewTime: '2026-01-02T03:05:05.000000Z',
    },
  });
});

it('identity Lease is separate for each server of a machine', async () => {
  await start({ port: 6443 });
  await start({ port: 6444 });
  expect(leasesIn()).toHaveLength(2);
});

it('identity Lease gets its labels restored, and keeps other labels and fields', async () => {
  const { replica, leases } = fixture();
  await start();
  const key = { namespace: SYSTEM, name: nameOf(onlyLease()) };
  const change = { metadata: { labels: { 'platform.io/hostname': 'other', mine: '1' } }, spec: { leaseDurationSeconds: 7 } };
  await replica.writer.patch(replica.context(), leases, key, undefined, mergePatch(change), USER_WRITE);
  await advance(10_000);
  expect(onlyLease()).toMatchObject({ metadata: { labels: { ...LABELS, mine: '1' } }, spec: { leaseDurationSeconds: 7 } });
});

it('identity Lease is recreated after deletion', async () => {
  const { replica, leases } = fixture();
  await start();
  const name = nameOf(onlyLease());
  await replica.writer.delete(replica.context(), leases, { namespace: SYSTEM, name }, { dryRun: false });
  await advance(10_000);
  expect(nameOf(onlyLease())).toBe(name);
  expect(replica.failures).toEqual([]);
});

it('identity Lease is recreated when another server deleted it while this server was starved', async () => {
  const { store, leases } = fixture();
  await start();
  const name = nameOf(onlyLease());
  // The starved server receives no events and renews nothing.
  store.isHeld = true;
  store.remove(`/registry/${leases.stored.segment}/${SYSTEM}/${name}`);
  await advance(10_000);
  store.isHeld = false;
  store.deliver();
  await advance(2_000);
  expect(onlyLease()).toMatchObject({ metadata: { name }, spec: { renewTime: expect.stringMatching(/^2026-01-02T03:04:1/) } });
});

it('identity Lease renewal reports a failed write, and retries after a second', async () => {
  const { store, replica } = fixture();
  jest.spyOn(store, 'transact').mockRejectedValueOnce(new StoreError('unavailable', 'gone for a moment'));
  const reconciler = stopAfterwards(startIdentityLeaseReconciler(options()));
  await advance(1_000);
  await reconciler.complete;
  await flushPromises(10);
  expect(replica.failures).toEqual([expect.stringMatching(/^the Lease apiserver-\w+ of this server could not be renewed$/)]);
  expect(leasesIn()).toHaveLength(1);
});

it.each([
  ['is truncated to 63 characters', 'x'.repeat(70), 'x'.repeat(63)],
  ['is empty for a hostname that is not a valid label value', 'a b', ''],
])('hostname label of the identity Lease %s', async (_title, hostname, label) => {
  await start({ hostname });
  expect(onlyLease()).toMatchObject({ metadata: { labels: { 'platform.io/hostname': label } } });
});

it('identity Lease cleanup deletes only expired Leases of API servers, at its start and every hour', async () => {
  // One hour and one second before the time of the test; `apiserver-live` was renewed a second later.
  const expiredTime = '2026-01-02T02:04:04.000000Z';
  const spec = { holderIdentity: 'x', leaseDurationSeconds: 3600 };
  await createLease('apiserver-expired', LABELS, { ...spec, renewTime: expiredTime });
  await createLease('apiserver-without-times', LABELS, { holderIdentity: 'x' });
  await createLease('apiserver-live', LABELS, { ...spec, renewTime: '2026-01-02T02:04:05.000000Z' });
  await createLease('leader', {}, { ...spec, renewTime: expiredTime });
  await createLease('apiserver-in-other-namespace', LABELS, { ...spec, renewTime: expiredTime }, 'default');
  await flushPromises(10);
  const leaseNames = (): readonly string[] => [...leasesIn(), ...leasesIn('default')].map(nameOf);
  await startCollector();
  expect(leaseNames()).toEqual(['apiserver-live', 'leader', 'apiserver-in-other-namespace']);
  await advance(3_600_000);
  expect(leaseNames()).toEqual(['leader', 'apiserver-in-other-namespace']);
  expect(fixture().replica.failures).toEqual([]);
});
