import { objectAt, type JsonObject } from '../../../shared/values/json';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import { ManualClock, flushPromises } from '../../../test/support/clock/manual-clock';
import { MemoryStore } from '../../../test/support/store/memory-store';
import { openReplica, type Replica as OpenReplica } from '../../../test/support/store/replica';
import { objectOf, START } from '../../../test/support/store/write-fixture';
import { stopAfterTest } from '../../../test/support/use-resource';
import { prefixRange } from '../../storage/store';
import { buildResources } from '../../registry/resources';
import { objectBody, serverWriteOptions } from '../server-writes';
import { startDefaultServiceReconciler, type DefaultServiceReconciler } from './default-service-reconciler';

const resources = buildResources();
const names = GENERATED_NAMES.platform;
const services = resources.require('services');
const endpoints = resources.require('endpoints');
const slices = resources.require('endpointslices.discovery.platform.io');

/** A replica that can run the reconciler. */
type Replica = OpenReplica<ManualClock> & { startReconciler(): DefaultServiceReconciler };

const stopAfterwards = stopAfterTest<DefaultServiceReconciler>((reconciler) => reconciler.stop());
const closeAfterwards = stopAfterTest<OpenReplica<ManualClock>>(({ cache }) => cache.close());

async function openServer(store: MemoryStore, port: number): Promise<Replica> {
  const replica = closeAfterwards(await openReplica(store, new ManualClock(START)));
  const { cache, writer, allocator, replicas, clock, failures } = replica;
  const onFailure = (message: string): void => void failures.push(message);
  return {
    ...replica,
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
      return stopAfterwards(reconciler);
    },
  };
}

/** A replica over a store of its own, in which the namespace `default` exists. */
async function openCluster(): Promise<{ readonly store: MemoryStore; readonly replica: Replica }> {
  const store = new MemoryStore();
  const replica = await openServer(store, 6443);
  await replica.create('namespaces', { metadata: { name: 'default' } });
  return { store, replica };
}

/** An object of the replica's cache in the namespace `default`. The Service and its Endpoints have the name `platform`. */
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
const httpsPorts = (port: number): JsonObject[] => [{ name: 'https', port, protocol: 'TCP' }];

it('default Service is created with the first address of the range, and with endpoints of the live replicas', async () => {
  const { replica } = await openCluster();
  await replica.startReconciler().complete;
  replica.replicas.join({ ip: '192.0.2.1', port: 6443 });
  await drain();
  expect(objectIn(replica, services)).toMatchObject({
    metadata: { labels: { component: 'apiserver', provider: 'platform' } },
    spec: { clusterIP: '10.0.0.1', ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: 6443 }] },
  });
  expect(objectIn(replica, endpoints)).toMatchObject({
    metadata: { labels: { 'endpointslice.platform.io/skip-mirror': 'true' } },
    subsets: [{ addresses: [{ ip: '192.0.2.1' }], ports: httpsPorts(6443) }],
  });
  expect(objectIn(replica, slices)).toMatchObject({
    metadata: { labels: { 'platform.io/service-name': 'platform' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['192.0.2.1'], conditions: { ready: true } }],
    ports: httpsPorts(6443),
  });
  expect(replica.failures).toEqual([]);
});

it('default Service drops a stopped replica immediately', async () => {
  const { store, replica: first } = await openCluster();
  const second = await openServer(store, 6443);
  const third = await openServer(store, 7443);
  const replicas = [first, second, third];
  await Promise.all(replicas.map((replica) => replica.startReconciler().complete));
  first.replicas.join({ ip: '192.0.2.1', port: 6443 });
  second.replicas.join({ ip: '192.0.2.2', port: 6443 });
  third.replicas.join({ ip: '192.0.2.1', port: 7443 });
  await drain();
  expect(subsets(first)).toEqual([
    { addresses: [{ ip: '192.0.2.1' }, { ip: '192.0.2.2' }], ports: httpsPorts(6443) },
    { addresses: [{ ip: '192.0.2.1' }], ports: httpsPorts(7443) },
  ]);
  expect(objectIn(first, slices, 'platform-ipv4-7443')).toMatchObject({
    endpoints: [{ addresses: ['192.0.2.1'] }],
    ports: httpsPorts(7443),
  });
  await third.replicas.leave();
  await drain();
  expect(subsets(first)).toEqual([{ addresses: [{ ip: '192.0.2.1' }, { ip: '192.0.2.2' }], ports: httpsPorts(6443) }]);
  expect(objectIn(first, slices, 'platform-ipv4-7443')).toBeUndefined();
  expect(replicas.flatMap(({ failures }) => failures)).toEqual([]);
});

it('default Service drops a crashed replica when its lease expires', async () => {
  const { store, replica } = await openCluster();
  await replica.startReconciler().complete;
  replica.replicas.join({ ip: '192.0.2.1', port: 6443 });
  await drain();
  // A key without a running replica: nothing puts it again.
  const lease = await store.grantLease(15);
  const key = '/registry/replicas/192.0.2.3:6443';
  const put = { type: 'put', key, value: Buffer.from('{"ip":"192.0.2.3","port":6443}'), lease } as const;
  await store.transact({ compare: [], operations: [put] });
  await drain();
  expect(subsets(replica)).toEqual([{ addresses: [{ ip: '192.0.2.1' }, { ip: '192.0.2.3' }], ports: httpsPorts(6443) }]);
  await store.revokeLease(lease);
  await drain();
  expect(subsets(replica)).toEqual([{ addresses: [{ ip: '192.0.2.1' }], ports: httpsPorts(6443) }]);
  expect(replica.failures).toEqual([]);
});

it('default Service keeps a running replica, which puts its key again, when its lease expires', async () => {
  const { store, replica } = await openCluster();
  await replica.startReconciler().complete;
  replica.replicas.join({ ip: '192.0.2.1', port: 6443 });
  await drain();
  // The only lease of the store, which numbers leases from 1.
  await store.revokeLease('1');
  await drain();
  expect(subsets(replica)).toEqual([{ addresses: [{ ip: '192.0.2.1' }], ports: httpsPorts(6443) }]);
  expect((await store.range(prefixRange('/registry/replicas/'))).kvs).toHaveLength(1);
  expect(replica.failures).toEqual([]);
});

it('default Service and its Endpoints are restored after deletion or change', async () => {
  const { replica } = await openCluster();
  await replica.startReconciler().complete;
  replica.replicas.join({ ip: '192.0.2.1', port: 6443 });
  await drain();
  await replica.remove('services', 'platform');
  const key = { namespace: 'default', name: 'platform' };
  const emptied = objectBody({ metadata: { name: 'platform' } });
  await replica.writer.update(replica.context(), endpoints, key, undefined, emptied, serverWriteOptions(names));
  await drain();
  expect(objectAt(objectIn(replica, services), 'spec')).toMatchObject({ clusterIP: '10.0.0.1' });
  expect(subsets(replica)).toHaveLength(1);
});

it('default Service is not written when it is up to date', async () => {
  const { store, replica } = await openCluster();
  const reconciler = replica.startReconciler();
  await reconciler.complete;
  replica.replicas.join({ ip: '192.0.2.1', port: 6443 });
  await drain();
  const before = store.currentRevision;
  await reconciler.runPass();
  expect(store.currentRevision).toBe(before);
});

it('default Service keeps its endpoints while no replica is known', async () => {
  const { store, replica } = await openCluster();
  const reconciler = replica.startReconciler();
  await reconciler.complete;
  expect(objectIn(replica, endpoints)).toBeUndefined();
  replica.replicas.join({ ip: '192.0.2.1', port: 6443 });
  await drain();
  const before = store.currentRevision;
  replica.replicas.onReset();
  await reconciler.runPass();
  await drain();
  expect(replica.replicas.addresses).toEqual([]);
  expect(store.currentRevision).toBe(before);
  expect(subsets(replica)).toHaveLength(1);
});

it('first address of the Service range is reserved for the default Service', async () => {
  const { replica } = await openCluster();
  const created = replica.create('services', { metadata: { name: 'other' }, spec: { clusterIP: '10.0.0.1', ports: [{ port: 80 }] } });
  await expect(created).rejects.toThrow('failed to allocate IP 10.0.0.1: provided IP is already allocated');
});
