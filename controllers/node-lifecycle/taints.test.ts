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
  ['a sound node', [condition('Ready', 'True')], []],
  ['one that says that it is not ready', FALSE, [scheduling('not-ready')]],
  ['one that is lost', [condition('Ready', 'Unknown')], [scheduling('unreachable')]],
  [
    'one under pressure',
    [
      condition('PIDPressure', 'True'),
      condition('MemoryPressure', 'True'),
      condition('DiskPressure', 'False'),
      condition('NetworkUnavailable', 'True'),
    ],
    [scheduling('pid-pressure'), scheduling('memory-pressure'), scheduling('network-unavailable')],
  ],
])('%s', (_, conditions, wanted) => expect(taints(node(conditions)) ?? []).toEqual(wanted));

test('one that takes no pods', () => expect(taints(node([], [], { unschedulable: true }))).toEqual([scheduling('unschedulable')]));

test.each<[string, Eviction, readonly JsonObject[], readonly JsonObject[] | undefined]>([
  ['pods are not taken before their turn', 'kept', [scheduling('not-ready')], undefined],
  ['then they are', 'begun', [scheduling('not-ready')], [scheduling('not-ready'), executing('not-ready')]],
  [
    'and go on to be, for another reason',
    'kept',
    [executing('unreachable'), scheduling('not-ready')],
    [scheduling('not-ready'), executing('not-ready')],
  ],
  ['unless nobody is heard of', 'none', [executing('not-ready'), scheduling('not-ready')], [scheduling('not-ready')]],
  ['taints of others stay where they are', 'kept', [MINE, scheduling('memory-pressure')], [MINE, scheduling('not-ready')]],
  ['the other spelling is as good', 'kept', [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }], undefined],
])('%s', (_, eviction, present, wanted) => expect(taints(node(FALSE, present), eviction)).toEqual(wanted));

test('a sound node loses what it has', () => {
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
])('older names of labels %j', (labels, wanted) =>
  expect(olderLabels(apiObject({ metadata: { name: 'n', labels } }), 'platform.io')).toEqual(wanted),
);
