import { apiObject, type ApiObject } from '../../shared/client/rest/api-object';
import { timestamp } from '../../shared/api/metadata/object-meta';
import type { JsonObject } from '../../shared/values/json';
import { deletionCost, inDeletionOrder, isActive, isAvailable, nextAvailable } from './activity';

const NOW = Date.UTC(2026, 0, 2);
const ago = (seconds: number): string => timestamp(NOW - seconds * 1000);
const ready = (seconds: number): JsonObject => ({ type: 'Ready', status: 'True', lastTransitionTime: ago(seconds) });

interface Wishes {
  readonly node?: string;
  readonly phase?: string;
  readonly readyFor?: number;
  readonly cost?: string;
  readonly restarts?: number;
  readonly age?: number;
}

function pod(name: string, { node = 'n', phase = 'Running', readyFor, cost, restarts = 0, age = 1000 }: Wishes = {}): ApiObject {
  const annotations = cost === undefined ? {} : { 'controller.platform.io/pod-deletion-cost': cost };
  return apiObject({
    metadata: { namespace: 'n', name, uid: name, annotations, creationTimestamp: ago(age) },
    spec: node === '' ? {} : { nodeName: node },
    status: {
      phase,
      conditions: readyFor === undefined ? [] : [ready(readyFor)],
      containerStatuses: [{ name: 'c', restartCount: restarts }],
    },
  });
}

test.each<[string, ApiObject, ApiObject]>([
  ['without a node', pod('b', { node: '' }), pod('a')],
  ['that wait', pod('b', { phase: 'Pending' }), pod('a', { phase: 'Unknown' })],
  ['of which nothing is known', pod('b', { phase: 'Unknown' }), pod('a')],
  ['that do not serve', pod('b'), pod('a', { readyFor: 1 })],
  ['that cost less', pod('b', { readyFor: 9, cost: '-5' }), pod('a', { readyFor: 9 })],
  ['that serve for a shorter time', pod('b', { readyFor: 10 }), pod('a', { readyFor: 100 })],
  ['that were started anew more often', pod('b', { readyFor: 9, restarts: 2 }), pod('a', { readyFor: 9, restarts: 1 })],
  ['that are younger', pod('b', { age: 10 }), pod('a', { age: 100 })],
  ['with the lesser uid, of one age', pod('a', { readyFor: 1010, age: 1050 }), pod('b', { readyFor: 1000, age: 1000 })],
])('pods %s go first', (_, first, second) => {
  const names = (pods: readonly ApiObject[]): readonly string[] => inDeletionOrder(pods, [], NOW).map(({ name }) => name);
  expect(names([second, first])).toEqual([first.name, second.name]);
  expect(names([first, second])).toEqual([first.name, second.name]);
});

test('nodes that have more of them are thinned out first', () => {
  const [a, b] = [pod('a', { node: 'one', readyFor: 1 }), pod('b', { node: 'two', readyFor: 1 })];
  const related = [a, b, pod('c', { node: 'two' }), pod('d', { node: 'one', phase: 'Failed' })];
  expect(inDeletionOrder([a, b], related, NOW).map(({ name }) => name)).toEqual(['b', 'a']);
});

test.each([
  ['7', 7],
  ['-7', -7],
  ['+7', 0],
  ['07', 0],
  ['2147483648', 0],
  ['x', 0],
])('a cost of %s counts as %d', (text, cost) => {
  expect(deletionCost(pod('p', { cost: text }))).toBe(cost);
});

test('a pod is available once it has been ready for as long as is asked', () => {
  const one = pod('p', { readyFor: 10 });
  expect([isAvailable(one, 0, NOW), isAvailable(one, 10, NOW), isAvailable(one, 11, NOW), isAvailable(pod('q'), 0, NOW)]).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(nextAvailable([one, pod('q', { readyFor: 5 }), pod('r')], 12, NOW)).toBe(2_000);
  expect(nextAvailable([one], 10, NOW)).toBeUndefined();
});

test.each([
  ['Running', true],
  ['Pending', true],
  ['Succeeded', false],
  ['Failed', false],
])('of a pod that is %s it is %s that it counts', (phase, counts) => {
  expect(isActive(pod('p', { phase }))).toBe(counts);
});
