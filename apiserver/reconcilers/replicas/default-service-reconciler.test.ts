import { objectAt, type JsonObject } from '../../../shared/values/json';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import { ManualClock, flushPromises } from '../../../test/support/clock/manual-clock';
import { MemoryStore } from '../../../test/support/store/memory-store';
import { openReplica, type Replica as OpenReplica } from '../../../test/support/store/replica';
import { objectOf, START } from '../../../test/support/store/write-fixture';
import type { OpenedCache } from '../../cache/sync/open-cache';
import { prefixRange } from '../../storage/store';
import { buildResources } from '../../registry/resources';
import type { RequestContext } from '../../registry/verbs';
import { startDefaultServiceReconciler, type DefaultServiceReconciler } from './default-service-reconciler';

const resources = buildResources();
const names = GENERATED_NAMES.platform;
const services = resources.require('services');
const endpoints = resources.require('endpoints');
const slices = resources.require('endpointslices.discovery.platform.io');

/** A replica that can run the reconciler. */
type Replica = OpenReplica<ManualClock> & { startReconciler(): DefaultServiceReconciler };

const caches: OpenedCache[] = [];
const reconcilers: DefaultServiceReconciler[] = [];

afterEach(async () => {
  for (const reconciler of reconcilers.splice(0)) reconciler.stop();
  for (const cache of caches.splice(0)) await cache.close();
});

async function openServer(store: MemoryStore, port = 6443): Promise<Replica> {
  const base = await openReplica(store, new ManualClock(START));
  caches.push(base.cache);
  const { cache, writer, allocator, replicas, clock, failures } = base;
  const onFailure = (message: string): void => void failures.push(message);
  return {
    ...base,
    startReconciler() {
      const reconciler = startDefaultServiceReconciler({
        writer,
        cache,
        allocator,
        replicas,
        services,
        endpoints,
        slices,
        names,
        port,
        clock,
        onFailure,
      });
      reconcilers.push(reconciler);
      return reconciler;
    },
  };
}

const context = (clock: ManualClock): RequestContext => ({
  user: { name: 'tester', groups: ['system:masters'] },
  deadline: clock.monotonic() + 60_000,
  warn: () => undefined,
});

const body = (value: JsonObject) => ({ value, duplicates: [], format: 'json' }) as const;
const options = { dryRun: false, fieldValidation: 'Strict', fieldManager: 'test' } as const;

interface Cluster {
  readonly store: MemoryStore;
  readonly first: Replica;
  readonly replicas: readonly Replica[];
}

/** Replicas with these ports over one store. */
async function cluster(ports: readonly number[] = [6443]): Promise<Cluster> {
  const store = new MemoryStore();
  const replicas = await Promise.all(ports.map((port) => openServer(store, port)));
  const [first] = replicas;
  if (first === undefined) throw new Error('a cluster has a replica');
  await first.writer.create(context(first.clock), resources.require('namespaces'), '', body({ metadata: { name: 'default' } }), options);
  return { store, first, replicas };
}

const objectIn = ({ cache }: Replica, resource: typeof services, name = 'platform'): JsonObject | undefined => {
  const entry = cache.get(resource.stored, `default/${name}`);
  return entry === undefined ? undefined : objectOf(entry);
};

/**
 * Waits until all pending work is done. Stores and streams in memory respond in microtasks; reads of the store start
 * at the end of a turn.
 */
const drain = (): Promise<void> => flushPromises(50);

const subsets = (replica: Replica): unknown => objectIn(replica, endpoints)?.['subsets'];

it('default Service is created with the first address of the range, and with endpoints of the live replicas', async () => {
  const { first: replica } = await cluster();
  await replica.startReconciler().complete;
  replica.replicas.join({ ip: '192.0.2.1', port: 6443 });
  await drain();
  expect(objectIn(replica, services)).toMatchObject({
    metadata: { labels: { component: 'apiserver', provider: 'platform' } },
    spec: { clusterIP: '10.0.0.1', ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: 6443 }] },
  });
  expect(objectIn(replica, endpoints)).toMatchObject({
    metadata: { labels: { 'endpointslice.platform.io/skip-mirror': 'true' } },
    subsets: [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ name: 'https', port: 6443, protocol: 'TCP' }] }],
  });
  expect(objectIn(replica, slices)).toMatchObject({
    metadata: { labels: { 'platform.io/service-name': 'platform' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['192.0.2.1'], conditions: { ready: true } }],
    ports: [{ name: 'https', port: 6443, protocol: 'TCP' }],
  });
  expect(replica.failures).toEqual([]);
});

const port = (number: number): JsonObject[] => [{ name: 'https', port: number, protocol: 'TCP' }];

it('default Service drops a stopped replica immediately', async () => {
  const { first, replicas } = await cluster([6443, 6443, 7443]);
  const [, second, third] = replicas;
  if (second === undefined || third === undefined) throw new Error('the cluster has three replicas');
  await Promise.all(replicas.map((member) => member.startReconciler().complete));
  first.replicas.join({ ip: '192.0.2.1', port: 6443 });
  second.replicas.join({ ip: '192.0.2.2', port: 6443 });
  third.replicas.join({ ip: '192.0.2.1', port: 7443 });
  await drain();
  expect(subsets(first)).toEqual([
    { addresses: [{ ip: '192.0.2.1' }, { ip: '192.0.2.2' }], ports: port(6443) },
    { addresses: [{ ip: '192.0.2.1' }], ports: port(7443) },
  ]);
  expect(objectIn(first, slices, 'platform-ipv4-7443')).toMatchObject({ endpoints: [{ addresses: ['192.0.2.1'] }], ports: port(7443) });
  await third.replicas.leave();
  await drain();
  expect(subsets(first)).toEqual([{ addresses: [{ ip: '192.0.2.1' }, { ip: '192.0.2.2' }], ports: port(6443) }]);
  expect(objectIn(first, slices, 'platform-ipv4-7443')).toBeUndefined();
  expect(replicas.flatMap(({ failures }) => failures)).toEqual([]);
});

it('default Service drops a crashed replica when its lease expires, and keeps one that puts its key again', async () => {
  const { store, first } = await cluster();
  await first.startReconciler().complete;
  first.replicas.join({ ip: '192.0.2.1', port: 6443 });
  await drain();
  // A key without a running replica: nothing puts it again.
  const lease = await store.grantLease(15);
  const key = '/registry/replicas/192.0.2.3:6443';
  const put = { type: 'put', key, value: Buffer.from('{"ip":"192.0.2.3","port":6443}'), lease } as const;
  await store.transact({ compare: [], operations: [put] });
  await drain();
  expect(subsets(first)).toEqual([{ addresses: [{ ip: '192.0.2.1' }, { ip: '192.0.2.3' }], ports: port(6443) }]);
  await store.revokeLease(lease);
  await drain();
  expect(subsets(first)).toEqual([{ addresses: [{ ip: '192.0.2.1' }], ports: port(6443) }]);
  // The lease of the running replica, which the store has numbered first.
  await store.revokeLease('1');
  await drain();
  expect(subsets(first)).toEqual([{ addresses: [{ ip: '192.0.2.1' }], ports: port(6443) }]);
  expect((await store.range(prefixRange('/registry/replicas/'))).kvs).toHaveLength(1);
  expect(first.failures).toEqual([]);
});

it('default Service is restored after deletion or change, and not written when it is unchanged', async () => {
  const { store, first: replica } = await cluster();
  const reconciler = replica.startReconciler();
  await reconciler.complete;
  replica.replicas.join({ ip: '192.0.2.1', port: 6443 });
  await drain();
  const key = { namespace: 'default', name: 'platform' };
  await replica.writer.delete(context(replica.clock), services, key, { dryRun: false });
  await replica.writer.update(context(replica.clock), endpoints, key, undefined, body({ metadata: { name: 'platform' } }), options);
  await drain();
  expect(objectAt(objectIn(replica, services), 'spec')).toMatchObject({ clusterIP: '10.0.0.1' });
  expect(subsets(replica)).toHaveLength(1);
  const written = store.currentRevision;
  await reconciler.runPass();
  expect(store.currentRevision).toBe(written);
});

it('the default Service keeps its endpoints while no replica is known', async () => {
  const { store, first: replica } = await cluster();
  const reconciler = replica.startReconciler();
  await reconciler.complete;
  expect(objectIn(replica, endpoints)).toBeUndefined();
  replica.replicas.join({ ip: '192.0.2.1', port: 6443 });
  await drain();
  const written = store.currentRevision;
  replica.replicas.onReset();
  await reconciler.runPass();
  await drain();
  expect(replica.replicas.addresses).toEqual([]);
  expect(store.currentRevision).toBe(written);
  expect(subsets(replica)).toHaveLength(1);
});

it('first address of the Service range is reserved for the default Service', async () => {
  const { first: replica } = await cluster();
  const spec = { clusterIP: '10.0.0.1', ports: [{ port: 80 }] };
  const created = replica.writer.create(context(replica.clock), services, 'default', body({ metadata: { name: 'other' }, spec }), options);
  await expect(created).rejects.toThrow('failed to allocate IP 10.0.0.1: provided IP is already allocated');
});
