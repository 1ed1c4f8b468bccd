import { objectAt, type JsonObject } from '../../../shared/values/json';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import { ManualClock, settle } from '../../../test/support/manual-clock';
import { MemoryStore } from '../../../test/support/memory-store';
import { openReplica, type Replica as OpenReplica } from '../../../test/support/replica';
import { objectOf, START } from '../../../test/support/write-fixture';
import type { OpenedCache } from '../../cache/sync/open-cache';
import { buildResources } from '../../registry/resources';
import type { RequestContext } from '../../registry/verbs';
import { keepDefaultService, type DefaultService } from './default-service-reconciler';

const resources = buildResources();
const names = GENERATED_NAMES.platform;
const services = resources.require('services');
const endpoints = resources.require('endpoints');
const slices = resources.require('endpointslices.discovery.platform.io');

type Replica = Made & { keep(): DefaultService };
type Made = OpenReplica<ManualClock>;

const open: OpenedCache[] = [];
const kept: DefaultService[] = [];

afterEach(async () => {
  for (const service of kept.splice(0)) service.stop();
  for (const cache of open.splice(0)) await cache.close();
});

async function replica(store: MemoryStore, port = 6443): Promise<Replica> {
  const made = await openReplica(store, new ManualClock(START));
  open.push(made.cache);
  const { cache, writer, ledger, replicas, clock, failures } = made;
  const failed = (message: string): void => void failures.push(message);
  return {
    ...made,
    keep() {
      const service = keepDefaultService({ writer, cache, ledger, replicas, services, endpoints, slices, names, port, clock, failed });
      kept.push(service);
      return service;
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

async function cluster(ports: readonly number[] = [6443]): Promise<{ readonly store: MemoryStore; readonly replicas: readonly Replica[] }> {
  const store = new MemoryStore();
  const replicas = await Promise.all(ports.map((port) => replica(store, port)));
  const [first] = replicas;
  if (first === undefined) throw new Error('a cluster has a replica');
  await first.writer.create(context(first.clock), resources.require('namespaces'), '', body({ metadata: { name: 'default' } }), options);
  return { store, replicas };
}

const found = ({ cache }: Replica, resource: typeof services, name = 'platform'): JsonObject | undefined => {
  const entry = cache.get(resource.stored, `default/${name}`);
  return entry === undefined ? undefined : objectOf(entry);
};

/** Lets everything that is under way come to its end: stores and streams in memory answer in microtasks, lookups begin at the end of a turn. */
const quiet = (): Promise<void> => settle(50);

const subsets = (at: Replica): unknown => found(at, endpoints)?.['subsets'];

it('default Service is created with the first address of the range, and with endpoints of the live replicas', async () => {
  const { replicas } = await cluster();
  const [one] = replicas;
  if (one === undefined) return;
  await one.keep().complete;
  one.replicas.join({ ip: '192.0.2.1', port: 6443 });
  await quiet();
  expect(found(one, services)).toMatchObject({
    metadata: { labels: { component: 'apiserver', provider: 'platform' } },
    spec: { clusterIP: '10.0.0.1', ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: 6443 }] },
  });
  expect(found(one, endpoints)).toMatchObject({
    metadata: { labels: { 'endpointslice.platform.io/skip-mirror': 'true' } },
    subsets: [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ name: 'https', port: 6443, protocol: 'TCP' }] }],
  });
  expect(found(one, slices)).toMatchObject({
    metadata: { labels: { 'platform.io/service-name': 'platform' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['192.0.2.1'], conditions: { ready: true } }],
    ports: [{ name: 'https', port: 6443, protocol: 'TCP' }],
  });
  expect(one.failures).toEqual([]);
});

it('default Service drops a stopped replica immediately, and a crashed one when its lease expires', async () => {
  const { store, replicas } = await cluster([6443, 6443, 7443]);
  const [one, two, three] = replicas;
  if (one === undefined || two === undefined || three === undefined) return;
  await Promise.all(replicas.map((each) => each.keep().complete));
  one.replicas.join({ ip: '192.0.2.1', port: 6443 });
  two.replicas.join({ ip: '192.0.2.2', port: 6443 });
  three.replicas.join({ ip: '192.0.2.1', port: 7443 });
  await quiet();
  const port = (number: number): JsonObject[] => [{ name: 'https', port: number, protocol: 'TCP' }];
  expect(subsets(one)).toEqual([
    { addresses: [{ ip: '192.0.2.1' }, { ip: '192.0.2.2' }], ports: port(6443) },
    { addresses: [{ ip: '192.0.2.1' }], ports: port(7443) },
  ]);
  expect(found(one, slices, 'platform-ipv4-7443')).toMatchObject({ endpoints: [{ addresses: ['192.0.2.1'] }], ports: port(7443) });
  await three.replicas.leave();
  await quiet();
  expect(subsets(one)).toEqual([{ addresses: [{ ip: '192.0.2.1' }, { ip: '192.0.2.2' }], ports: port(6443) }]);
  expect(found(one, slices, 'platform-ipv4-7443')).toBeUndefined();
  // A replica that dies cannot put its key again when its lease expires.
  const lease = await store.grantLease(15);
  const dying = {
    type: 'put',
    key: '/registry/replicas/192.0.2.3:6443',
    value: Buffer.from('{"ip":"192.0.2.3","port":6443}'),
    lease,
  } as const;
  await store.transact({ compare: [], operations: [dying] });
  await quiet();
  expect(subsets(one)).toMatchObject([{ addresses: [{ ip: '192.0.2.1' }, { ip: '192.0.2.2' }, { ip: '192.0.2.3' }] }]);
  await store.revokeLease(lease);
  await quiet();
  expect(subsets(one)).toEqual([{ addresses: [{ ip: '192.0.2.1' }, { ip: '192.0.2.2' }], ports: port(6443) }]);
  // A replica that was only slow puts its key again.
  await store.revokeLease('2');
  await quiet();
  expect(subsets(one)).toEqual([{ addresses: [{ ip: '192.0.2.1' }, { ip: '192.0.2.2' }], ports: port(6443) }]);
  expect(replicas.flatMap(({ failures }) => failures)).toEqual([]);
});

it('default Service is restored after deletion or change, and not written when it is unchanged', async () => {
  const { store, replicas } = await cluster();
  const [one] = replicas;
  if (one === undefined) return;
  const service = one.keep();
  await service.complete;
  one.replicas.join({ ip: '192.0.2.1', port: 6443 });
  await quiet();
  const place = { namespace: 'default', name: 'platform' };
  await one.writer.delete(context(one.clock), services, place, { dryRun: false });
  await one.writer.update(context(one.clock), endpoints, place, undefined, body({ metadata: { name: 'platform' } }), options);
  await quiet();
  expect(objectAt(found(one, services), 'spec')).toMatchObject({ clusterIP: '10.0.0.1' });
  expect(subsets(one)).toHaveLength(1);
  const written = store.current;
  await service.pass();
  expect(store.current).toBe(written);
});

it('the default Service keeps its endpoints while no replica is known', async () => {
  const { store, replicas } = await cluster();
  const [one] = replicas;
  if (one === undefined) return;
  const service = one.keep();
  await service.complete;
  expect(found(one, endpoints)).toBeUndefined();
  one.replicas.join({ ip: '192.0.2.1', port: 6443 });
  await quiet();
  const written = store.current;
  one.replicas.onReset();
  await service.pass();
  await quiet();
  expect([store.current, one.replicas.addresses]).toEqual([written, []]);
  expect(subsets(one)).toHaveLength(1);
});

it('first address of the Service range is reserved for the default Service', async () => {
  const { replicas } = await cluster();
  const [one] = replicas;
  if (one === undefined) return;
  const spec = { clusterIP: '10.0.0.1', ports: [{ port: 80 }] };
  const taken = one.writer.create(context(one.clock), services, 'default', body({ metadata: { name: 'other' }, spec }), options);
  await expect(taken).rejects.toThrow('failed to allocate IP 10.0.0.1: provided IP is already allocated');
});
