import type { CoordinationV1Lease, CoreV1Node, CoreV1Taint } from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import type { MergePatch } from '../../shared/client/rest/request-options';
import { ManualClock } from '../../test/support/clock/manual-clock';
import type { Node } from '../runtime/nodes';
import type { Lease } from './node-health';
import { NodeMonitor } from './node-monitor';
import { areAllZonesDisrupted, computeZoneState, evictionRate, zoneKeyOf } from './zone-state';

const settings = {
  periodMs: 5_000,
  graceMs: 40_000,
  startupGraceMs: 60_000,
  evictionRate: 0.1,
  secondaryEvictionRate: 0.01,
  unhealthyZoneThreshold: 0.55,
  largeClusterThreshold: 4,
};

function node(name: string, status: string, options: { readonly zone?: string; readonly taints?: CoreV1Taint[] } = {}): Node {
  const { zone = 'z', taints = [] } = options;
  return apiObject<CoreV1Node>({
    metadata: { name, uid: name, resourceVersion: '1', labels: { 'topology.platform.io/zone': zone } },
    spec: { taints },
    status: { conditions: [{ type: 'Ready', status }] },
  });
}

/** Nodes of one zone: `+` is ready, `-` is not. */
const zone = (statuses: string, name = 'z'): readonly Node[] =>
  [...statuses].map((letter, index) => node(`${name}${index}`, letter === '+' ? 'True' : 'False', { zone: name }));

function setUp() {
  const clock = new ManualClock();
  const leases = new Map<string, Lease>();
  const monitor = new NodeMonitor({ clock, settings, prefix: 'platform.io', leaseOf: (name) => leases.get(name) });
  const renewLease = (name: string, renewTime: string): void =>
    void leases.set(name, apiObject<CoordinationV1Lease>({ metadata: { name }, spec: { renewTime } }));
  return { clock, monitor, renewLease };
}

const effects = (patch: MergePatch<CoreV1Node> | undefined) => (patch?.spec?.taints ?? []).map(({ effect }) => effect);

test('NodeMonitor reports a node as unresponsive after its grace period unless its lease is renewed', () => {
  const { clock, monitor, renewLease } = setUp();
  const [a, b] = [node('a', 'True'), node('b', 'True')];
  monitor.monitorNodeHealth([a, b]);
  clock.advance(40_000);
  expect(monitor.monitorNodeHealth([a, b])).toEqual([]);
  renewLease('b', '1');
  clock.advance(1);
  expect(monitor.monitorNodeHealth([a, b])).toEqual(['a']);
  expect(monitor.unknownConditionsOf(a)).toHaveLength(4);
  expect(monitor.unknownConditionsOf(b)).toBeUndefined();
  // A sign of life arrives before the conditions are written.
  renewLease('a', '1');
  expect(monitor.monitorNodeHealth([a, b])).toEqual([]);
});

test('NodeMonitor evicts from an unresponsive node one period after the one in which its condition becomes Unknown', () => {
  const { clock, monitor, renewLease } = setUp();
  const other = node('b', 'True');
  monitor.monitorNodeHealth([node('a', 'True'), other]);
  clock.advance(40_001);
  renewLease('b', '1');
  expect(monitor.monitorNodeHealth([node('a', 'True'), other])).toEqual(['a']);
  expect(monitor.startDueEvictions()).toEqual([]);
  clock.advance(5_000);
  monitor.monitorNodeHealth([node('a', 'Unknown'), other]);
  expect(monitor.startDueEvictions()).toEqual(['a']);
});

test('NodeMonitor evicts at once from a node whose kubelet never reported, when its startup grace period is over', () => {
  const { clock, monitor, renewLease } = setUp();
  const silent = apiObject<CoreV1Node>({ metadata: { name: 'a', labels: { 'topology.platform.io/zone': 'z' } } });
  const other = node('b', 'True');
  monitor.monitorNodeHealth([silent, other]);
  clock.advance(60_001);
  renewLease('b', '1');
  monitor.monitorNodeHealth([silent, other]);
  expect(monitor.startDueEvictions()).toEqual(['a']);
});

test('NodeMonitor evicts from one node at a time at the eviction rate of the zone', () => {
  const { clock, monitor } = setUp();
  const nodes = zone('--++++');
  monitor.monitorNodeHealth(nodes);
  expect(monitor.startDueEvictions()).toEqual(['z0']);
  expect(monitor.startDueEvictions()).toEqual([]);
  clock.advance(10_000);
  expect(monitor.startDueEvictions()).toEqual(['z1']);
  expect(effects(monitor.taintAndLabelPatch(node('z0', 'False')))).toEqual(['NoSchedule', 'NoExecute']);
  expect(effects(monitor.taintAndLabelPatch(node('z5', 'False')))).toEqual(['NoSchedule']);
});

test('NodeMonitor has pending evictions until that of the last node has started', () => {
  const { clock, monitor } = setUp();
  expect(monitor.hasPendingEvictions()).toBe(false);
  monitor.monitorNodeHealth(zone('--++++'));
  expect(monitor.hasPendingEvictions()).toBe(true);
  monitor.startDueEvictions();
  expect(monitor.hasPendingEvictions()).toBe(true);
  clock.advance(10_000);
  monitor.startDueEvictions();
  expect(monitor.hasPendingEvictions()).toBe(false);
});

test('NodeMonitor dequeues a node that is ready again, and can evict from it later', () => {
  const { clock, monitor } = setUp();
  monitor.monitorNodeHealth(zone('--+++'));
  expect(monitor.startDueEvictions()).toEqual(['z0']);
  monitor.monitorNodeHealth(zone('+++++'));
  clock.advance(30_000);
  expect(monitor.startDueEvictions()).toEqual([]);
  monitor.monitorNodeHealth(zone('-++++'));
  expect(monitor.startDueEvictions()).toEqual(['z0']);
});

test('NodeMonitor drops a forgotten node from its queue', () => {
  const { monitor } = setUp();
  monitor.monitorNodeHealth(zone('-+++'));
  monitor.forget('z0');
  expect(monitor.startDueEvictions()).toEqual([]);
});

test('NodeMonitor evicts nothing from a small partly disrupted zone, and slowly from a large one', () => {
  const { clock, monitor } = setUp();
  // A zone of four nodes is small, and one of five is large: largeClusterThreshold.
  monitor.monitorNodeHealth(zone('---+'));
  clock.advance(1_000_000);
  expect(monitor.startDueEvictions()).toEqual([]);
  monitor.monitorNodeHealth(zone('---++'));
  expect(monitor.startDueEvictions()).toEqual(['z0']);
  // The secondary rate of 0.01 per second is one eviction in 100 seconds.
  clock.advance(99_000);
  expect(monitor.startDueEvictions()).toEqual([]);
  clock.advance(1_000);
  expect(monitor.startDueEvictions()).toEqual(['z1']);
});

test('NodeMonitor evicts nothing when all zones are disrupted, removes NoExecute taints and restarts the grace periods afterwards', () => {
  const { clock, monitor, renewLease } = setUp();
  const execute = { key: 'node.platform.io/not-ready', effect: 'NoExecute' };
  const schedule = { key: 'node.platform.io/not-ready', effect: 'NoSchedule' };
  const tainted = node('a', 'False', { zone: 'a', taints: [schedule, execute] });
  const other = node('b', 'True', { zone: 'b' });
  monitor.monitorNodeHealth([tainted, other]);
  clock.advance(39_000);
  // Now both zones have no ready node.
  expect(monitor.monitorNodeHealth([tainted, node('b', 'False', { zone: 'b' })])).toEqual(['a']);
  expect(monitor.startDueEvictions()).toEqual([]);
  expect(effects(monitor.taintAndLabelPatch(tainted))).toEqual(['NoSchedule']);
  // The disruption ends. Without a new grace period, b and c would be unresponsive 39 seconds later.
  renewLease('b', '1');
  const silent = node('c', 'True', { zone: 'c' });
  expect(monitor.monitorNodeHealth([node('a', 'False', { zone: 'a' }), node('b', 'True', { zone: 'b' }), silent])).toEqual([]);
  expect(monitor.startDueEvictions()).toEqual(['a']);
  clock.advance(39_000);
  expect(monitor.monitorNodeHealth([node('a', 'False', { zone: 'a' }), node('b', 'True', { zone: 'b' }), silent])).toEqual([]);
});

test('NodeMonitor does not count nodes with the exclude-disruption label in the state of their zone', () => {
  const { clock, monitor } = setUp();
  const excluded = [0, 1, 2].map((index) =>
    apiObject<CoreV1Node>({
      metadata: { name: `x${index}`, labels: { 'topology.platform.io/zone': 'z', 'node.kubernetes.io/exclude-disruption': '' } },
      status: { conditions: [{ type: 'Ready', status: 'False' }] },
    }),
  );
  monitor.monitorNodeHealth([...excluded, ...zone('-+++')]);
  clock.advance(10_000);
  expect(monitor.startDueEvictions()).toHaveLength(1);
});

test.each<[number, number, string, number]>([
  [0, 0, 'normal', 0.1],
  [0, 1, 'full disruption', 0.1],
  [1, 2, 'normal', 0.1],
  [1, 3, 'partial disruption', 0],
  [2, 3, 'partial disruption', 0.01],
  [3, 3, 'normal', 0.1],
])('a zone with %i ready and %i other nodes has the state %s and an eviction rate of %d', (ready, notReady, state, rate) => {
  const computed = computeZoneState({ ready, notReady }, settings);
  expect(computed).toEqual(state);
  expect(evictionRate(computed, { ready, notReady }, settings)).toEqual(rate);
});

test('areAllZonesDisrupted is true when all of one or more zones are in full disruption', () => {
  expect(areAllZonesDisrupted([])).toBe(false);
  expect(areAllZonesDisrupted(['full disruption'])).toBe(true);
  expect(areAllZonesDisrupted(['full disruption', 'normal'])).toBe(false);
});

test('zoneKeyOf identifies a zone by region and zone labels in any spelling', () => {
  const keyFor = (labels: Record<string, string>): string => zoneKeyOf(apiObject<CoreV1Node>({ metadata: { name: 'n', labels } }));
  expect(keyFor({ 'topology.kubernetes.io/zone': 'a', 'topology.platform.io/region': 'r' })).toBe('["r","a"]');
  expect(keyFor({ 'failure-domain.beta.kubernetes.io/zone': 'a' })).toBe('["","a"]');
  expect(keyFor({})).toBe('["",""]');
});
