import { objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import { identityLabels } from '../../../shared/names/server-identity';
import { FixedRandom } from '../../../test/support/clock/fixed-random';
import { ManualClock, flushPromises } from '../../../test/support/clock/manual-clock';
import { MemoryStore } from '../../../test/support/store/memory-store';
import { openReplica, type Replica } from '../../../test/support/store/replica';
import { START } from '../../../test/support/store/write-fixture';
import { StoreError } from '../../storage/store';
import { parseEntry } from '../../registry/object/stored-object';
import { startIdentityLeaseCollector, startIdentityLeaseReconciler, type IdentityLeasesOptions } from './identity-leases';

const SYSTEM = 'platform-system';
const OURS = { 'apiserver.platform.io/identity': 'platform-apiserver', 'platform.io/hostname': 'one' };
const WRITE = { dryRun: false, fieldValidation: 'Strict', fieldManager: 'other' } as const;

let store: MemoryStore;
let replica: Replica<ManualClock>;
let cleanups: (() => void)[];

beforeEach(async () => {
  store = new MemoryStore();
  cleanups = [];
  replica = await openReplica(store, new ManualClock(START));
  for (const name of [SYSTEM, 'default']) await replica.create('namespaces', { metadata: { name } });
});
afterEach(async () => {
  for (const cleanUp of cleanups) cleanUp();
  await replica.cache.close();
});

const leases = () => replica.resources.require('leases.coordination.platform.io');

function options(changes: Partial<IdentityLeasesOptions> = {}): IdentityLeasesOptions {
  const { writer, cache, clock, failures } = replica;
  const onFailure = (message: string): void => void failures.push(message);
  const own = { hostname: 'one', port: 6443, worker: 1, random: new FixedRandom(), names: GENERATED_NAMES.platform, settings: () => ({}) };
  return { writer, cache, leases: leases(), clock, onFailure, ...own, ...changes };
}

async function start(changes: Partial<IdentityLeasesOptions> = {}): Promise<() => void> {
  const reconciler = startIdentityLeaseReconciler(options(changes));
  cleanups.push(() => reconciler.stop());
  await reconciler.complete;
  return () => reconciler.stop();
}

async function collect(): Promise<void> {
  const collector = startIdentityLeaseCollector(options());
  cleanups.push(() => collector.stop());
  await collector.complete;
  await flushPromises(10);
}

async function advance(ms: number): Promise<void> {
  await replica.clock.advanceAsync(ms);
  await flushPromises(20);
}

const leasesIn = (namespace = SYSTEM): readonly JsonObject[] =>
  [...replica.cache.snapshot(leases().stored).range(`${namespace}/`, `${namespace}0`)].map((entry) => parseEntry(entry).object);

async function onlyLease(): Promise<JsonObject> {
  await flushPromises(10);
  const leases = leasesIn();
  expect(leases.length).toBe(1);
  return leases[0] ?? {};
}

const create = (name: string, labels: JsonObject, spec: JsonObject, namespace = SYSTEM): Promise<unknown> => {
  const value = { metadata: { namespace, name, labels }, spec };
  return replica.writer.create(replica.context(), leases(), namespace, { value, duplicates: [], format: 'json' }, WRITE);
};

const nameOf = (lease: JsonObject): string | undefined => stringAt(objectAt(lease, 'metadata'), 'name');

it('identity Lease has the name, the labels and the renew time of its server', async () => {
  await start();
  const lease = await onlyLease();
  const name = String(nameOf(lease));
  expect(name).toMatch(/^apiserver-[0-9a-v]{26}$/);
  expect(lease).toMatchObject({
    metadata: { namespace: SYSTEM, labels: OURS },
    spec: {
      holderIdentity: `${name}_00000000-0000-4000-8000-000000000001`,
      leaseDurationSeconds: 3600,
      renewTime: '2026-01-02T03:04:05.000000Z',
    },
  });
  await advance(10_000);
  expect(await onlyLease()).toMatchObject({ spec: { renewTime: '2026-01-02T03:04:15.000000Z' } });
  expect(replica.failures).toEqual([]);
});

it('identity Lease has the labels of upstream in the Kubernetes spelling', () => {
  const { identity, hostname } = identityLabels(GENERATED_NAMES.kubernetes);
  expect([identity, hostname]).toEqual([['apiserver.kubernetes.io/identity', 'kube-apiserver'], 'kubernetes.io/hostname']);
});

it('identity Lease is reused after a restart, and separate for each server of a machine', async () => {
  const stop = await start();
  stop();
  const before = await onlyLease();
  await advance(60_000);
  expect(await onlyLease()).toEqual(before);
  const random = new FixedRandom();
  random.uuid();
  // A new holder would have the second UUID.
  await start({ random });
  const after = await onlyLease();
  expect(after).toMatchObject({ metadata: { name: nameOf(before) }, spec: { renewTime: '2026-01-02T03:05:05.000000Z' } });
  expect(after).toMatchObject({ spec: { holderIdentity: `${String(nameOf(before))}_00000000-0000-4000-8000-000000000001` } });
  await start({ port: 6444 });
  await flushPromises(10);
  expect(leasesIn().length).toBe(2);
});

it('identity Lease gets its labels restored, keeps other fields, and is recreated after deletion', async () => {
  await start();
  const name = String(nameOf(await onlyLease()));
  const key = { namespace: SYSTEM, name };
  const change = { metadata: { labels: { 'platform.io/hostname': 'other', mine: '1' } }, spec: { leaseDurationSeconds: 7 } };
  const bytes = Buffer.from(JSON.stringify(change));
  await replica.writer.patch(replica.context(), leases(), key, undefined, { type: 'merge', bytes, dialect: 'platform' }, WRITE);
  await advance(10_000);
  expect(await onlyLease()).toMatchObject({ metadata: { labels: { ...OURS, mine: '1' } }, spec: { leaseDurationSeconds: 7 } });
  await replica.writer.delete(replica.context(), leases(), key, { dryRun: false });
  await advance(10_000);
  expect(nameOf(await onlyLease())).toBe(name);
  expect(replica.failures).toEqual([]);
});

it('identity Lease is recreated when another server deleted it while this server was starved', async () => {
  await start();
  const name = String(nameOf(await onlyLease()));
  // The starved server receives no events and renews nothing.
  store.isHeld = true;
  store.remove(`/registry/${leases().stored.segment}/${SYSTEM}/${name}`);
  await advance(10_000);
  store.isHeld = false;
  store.deliver();
  await advance(2_000);
  expect(await onlyLease()).toMatchObject({ metadata: { name }, spec: { renewTime: expect.stringMatching(/^2026-01-02T03:04:1/) } });
});

it('identity Lease renewal logs a failed write and retries', async () => {
  jest.spyOn(store, 'transact').mockRejectedValueOnce(new StoreError('unavailable', 'gone for a moment'));
  const reconciler = startIdentityLeaseReconciler(options());
  cleanups.push(() => reconciler.stop());
  await advance(1_000);
  await reconciler.complete;
  expect(replica.failures).toEqual([expect.stringMatching(/^the Lease apiserver-\w+ of this server could not be renewed$/)]);
  await onlyLease();
});

it.each([
  ['a name that is too long', 'x'.repeat(70), 'x'.repeat(63)],
  ['an invalid name', 'a b', ''],
])('identity Lease truncates or empties the hostname label for a machine with %s', async (_, hostname, shown) => {
  await start({ hostname });
  expect(await onlyLease()).toMatchObject({ metadata: { labels: { 'platform.io/hostname': shown } } });
});

it('identity Lease cleanup deletes only expired Leases of API servers', async () => {
  // One hour and one second before the time of the test; `apiserver-here` was renewed a second later.
  const old = '2026-01-02T02:04:04.000000Z';
  const spec = { holderIdentity: 'x', leaseDurationSeconds: 3600 };
  await create('apiserver-gone', OURS, { ...spec, renewTime: old });
  await create('apiserver-endless', OURS, { holderIdentity: 'x' });
  await create('apiserver-here', OURS, { ...spec, renewTime: '2026-01-02T02:04:05.000000Z' });
  await create('leader', {}, { ...spec, renewTime: old });
  await create('apiserver-elsewhere', OURS, { ...spec, renewTime: old }, 'default');
  await flushPromises(10);
  await collect();
  expect([...leasesIn(), ...leasesIn('default')].map(nameOf)).toEqual(['apiserver-here', 'leader', 'apiserver-elsewhere']);
  await advance(3_600_000);
  expect([...leasesIn(), ...leasesIn('default')].map(nameOf)).toEqual(['leader', 'apiserver-elsewhere']);
  expect(replica.failures).toEqual([]);
});
