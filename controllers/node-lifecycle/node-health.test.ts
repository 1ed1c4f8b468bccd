import type { CoordinationV1Lease, CoreV1Node, CoreV1NodeCondition } from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import type { Node } from '../runtime/nodes';
import { isUnresponsive, observeNodeHealth, readyStatus, unknownConditions, type HealthTimestamp, type Lease } from './node-health';

const NOW = Date.UTC(2026, 0, 1);
const settings = {
  periodMs: 5_000,
  graceMs: 40_000,
  startupGraceMs: 60_000,
  evictionRate: 0.1,
  secondaryEvictionRate: 0.01,
  unhealthyZoneThreshold: 0.55,
  largeClusterThreshold: 50,
};
const at = (seconds: number): HealthTimestamp => ({ now: NOW + seconds * 1000, monotonic: seconds * 1000 });
const node = (...conditions: CoreV1NodeCondition[]): Node =>
  apiObject<CoreV1Node>({ metadata: { name: 'n', creationTimestamp: '2026-01-01T00:00:00Z' }, status: { conditions } });
const ready = (status: string, lastHeartbeatTime = 'h'): CoreV1NodeCondition => ({ type: 'Ready', status, lastHeartbeatTime });
const lease = (renewTime: string): Lease => apiObject<CoordinationV1Lease>({ metadata: { name: 'n' }, spec: { renewTime } });

test.each<[string, Node]>([
  ['True', node(ready('True'))],
  ['False', node(ready('False'))],
  ['Unknown', node(ready('Unknown'))],
  ['Unknown', node(ready('Perhaps'))],
  ['', node()],
])('readyStatus returns %j for the Ready condition of a node', (status, observed) => expect(readyStatus(observed)).toBe(status));

test('isUnresponsive allows the grace period from the first observation, and the startup grace period from the creation of a new node', () => {
  const previous = observeNodeHealth(undefined, node(ready('True')), undefined, at(100));
  expect(isUnresponsive(previous, node(ready('True')), settings, at(140))).toBe(false);
  expect(isUnresponsive(previous, node(ready('True')), settings, at(140.001))).toBe(true);
  const created = observeNodeHealth(undefined, node(), undefined, at(10));
  expect(isUnresponsive(created, node(), settings, at(60))).toBe(false);
  expect(isUnresponsive(created, node(), settings, at(60.001))).toBe(true);
});

test.each<[string, Node, Lease | undefined, boolean]>([
  ['ignores an unchanged status and lease', node(ready('True')), lease('1'), false],
  ['counts a renewed lease', node(ready('True')), lease('2'), true],
  ['counts a new heartbeat', node(ready('True', 'later')), lease('1'), true],
  ['counts a changed Ready status', node(ready('False')), lease('1'), true],
  ['ignores the status Unknown, which the control plane sets', node(ready('Unknown', 'later')), lease('1'), false],
  ['ignores a removed Ready condition', node(), lease('1'), false],
  ['ignores a deleted lease', node(ready('True')), undefined, false],
])('observeNodeHealth %s as a sign of life', (_, observed, renewed, isSignOfLife) => {
  const previous = observeNodeHealth(undefined, node(ready('True')), lease('1'), at(0));
  expect(observeNodeHealth(previous, observed, renewed, at(7)).lastSeen).toBe(isSignOfLife ? 7_000 : 0);
});

test('observeNodeHealth counts a Ready status after Unknown as new, even with an unchanged heartbeat', () => {
  const previous = observeNodeHealth(undefined, node(ready('Unknown')), undefined, at(0));
  expect(observeNodeHealth(previous, node(ready('True')), undefined, at(9)).lastSeen).toBe(9_000);
});

test('unknownConditions sets the conditions of an unresponsive node to Unknown and keeps conditions of other writers', () => {
  const pressure = { type: 'DiskPressure', status: 'True', reason: 'r', message: 'm', lastHeartbeatTime: 'h', lastTransitionTime: 't' };
  const other = { type: 'Mine', status: 'True' };
  const conditions = unknownConditions(node(pressure, other), at(60)) ?? [];
  const never = {
    status: 'Unknown',
    reason: 'NodeStatusNeverUpdated',
    message: 'Kubelet never posted node status.',
    lastHeartbeatTime: '2026-01-01T00:00:00Z',
    lastTransitionTime: '2026-01-01T00:01:00Z',
  };
  const stopped = {
    status: 'Unknown',
    reason: 'NodeStatusUnknown',
    message: 'Kubelet stopped posting node status.',
    lastTransitionTime: '2026-01-01T00:01:00Z',
  };
  expect(conditions).toEqual([
    { ...pressure, ...stopped },
    other,
    { type: 'Ready', ...never },
    { type: 'MemoryPressure', ...never },
    { type: 'PIDPressure', ...never },
  ]);
  expect(unknownConditions(node(...conditions), at(90))).toBeUndefined();
});
