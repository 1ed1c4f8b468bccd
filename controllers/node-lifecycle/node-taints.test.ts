import type { CoreV1Node, CoreV1NodeCondition, CoreV1NodeSpec, CoreV1Taint } from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import type { Node } from '../runtime/nodes';
import { reconcileTaints, type Eviction } from './node-taints';

const NOW = Date.UTC(2026, 0, 1);
const timeAdded = '2026-01-01T00:00:00Z';
const condition = (type: string, status: string): CoreV1NodeCondition => ({ type, status });
const node = (conditions: readonly CoreV1NodeCondition[], taints: readonly CoreV1Taint[] = [], spec: CoreV1NodeSpec = {}): Node =>
  apiObject<CoreV1Node>({ metadata: { name: 'n' }, spec: { taints: [...taints], ...spec }, status: { conditions: [...conditions] } });
const taints = (observed: Node, eviction: Eviction = 'unchanged') =>
  reconcileTaints(observed, { eviction, prefix: 'platform.io', now: NOW });
const noSchedule = (name: string): CoreV1Taint => ({ key: `node.platform.io/${name}`, effect: 'NoSchedule', timeAdded });
const noExecute = (name: string): CoreV1Taint => ({ key: `node.platform.io/${name}`, effect: 'NoExecute', timeAdded });
const NOT_READY = [condition('Ready', 'False')];
const OTHER_TAINT = { key: 'mine', value: 'x', effect: 'NoExecute' };

test.each<[string, readonly CoreV1NodeCondition[], readonly CoreV1Taint[]]>([
  ['adds no taint to a ready node', [condition('Ready', 'True')], []],
  ['adds not-ready to a node whose Ready condition is False', NOT_READY, [noSchedule('not-ready')]],
  ['adds unreachable to a node whose Ready condition is Unknown', [condition('Ready', 'Unknown')], [noSchedule('unreachable')]],
  [
    'adds a NoSchedule taint for each pressure condition that is True',
    [
      condition('PIDPressure', 'True'),
      condition('MemoryPressure', 'True'),
      condition('DiskPressure', 'False'),
      condition('NetworkUnavailable', 'True'),
    ],
    [noSchedule('pid-pressure'), noSchedule('memory-pressure'), noSchedule('network-unavailable')],
  ],
])('reconcileTaints %s', (_, conditions, desired) => expect(taints(node(conditions)) ?? []).toEqual(desired));

test('reconcileTaints adds the unschedulable taint to an unschedulable node', () =>
  expect(taints(node([], [], { unschedulable: true }))).toEqual([noSchedule('unschedulable')]));

test.each<[string, Eviction, readonly CoreV1Taint[], readonly CoreV1Taint[] | undefined]>([
  ['adds no NoExecute taint before the eviction from the node starts', 'unchanged', [noSchedule('not-ready')], undefined],
  [
    'adds a NoExecute taint when the eviction starts',
    'in-progress',
    [noSchedule('not-ready')],
    [noSchedule('not-ready'), noExecute('not-ready')],
  ],
  [
    'replaces a NoExecute taint when the reason changes',
    'unchanged',
    [noExecute('unreachable'), noSchedule('not-ready')],
    [noSchedule('not-ready'), noExecute('not-ready')],
  ],
  [
    'removes the NoExecute taint while all zones are disrupted',
    'none',
    [noExecute('not-ready'), noSchedule('not-ready')],
    [noSchedule('not-ready')],
  ],
  ['keeps other taints in place', 'unchanged', [OTHER_TAINT, noSchedule('memory-pressure')], [OTHER_TAINT, noSchedule('not-ready')]],
  ['accepts a taint in the other spelling', 'unchanged', [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }], undefined],
])('reconcileTaints of a node that is not ready %s', (_, eviction, present, desired) =>
  expect(taints(node(NOT_READY, present), eviction)).toEqual(desired),
);

test('reconcileTaints of a ready node removes all taints of the controller and keeps the others', () => {
  const present = [OTHER_TAINT, noExecute('not-ready'), noSchedule('unreachable'), { key: 'node.platform.io/mine', effect: 'NoSchedule' }];
  expect(taints(node([condition('Ready', 'True')], present), 'in-progress')).toEqual([
    OTHER_TAINT,
    { key: 'node.platform.io/mine', effect: 'NoSchedule' },
  ]);
});
