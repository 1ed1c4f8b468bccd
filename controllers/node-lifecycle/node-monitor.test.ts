import { apiObject, type ApiObject } from '../../shared/client/rest/api-object';
import { arrayAt, objectAt, type JsonObject, type JsonValue } from '../../shared/values/json';
import { ManualClock } from '../../test/support/manual-clock';
import { NodeMonitor } from './monitor';
import { evictionRate, isBlackout, zoneOf, zoneState } from './zones';

const settings = {
  periodMs: 5_000,
  graceMs: 40_000,
  startupGraceMs: 60_000,
  evictionRate: 0.1,
  secondaryEvictionRate: 0.01,
  unhealthyZoneThreshold: 0.55,
  largeClusterThreshold: 4,
};

function node(name: string, status: string, options: { readonly zone?: string; readonly taints?: JsonValue[] } = {}): ApiObject {
  const { zone = 'z', taints = [] } = options;
  return apiObject({
    metadata: { name, uid: name, resourceVersion: '1', labels: { 'topology.platform.io/zone': zone } },
    spec: { taints },
    status: { conditions: [{ type: 'Ready', status }] },
  });
}

/** Nodes of one zone, by their status. */
const zone = (statuses: string, name = 'z'): readonly ApiObject[] =>
  [...statuses].map((letter, index) => node(`${name}${index}`, letter === '+' ? 'True' : 'False', { zone: name }));

function world() {
  const clock = new ManualClock();
  const leases = new Map<string, ApiObject>();
  const monitor = new NodeMonitor({ clock, settings, prefix: 'platform.io', leaseOf: (name) => leases.get(name) });
  const beat = (name: string, renewTime: string): void => void leases.set(name, apiObject({ metadata: { name }, spec: { renewTime } }));
  return { clock, monitor, beat };
}

const effects = (change: JsonObject | undefined): readonly JsonValue[] =>
  (arrayAt(objectAt(change, 'spec'), 'taints') ?? []).map((taint) => (taint as JsonObject)['effect'] ?? null);

test('NodeMonitor reports a node as lost after its grace period unless its lease is renewed', () => {
  const { clock, monitor, beat } = world();
  const nodes = [node('a', 'True'), node('b', 'True')];
  monitor.look(nodes);
  clock.advance(40_000);
  expect(monitor.look(nodes)).toEqual([]);
  beat('b', '1');
  clock.advance(1);
  expect(monitor.look(nodes)).toEqual(['a']);
  expect(monitor.conditionsFor(nodes[0] ?? node('a', ''))).toHaveLength(4);
  expect(monitor.conditionsFor(nodes[1] ?? node('b', ''))).toBeUndefined();
  // It comes back before anything is written.
  beat('a', '1');
  expect(monitor.look(nodes)).toEqual([]);
});

test('NodeMonitor evicts from one node at a time at the eviction rate of the zone', () => {
  const { clock, monitor } = world();
  const nodes = zone('--++++');
  monitor.look(nodes);
  expect(monitor.takeTurns()).toEqual(['z0']);
  expect(monitor.takeTurns()).toEqual([]);
  clock.advance(10_000);
  expect(monitor.takeTurns()).toEqual(['z1']);
  expect(effects(monitor.changeOf(node('z0', 'False')))).toEqual(['NoSchedule', 'NoExecute']);
  expect(effects(monitor.changeOf(node('z5', 'False')))).toEqual(['NoSchedule']);
});

test('NodeMonitor reports waiting nodes until the last one has had its turn', () => {
  const { clock, monitor } = world();
  expect(monitor.isAnyoneWaiting()).toBe(false);
  monitor.look(zone('--++++'));
  expect(monitor.isAnyoneWaiting()).toBe(true);
  monitor.takeTurns();
  expect(monitor.isAnyoneWaiting()).toBe(true);
  clock.advance(10_000);
  monitor.takeTurns();
  expect(monitor.isAnyoneWaiting()).toBe(false);
});

test('NodeMonitor dequeues a node that is ready again, and can evict from it later', () => {
  const { clock, monitor } = world();
  monitor.look(zone('--+++'));
  expect(monitor.takeTurns()).toEqual(['z0']);
  monitor.look(zone('+++++'));
  clock.advance(30_000);
  expect(monitor.takeTurns()).toEqual([]);
  monitor.look(zone('-++++'));
  expect(monitor.takeTurns()).toEqual(['z0']);
});

test('NodeMonitor drops a forgotten node from its queue', () => {
  const { monitor } = world();
  monitor.look(zone('-+++'));
  monitor.forget('z0');
  expect(monitor.takeTurns()).toEqual([]);
});

test('NodeMonitor evicts nothing from a small partly lost zone, and slowly from a large one', () => {
  const { clock, monitor } = world();
  monitor.look(zone('---+'));
  clock.advance(1_000_000);
  expect(monitor.takeTurns()).toEqual([]);
  monitor.look(zone('---++'));
  expect(monitor.takeTurns()).toEqual(['z0']);
  clock.advance(99_000);
  expect(monitor.takeTurns()).toEqual([]);
  clock.advance(1_000);
  expect(monitor.takeTurns()).toEqual(['z1']);
});

test('NodeMonitor evicts nothing when all zones are lost, removes NoExecute taints and restarts the grace periods afterwards', () => {
  const { clock, monitor, beat } = world();
  const execute = { key: 'node.platform.io/not-ready', effect: 'NoExecute' };
  const schedule = { key: 'node.platform.io/not-ready', effect: 'NoSchedule' };
  const tainted = node('a', 'False', { zone: 'a', taints: [schedule, execute] });
  const other = node('b', 'True', { zone: 'b' });
  monitor.look([tainted, other]);
  clock.advance(39_000);
  expect(monitor.look([tainted, node('b', 'False', { zone: 'b' })])).toEqual(['a']);
  expect(monitor.takeTurns()).toEqual([]);
  expect(effects(monitor.changeOf(tainted))).toEqual(['NoSchedule']);
  beat('b', '1');
  const lost = node('c', 'True', { zone: 'c' });
  expect(monitor.look([node('a', 'False', { zone: 'a' }), node('b', 'True', { zone: 'b' }), lost])).toEqual([]);
  expect(monitor.takeTurns()).toEqual(['a']);
  clock.advance(39_000);
  expect(monitor.look([node('a', 'False', { zone: 'a' }), node('b', 'True', { zone: 'b' }), lost])).toEqual([]);
});

test('NodeMonitor does not count nodes with the exclude-disruption label in the state of their zone', () => {
  const { clock, monitor } = world();
  const left = [0, 1, 2].map((index) =>
    apiObject({
      metadata: { name: `x${index}`, labels: { 'topology.platform.io/zone': 'z', 'node.kubernetes.io/exclude-disruption': '' } },
      status: { conditions: [{ type: 'Ready', status: 'False' }] },
    }),
  );
  monitor.look([...left, ...zone('-+++')]);
  clock.advance(10_000);
  expect(monitor.takeTurns()).toHaveLength(1);
});

test.each<[number, number, string, number]>([
  [0, 0, 'normal', 0.1],
  [0, 1, 'lost', 0.1],
  [1, 2, 'normal', 0.1],
  [1, 3, 'partly lost', 0],
  [2, 3, 'partly lost', 0.01],
  [3, 3, 'normal', 0.1],
])('a zone with %i ready and %i lost nodes is %s and has an eviction rate of %d', (ready, lost, state, rate) => {
  const found = zoneState({ ready, lost }, settings);
  expect([found, evictionRate(found, { ready, lost }, settings)]).toEqual([state, rate]);
});

test('isBlackout is true when all of one or more zones are lost', () => {
  expect([isBlackout([]), isBlackout(['lost']), isBlackout(['lost', 'normal'])]).toEqual([false, true, false]);
});

test('zoneOf identifies a zone by region and zone labels in any spelling', () => {
  const zoned = (labels: JsonObject): string => zoneOf(apiObject({ metadata: { name: 'n', labels } }));
  expect(zoned({ 'topology.kubernetes.io/zone': 'a', 'topology.platform.io/region': 'r' })).toBe('["r","a"]');
  expect(zoned({ 'failure-domain.beta.kubernetes.io/zone': 'a' })).toBe('["","a"]');
  expect(zoned({})).toBe('["",""]');
});
