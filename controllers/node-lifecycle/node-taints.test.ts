import { apiObject, type ApiObject } from '../../shared/client/rest/api-object';
import type { JsonObject } from '../../shared/values/json';
import { olderLabels } from './labels';
import { taintsFor, type Eviction } from './taints';

const NOW = Date.UTC(2026, 0, 1);
const timeAdded = '2026-01-01T00:00:00Z';
const condition = (type: string, status: string): JsonObject => ({ type, status });
const node = (conditions: readonly JsonObject[], taints: readonly JsonObject[] = [], spec: JsonObject = {}): ApiObject =>
  apiObject({ metadata: { name: 'n' }, spec: { taints: [...taints], ...spec }, status: { conditions: [...conditions] } });
const taints = (found: ApiObject, eviction: Eviction = 'kept') => taintsFor(found, { eviction, prefix: 'platform.io', now: NOW });
const scheduling = (name: string): JsonObject => ({ key: `node.platform.io/${name}`, effect: 'NoSchedule', timeAdded });
const executing = (name: string): JsonObject => ({ key: `node.platform.io/${name}`, effect: 'NoExecute', timeAdded });
const FALSE = [condition('Ready', 'False')];
const MINE = { key: 'mine', value: 'x', effect: 'NoExecute' };

test.each<[string, readonly JsonObject[], readonly JsonObject[]]>([
  ['adds no taint to a ready node', [condition('Ready', 'True')], []],
  ['adds not-ready to a node whose Ready condition is False', FALSE, [scheduling('not-ready')]],
  ['adds unreachable to a node whose Ready condition is Unknown', [condition('Ready', 'Unknown')], [scheduling('unreachable')]],
  [
    'adds a NoSchedule taint for each pressure condition that is True',
    [
      condition('PIDPressure', 'True'),
      condition('MemoryPressure', 'True'),
      condition('DiskPressure', 'False'),
      condition('NetworkUnavailable', 'True'),
    ],
    [scheduling('pid-pressure'), scheduling('memory-pressure'), scheduling('network-unavailable')],
  ],
])('taintsFor %s', (_, conditions, wanted) => expect(taints(node(conditions)) ?? []).toEqual(wanted));

test('taintsFor adds the unschedulable taint to an unschedulable node', () =>
  expect(taints(node([], [], { unschedulable: true }))).toEqual([scheduling('unschedulable')]));

test.each<[string, Eviction, readonly JsonObject[], readonly JsonObject[] | undefined]>([
  ['adds no NoExecute taint before the eviction from the node starts', 'kept', [scheduling('not-ready')], undefined],
  [
    'adds a NoExecute taint when the eviction starts',
    'begun',
    [scheduling('not-ready')],
    [scheduling('not-ready'), executing('not-ready')],
  ],
  [
    'replaces a NoExecute taint when the reason changes',
    'kept',
    [executing('unreachable'), scheduling('not-ready')],
    [scheduling('not-ready'), executing('not-ready')],
  ],
  [
    'removes the NoExecute taint while all zones are lost',
    'none',
    [executing('not-ready'), scheduling('not-ready')],
    [scheduling('not-ready')],
  ],
  ['keeps other taints in place', 'kept', [MINE, scheduling('memory-pressure')], [MINE, scheduling('not-ready')]],
  ['accepts a taint in the other spelling', 'kept', [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }], undefined],
])('taintsFor a node that is not ready %s', (_, eviction, present, wanted) =>
  expect(taints(node(FALSE, present), eviction)).toEqual(wanted),
);

test('taintsFor a ready node removes all taints of the controller and keeps the others', () => {
  const present = [MINE, executing('not-ready'), scheduling('unreachable'), { key: 'node.platform.io/mine', effect: 'NoSchedule' }];
  expect(taints(node([condition('Ready', 'True')], present), 'begun')).toEqual([
    MINE,
    { key: 'node.platform.io/mine', effect: 'NoSchedule' },
  ]);
});

test.each<[JsonObject, JsonObject | undefined]>([
  [{}, undefined],
  [{ 'platform.io/os': 'linux' }, { 'beta.platform.io/os': 'linux' }],
  [{ 'kubernetes.io/os': 'linux', 'beta.platform.io/os': 'windows' }, { 'beta.platform.io/os': 'linux' }],
  [
    { 'kubernetes.io/os': 'linux', 'beta.kubernetes.io/os': 'windows' },
    { 'beta.platform.io/os': 'linux', 'beta.kubernetes.io/os': null },
  ],
  [{ 'platform.io/arch': 'amd64', 'beta.platform.io/arch': 'amd64', 'beta.platform.io/os': 'linux' }, undefined],
])('olderLabels for the labels %j returns the beta labels %j', (labels, wanted) =>
  expect(olderLabels(apiObject({ metadata: { name: 'n', labels } }), 'platform.io')).toEqual(wanted),
);
