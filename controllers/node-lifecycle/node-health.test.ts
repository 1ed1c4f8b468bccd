import { apiObject, type ApiObject } from '../../shared/client/rest/api-object';
import type { JsonObject } from '../../shared/values/json';
import { isLost, lostConditions, observe, readyStatus, type Moment } from './health';

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
const at = (seconds: number): Moment => ({ now: NOW + seconds * 1000, monotonic: seconds * 1000 });
const node = (...conditions: JsonObject[]): ApiObject =>
  apiObject({ metadata: { name: 'n', creationTimestamp: '2026-01-01T00:00:00Z' }, status: { conditions } });
const ready = (status: string, lastHeartbeatTime = 'h'): JsonObject => ({ type: 'Ready', status, lastHeartbeatTime });
const lease = (renewTime: string): ApiObject => apiObject({ metadata: { name: 'n' }, spec: { renewTime } });

test.each<[string, ApiObject]>([
  ['True', node(ready('True'))],
  ['False', node(ready('False'))],
  ['Unknown', node(ready('Unknown'))],
  ['Unknown', node(ready('Perhaps'))],
  ['', node()],
])('readyStatus returns %j for the Ready condition of a node', (status, found) => expect(readyStatus(found)).toBe(status));

test('isLost allows the grace period from the first observation, and the startup grace period from the creation of a new node', () => {
  const known = observe(undefined, node(ready('True')), undefined, at(100));
  expect(isLost(known, node(ready('True')), settings, at(140))).toBe(false);
  expect(isLost(known, node(ready('True')), settings, at(140.001))).toBe(true);
  const fresh = observe(undefined, node(), undefined, at(10));
  expect(isLost(fresh, node(), settings, at(60))).toBe(false);
  expect(isLost(fresh, node(), settings, at(60.001))).toBe(true);
});

test.each<[string, ApiObject, ApiObject | undefined, boolean]>([
  ['ignores an unchanged status and lease', node(ready('True')), lease('1'), false],
  ['counts a renewed lease', node(ready('True')), lease('2'), true],
  ['counts a new heartbeat', node(ready('True', 'later')), lease('1'), true],
  ['counts a changed Ready status', node(ready('False')), lease('1'), true],
  ['ignores the status Unknown, which the control plane sets', node(ready('Unknown', 'later')), lease('1'), false],
  ['ignores a removed Ready condition', node(), lease('1'), false],
  ['ignores a deleted lease', node(ready('True')), undefined, false],
])('observe %s as a sign of life', (_, found, renewed, isSign) => {
  const known = observe(undefined, node(ready('True')), lease('1'), at(0));
  expect(observe(known, found, renewed, at(7)).seenAt).toBe(isSign ? 7_000 : 0);
});

test('observe counts a Ready status after Unknown as new, even with an unchanged heartbeat', () => {
  const known = observe(undefined, node(ready('Unknown')), undefined, at(0));
  expect(observe(known, node(ready('True')), undefined, at(9)).seenAt).toBe(9_000);
});

test('lostConditions sets the conditions of a lost node to Unknown and keeps conditions of other writers', () => {
  const pressure = { type: 'DiskPressure', status: 'True', reason: 'r', message: 'm', lastHeartbeatTime: 'h', lastTransitionTime: 't' };
  const other = { type: 'Mine', status: 'True' };
  const conditions = lostConditions(node(pressure, other), at(60)) ?? [];
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
  expect(lostConditions(node(...conditions), at(90))).toBeUndefined();
});
