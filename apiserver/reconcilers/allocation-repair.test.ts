import { GENERATED_NAMES } from '../../shared/names/dialect';
import { objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import { ManualClock, flushPromises } from '../../test/support/clock/manual-clock';
import { MemoryStore } from '../../test/support/store/memory-store';
import { openReplica, type Replica } from '../../test/support/store/replica';
import { objectOf, PREFIX, START } from '../../test/support/store/write-fixture';
import type { OpenedCache } from '../cache/sync/open-cache';
import { buildResources } from '../registry/resources';
import type { RequestContext } from '../registry/verbs';
import { startAllocationRepair, type AllocationRepair } from './allocation-repair';

const resources = buildResources();
const services = resources.require('services');
const events = resources.require('events.events.platform.io');
const options = { dryRun: false, fieldValidation: 'Strict', fieldManager: 'test' } as const;

const caches: OpenedCache[] = [];
const repairs: AllocationRepair[] = [];
afterEach(async () => {
  for (const repair of repairs.splice(0)) repair.stop();
  for (const cache of caches.splice(0)) await cache.close();
});

let store: MemoryStore;
let replica: Replica<ManualClock>;
/** The details of what was logged. */
let findings: Readonly<Record<string, unknown>>[];
beforeEach(async () => {
  store = new MemoryStore();
  replica = await openReplica(store, new ManualClock(START));
  caches.push(replica.cache);
  findings = [];
  const namespace = { value: { metadata: { name: 'default' } }, duplicates: [], format: 'json' } as const;
  await replica.writer.create(context(), resources.require('namespaces'), '', namespace, options);
});

const context = (): RequestContext => ({
  user: { name: 'tester', groups: ['system:masters'] },
  deadline: replica.clock.monotonic() + 60_000,
  warn: () => undefined,
});

function startRepair(holder = 'one'): AllocationRepair {
  const { cache, writer, allocator, clock, failures } = replica;
  const started = startAllocationRepair({
    store,
    cache,
    writer,
    allocator,
    services,
    events,
    prefix: PREFIX,
    holder,
    hostname: 'host',
    names: GENERATED_NAMES.platform,
    clock,
    onFinding: (_message, details) => void findings.push(details),
    onFailure: (message, error) => void failures.push(`${message}: ${String(error)}`),
  });
  repairs.push(started);
  return started;
}

/** Resolves with the stored value of the Service. */
async function createService(name: string, spec: JsonObject): Promise<string> {
  const value = { metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } };
  await replica.writer.create(context(), services, 'default', { value, duplicates: [], format: 'json' }, options);
  await flushPromises(20);
  const { kv } = await store.get(keyOf(name));
  return kv?.value.toString('latin1') ?? '';
}

const keyOf = (name: string): string => `${PREFIX}/${services.stored.segment}/default/${name}`;

/**
 * Writes to the store directly, like a restored backup. Replacements must have the same length, because stored values
 * have headers with offsets.
 */
async function restore(name: string, stored: string, ...replacements: readonly (readonly [from: string, to: string])[]): Promise<void> {
  const changed = replacements.reduce((text, [from, to]) => text.replaceAll(from, to), stored);
  store.put(keyOf(name), Buffer.from(changed, 'latin1'));
  await flushPromises(20);
}

const allocations = (): readonly string[] => [...replica.allocator.allRecords().keys()].sort();

/** The Events by Service and reason. They are stored in the core version, in which the members have other names. */
function recordedEvents(): unknown {
  const objects = [...replica.cache.snapshot(events.stored).range()].map((entry) => objectOf(entry));
  const rows = objects.map((event) => ({
    service: stringAt(objectAt(event, 'involvedObject') ?? objectAt(event, 'regarding'), 'name'),
    reason: stringAt(event, 'reason'),
    action: stringAt(event, 'action'),
    note: stringAt(event, 'note') ?? stringAt(event, 'message'),
    reporter: stringAt(event, 'reportingComponent') ?? stringAt(event, 'reportingController'),
  }));
  return rows.sort((a, b) => (`${a.service} ${a.reason}` < `${b.service} ${b.reason}` ? -1 : 1));
}

const IP_REPORTER = 'ipallocator-repair-controller';
const PORT_REPORTER = 'portallocator-repair-controller';

const counts = (): unknown => ({
  ips: Object.fromEntries(replica.allocator.errorCounts.countsOf('ips')),
  ports: Object.fromEntries(replica.allocator.errorCounts.countsOf('ports')),
});

it('allocation repair reports nothing for Services that this server stored', async () => {
  await createService('a', { type: 'NodePort' });
  await startRepair().complete;
  expect(recordedEvents()).toEqual([]);
  expect(findings).toEqual([]);
  expect(counts()).toEqual({ ips: {}, ports: {} });
});

it('allocation repair writes missing allocations of Services, with one Event each', async () => {
  await createService('old', { type: 'NodePort', clusterIP: '10.0.0.7', ports: [{ port: 80, nodePort: 31000 }] });
  store.remove(`${PREFIX}/allocations/ips/10.0.0.7`);
  store.remove(`${PREFIX}/allocations/ports/31000`);
  await flushPromises(20);
  expect(allocations()).toEqual([]);
  const repair = startRepair();
  await repair.complete;
  await flushPromises(20);
  expect(allocations()).toEqual(['ips/10.0.0.7', 'ports/31000']);
  expect(replica.failures).toEqual([]);
  expect(recordedEvents()).toEqual([
    {
      service: 'old',
      reason: 'ClusterIPNotAllocated',
      action: 'ClusterIPAllocation',
      note: 'Cluster IP [IPv4]:10.0.0.7 is not allocated; repairing',
      reporter: IP_REPORTER,
    },
    {
      service: 'old',
      reason: 'PortNotAllocated',
      action: 'PortAllocation',
      note: 'Port 31000 is not allocated; repairing',
      reporter: PORT_REPORTER,
    },
  ]);
  await repair.runPass();
  expect(counts()).toEqual({ ips: { repair: 1 }, ports: { repair: 1 } });
});

it('allocation repair reports a Service that uses an allocation of another one, and changes nothing', async () => {
  const before = await createService('a', { clusterIP: '10.0.0.7', type: 'NodePort', ports: [{ port: 80, nodePort: 31000 }] });
  await replica.writer.delete(context(), services, { namespace: 'default', name: 'a' }, { dryRun: false });
  await flushPromises(20);
  await createService('b', { clusterIP: '10.0.0.7', type: 'NodePort', ports: [{ port: 80, nodePort: 31000 }] });
  await restore('a', before);
  const keys = [...replica.allocator.allRecords()];
  await startRepair().complete;
  await flushPromises(20);
  expect([...replica.allocator.allRecords()]).toEqual(keys);
  expect(recordedEvents()).toEqual([
    {
      service: 'a',
      reason: 'ClusterIPAlreadyAllocated',
      action: 'ClusterIPAllocation',
      note: 'Cluster IP [IPv4]:10.0.0.7 was assigned to multiple services; please recreate service',
      reporter: IP_REPORTER,
    },
    {
      service: 'a',
      reason: 'PortAlreadyAllocated',
      action: 'PortAllocation',
      note: 'Port 31000 was assigned to multiple services; please recreate service',
      reporter: PORT_REPORTER,
    },
  ]);
});

it('allocation repair transfers an allocation of a deleted Service to the Service that uses it', async () => {
  const stored = await createService('a', { clusterIP: '10.0.0.7' });
  const uid = replica.allocator.recordOf('ips/10.0.0.7')?.uid ?? '';
  const otherUid = `f${uid.slice(1)}`;
  await restore('a', stored, [uid, otherUid]);
  await startRepair().complete;
  await flushPromises(20);
  expect(replica.allocator.recordOf('ips/10.0.0.7')?.uid).toBe(otherUid);
});

it('allocation repair reports addresses and ports out of range, and invalid addresses', async () => {
  const out = await createService('out', { clusterIP: '10.0.0.7', type: 'NodePort', ports: [{ port: 80, nodePort: 31000 }] });
  await restore('out', out, ['10.0.0.7', '10.9.0.7'], ['31000', '40000']);
  await restore('bad', await createService('bad', { clusterIP: '10.0.0.8' }), ['10.0.0.8', '10.0.0.x']);
  await startRepair().complete;
  await flushPromises(20);
  expect(recordedEvents()).toEqual([
    {
      service: 'bad',
      reason: 'ClusterIPNotValid',
      action: 'ClusterIPValidation',
      note: 'Cluster IP 10.0.0.x is not a valid IP; please recreate service',
      reporter: IP_REPORTER,
    },
    {
      service: 'out',
      reason: 'ClusterIPOutOfRange',
      action: 'ClusterIPAllocation',
      note: 'Cluster IP [IPv4]:10.9.0.7 is not within the service CIDR 10.0.0.0/24; please recreate service',
      reporter: IP_REPORTER,
    },
    {
      service: 'out',
      reason: 'PortOutOfRange',
      action: 'PortAllocation',
      note: 'Port 40000 is not within the port range 30000-32767; please recreate service',
      reporter: PORT_REPORTER,
    },
  ]);
});

it('allocation repair releases an unused allocation in its third pass', async () => {
  await createService('a', { clusterIP: '10.0.0.7' });
  store.remove(keyOf('a'));
  await flushPromises(20);
  // The first pass is made at the start.
  const repair = startRepair();
  await repair.complete;
  await repair.runPass();
  expect(allocations()).toEqual(['ips/10.0.0.7']);
  await repair.runPass();
  expect(allocations()).toEqual([]);
  expect(counts()).toEqual({ ips: { leak: 1 }, ports: {} });
});

it('allocation repair runs on one replica at a time', async () => {
  await createService('a', { clusterIP: '10.0.0.7' });
  store.remove(`${PREFIX}/allocations/ips/10.0.0.7`);
  store.put(`${PREFIX}/allocation-audit`, Buffer.from(JSON.stringify({ holder: 'two', until: START + 240_000 })));
  await flushPromises(20);
  await startRepair('one').complete;
  expect(allocations()).toEqual([]);
  // The term of the other replica ends after 240 s; the next pass after that is the second one of this replica.
  await replica.clock.advanceAsync(360_001);
  await flushPromises(20);
  expect(allocations()).toEqual(['ips/10.0.0.7']);
});

it('allocation repair reports a lasting error once an hour', async () => {
  const out = await createService('out', { clusterIP: '10.0.0.7' });
  await restore('out', out, ['10.0.0.7', '10.9.0.7']);
  const repair = startRepair();
  await repair.complete;
  const outOfRange = (): unknown[] => findings.filter(({ type }) => type === 'outOfRange');
  for (let count = 0; count < 3; count += 1) await repair.runPass();
  expect(outOfRange()).toHaveLength(1);
  replica.clock.advance(3_600_000);
  await repair.runPass();
  expect(outOfRange()).toHaveLength(2);
});
