import { apiObject, type ApiObject } from '../../shared/client/rest/api-object';
import { timestamp } from '../../shared/api/metadata/object-meta';
import type { JsonObject } from '../../shared/values/json';
import { deletionCostOf, sortForDeletion, isPodActive, isPodAvailable, msUntilAvailable } from './pod-activity';

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
  ['a pod without a node', pod('b', { node: '' }), pod('a')],
  ['a pending pod', pod('b', { phase: 'Pending' }), pod('a', { phase: 'Unknown' })],
  ['a pod in the phase Unknown', pod('b', { phase: 'Unknown' }), pod('a')],
  ['a pod that is not ready', pod('b'), pod('a', { readyFor: 1 })],
  ['a pod with a lower pod-deletion-cost', pod('b', { readyFor: 9, cost: '-5' }), pod('a', { readyFor: 9 })],
  ['a pod that became ready later', pod('b', { readyFor: 10 }), pod('a', { readyFor: 100 })],
  ['a pod with more container restarts', pod('b', { readyFor: 9, restarts: 2 }), pod('a', { readyFor: 9, restarts: 1 })],
  ['a younger pod', pod('b', { age: 10 }), pod('a', { age: 100 })],
  [
    'the pod with the lower uid of two whose ages have the same order of magnitude',
    pod('a', { readyFor: 1010, age: 1050 }),
    pod('b', { readyFor: 1000, age: 1000 }),
  ],
])('inDeletionOrder puts %s first', (_, first, second) => {
  const names = (pods: readonly ApiObject[]): readonly string[] => sortForDeletion(pods, [], NOW).map(({ name }) => name);
  expect(names([second, first])).toEqual([first.name, second.name]);
  expect(names([first, second])).toEqual([first.name, second.name]);
});

test('inDeletionOrder puts pods first whose node has more related pods', () => {
  const [a, b] = [pod('a', { node: 'one', readyFor: 1 }), pod('b', { node: 'two', readyFor: 1 })];
  const related = [a, b, pod('c', { node: 'two' }), pod('d', { node: 'one', phase: 'Failed' })];
  expect(sortForDeletion([a, b], related, NOW).map(({ name }) => name)).toEqual(['b', 'a']);
});

test.each([
  ['7', 7],
  ['-7', -7],
  ['+7', 0],
  ['07', 0],
  ['2147483648', 0],
  ['x', 0],
])('deletionCost reads the annotation value %s as %d', (text, cost) => {
  expect(deletionCostOf(pod('p', { cost: text }))).toBe(cost);
});

test('isAvailable is true once a pod has been ready for minReadySeconds', () => {
  const one = pod('p', { readyFor: 10 });
  expect([
    isPodAvailable(one, 0, NOW),
    isPodAvailable(one, 10, NOW),
    isPodAvailable(one, 11, NOW),
    isPodAvailable(pod('q'), 0, NOW),
  ]).toEqual([true, true, false, false]);
  expect(msUntilAvailable([one, pod('q', { readyFor: 5 }), pod('r')], 12, NOW)).toBe(2_000);
  expect(msUntilAvailable([one], 10, NOW)).toBeUndefined();
});

test.each([
  ['Running', true],
  ['Pending', true],
  ['Succeeded', false],
  ['Failed', false],
])('isActive for a pod in the phase %s returns %s', (phase, counts) => {
  expect(isPodActive(pod('p', { phase }))).toBe(counts);
});
