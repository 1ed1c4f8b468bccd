import { GENERATED_NAMES } from '../../shared/names/dialect';
import { objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import { ManualClock, flushPromises } from '../../test/support/clock/manual-clock';
import { MemoryStore } from '../../test/support/store/memory-store';
import { openReplica, type Replica } from '../../test/support/store/replica';
import { objectOf, PREFIX, START } from '../../test/support/store/write-fixture';
import { stopAfterTest, useForEachTest } from '../../test/support/use-resource';
import { buildResources } from '../registry/resources';
import { startAllocationRepair, type AllocationRepair } from './allocation-repair';

const resources = buildResources();
const services = resources.require('services');
const events = resources.require('events.events.platform.io');

interface Fixture {
  readonly store: MemoryStore;
  readonly replica: Replica<ManualClock>;
  /** The details of the reported findings. */
  readonly findings: Readonly<Record<string, unknown>>[];
}

const stopAfterwards = stopAfterTest<AllocationRepair>((repair) => repair.stop());
const fixture = useForEachTest<Fixture>(
  async () => {
    const store = new MemoryStore();
    const replica = await openReplica(store, new ManualClock(START));
    await replica.create('namespaces', { metadata: { name: 'default' } });
    return { store, replica, findings: [] };
  },
  ({ replica }) => replica.cache.close(),
);

/** Waits until the cache has followed the writes. The store and its watch respond in a few turns of the event loop. */
const followWrites = (): Promise<void> => flushPromises(20);

function startRepair(holder = 'one'): AllocationRepair {
  const { store, replica, findings } = fixture();
  const { cache, writer, allocator, clock, failures } = replica;
  const repair = startAllocationRepair({
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
  return stopAfterwards(repair);
}

/** Runs the first pass of a new repair. */
async function repairOnce(): Promise<void> {
  await startRepair().complete;
  await followWrites();
}

/** Resolves with the stored value of the Service. */
async function createService(name: string, spec: JsonObject): Promise<string> {
  const { store, replica } = fixture();
  await replica.create('services', { metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } });
  await followWrites();
  const { kv } = await store.get(storeKeyOf(name));
  return kv?.value.toString('latin1') ?? '';
}

/** Deletes keys from the store directly, past the API. */
async function removeKeys(...keys: readonly string[]): Promise<void> {
  for (const key of keys) fixture().store.remove(key);
  await followWrites();
}

const storeKeyOf = (name: string): string => `${PREFIX}/${services.stored.segment}/default/${name}`;

/**
 * Writes a value of {@link createService} to the store directly, like a restored backup, with texts replaced.
 * Replacements must have the same length, because stored values have headers with offsets.
 */
async function restoreService(name: string, stored: string, replacements: Readonly<Record<string, string>> = {}): Promise<void> {
  const changed = Object.entries(replacements).reduce((text, [from, to]) => text.replaceAll(from, to), stored);
  fixture().store.put(storeKeyOf(name), Buffer.from(changed, 'latin1'));
  await followWrites();
}

const allocations = (): readonly string[] => [...fixture().replica.allocator.allRecords().keys()].sort();

/** The Events, sorted by Service and reason. They are stored in the core version, in which the members have other names. */
function recordedEvents(): unknown {
  const objects = [...fixture().replica.cache.snapshot(events.stored).range()].map((entry) => objectOf(entry));
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

/** The numbers of errors that metrics report, by subject and type. */
function errorCounts(): unknown {
  const { errorCounts: counts } = fixture().replica.allocator;
  return { ips: Object.fromEntries(counts.countsOf('ips')), ports: Object.fromEntries(counts.countsOf('ports')) };
}

it('allocation repair reports nothing for Services that this server stored', async () => {
  await createService('a', { type: 'NodePort' });
  await repairOnce();
  expect(recordedEvents()).toEqual([]);
  expect(fixture().findings).toEqual([]);
  expect(errorCounts()).toEqual({ ips: {}, ports: {} });
});

it('allocation repair writes missing allocations of Services, with one Event each', async () => {
  await createService('old', { type: 'NodePort', clusterIP: '10.0.0.7', ports: [{ port: 80, nodePort: 31000 }] });
  await removeKeys(`${PREFIX}/allocations/ips/10.0.0.7`, `${PREFIX}/allocations/ports/31000`);
  expect(allocations()).toEqual([]);
  const repair = startRepair();
  await repair.complete;
  await followWrites();
  expect(allocations()).toEqual(['ips/10.0.0.7', 'ports/31000']);
  expect(fixture().replica.failures).toEqual([]);
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
  // The second pass finds nothing to repair.
  await repair.runPass();
  expect(errorCounts()).toEqual({ ips: { repair: 1 }, ports: { repair: 1 } });
});

it('allocation repair reports a Service that uses an allocation of another one, and changes nothing', async () => {
  const { replica } = fixture();
  const spec = { clusterIP: '10.0.0.7', type: 'NodePort', ports: [{ port: 80, nodePort: 31000 }] };
  const storedFirst = await createService('a', spec);
  await replica.remove('services', 'a');
  await followWrites();
  await createService('b', spec);
  await restoreService('a', storedFirst);
  const records = [...replica.allocator.allRecords()];
  await repairOnce();
  expect([...replica.allocator.allRecords()]).toEqual(records);
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
  const { allocator } = fixture().replica;
  const stored = await createService('a', { clusterIP: '10.0.0.7' });
  const deletedUid = allocator.recordOf('ips/10.0.0.7')?.uid ?? '';
  // A Service with the same name and another uid, as if the first one had been deleted and created again.
  const newUid = `f${deletedUid.slice(1)}`;
  await restoreService('a', stored, { [deletedUid]: newUid });
  await repairOnce();
  expect(allocator.recordOf('ips/10.0.0.7')?.uid).toBe(newUid);
});

it('allocation repair reports an invalid address', async () => {
  await restoreService('bad', await createService('bad', { clusterIP: '10.0.0.8' }), { '10.0.0.8': '10.0.0.x' });
  await repairOnce();
  expect(recordedEvents()).toEqual([
    {
      service: 'bad',
      reason: 'ClusterIPNotValid',
      action: 'ClusterIPValidation',
      note: 'Cluster IP 10.0.0.x is not a valid IP; please recreate service',
      reporter: IP_REPORTER,
    },
  ]);
});

it('allocation repair reports an address and a port out of range', async () => {
  const stored = await createService('out', { clusterIP: '10.0.0.7', type: 'NodePort', ports: [{ port: 80, nodePort: 31000 }] });
  await restoreService('out', stored, { '10.0.0.7': '10.9.0.7', '31000': '40000' });
  await repairOnce();
  expect(recordedEvents()).toEqual([
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
  await removeKeys(storeKeyOf('a'));
  // The first pass is made at the start.
  const repair = startRepair();
  await repair.complete;
  await repair.runPass();
  expect(allocations()).toEqual(['ips/10.0.0.7']);
  await repair.runPass();
  expect(allocations()).toEqual([]);
  expect(errorCounts()).toEqual({ ips: { leak: 1 }, ports: {} });
});

it('allocation repair waits for the end of the term of another replica', async () => {
  const { store, replica } = fixture();
  await createService('a', { clusterIP: '10.0.0.7' });
  await removeKeys(`${PREFIX}/allocations/ips/10.0.0.7`);
  store.put(`${PREFIX}/allocation-audit`, Buffer.from(JSON.stringify({ holder: 'two', until: START + 240_000 })));
  await startRepair('one').complete;
  await followWrites();
  expect(allocations()).toEqual([]);
  // Passes start every 180 s. The third one, after 360 s, is the first after the term of the other replica.
  await replica.clock.advanceAsync(360_001);
  await followWrites();
  expect(allocations()).toEqual(['ips/10.0.0.7']);
});

it('allocation repair reports a lasting error once an hour', async () => {
  const { replica, findings } = fixture();
  const stored = await createService('out', { clusterIP: '10.0.0.7' });
  await restoreService('out', stored, { '10.0.0.7': '10.9.0.7' });
  const repair = startRepair();
  await repair.complete;
  const outOfRange = (): unknown[] => findings.filter(({ type }) => type === 'outOfRange');
  for (let count = 0; count < 3; count += 1) await repair.runPass();
  expect(outOfRange()).toHaveLength(1);
  replica.clock.advance(3_600_000);
  await repair.runPass();
  expect(outOfRange()).toHaveLength(2);
});
