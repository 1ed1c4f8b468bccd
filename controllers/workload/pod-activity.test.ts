import type { CoreV1Pod, CoreV1PodCondition } from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import { formatTimestamp } from '../../shared/api/metadata/object-meta';
import type { Pod } from '../../shared/client/rest/typed-objects';
import { deletionCostOf, sortForDeletion, isPodActive, isPodAvailable, msUntilAvailable } from './pod-activity';

const NOW = Date.UTC(2026, 0, 2);
const ago = (seconds: number): string => formatTimestamp(NOW - seconds * 1000);
const ready = (seconds: number): CoreV1PodCondition => ({ type: 'Ready', status: 'True', lastTransitionTime: ago(seconds) });

interface PodOptions {
  readonly node?: string;
  readonly phase?: string;
  /** Seconds. */
  readonly readyFor?: number;
  /** The annotation `pod-deletion-cost`. */
  readonly cost?: string;
  readonly restarts?: number;
  /** Seconds. */
  readonly age?: number;
}

function pod(name: string, { node = 'n', phase = 'Running', readyFor, cost, restarts = 0, age = 1000 }: PodOptions = {}): Pod {
  const annotations = cost === undefined ? {} : { 'controller.platform.io/pod-deletion-cost': cost };
  return apiObject<CoreV1Pod>({
    metadata: { namespace: 'n', name, uid: name, annotations, creationTimestamp: ago(age) },
    spec: node === '' ? {} : { nodeName: node },
    status: {
      phase,
      conditions: readyFor === undefined ? [] : [ready(readyFor)],
      containerStatuses: [{ name: 'c', restartCount: restarts }],
    },
  });
}

test.each<[string, Pod, Pod]>([
  ['a pod without a node', pod('b', { node: '' }), pod('a')],
  ['a pending pod', pod('b', { phase: 'Pending' }), pod('a', { phase: 'Unknown' })],
  ['a pod in the phase Unknown', pod('b', { phase: 'Unknown' }), pod('a')],
  ['a pod that is not ready', pod('b'), pod('a', { readyFor: 1 })],
  ['a pod with a lower pod-deletion-cost', pod('b', { readyFor: 9, cost: '-5' }), pod('a', { readyFor: 9 })],
  ['a pod that became ready later', pod('b', { readyFor: 10 }), pod('a', { readyFor: 100 })],
  ['a pod with more container restarts', pod('b', { readyFor: 9, restarts: 2 }), pod('a', { readyFor: 9, restarts: 1 })],
  ['a younger pod', pod('b', { age: 10 }), pod('a', { age: 100 })],
  [
    'the pod with the lower uid of two pods with ages of the same order of magnitude',
    pod('a', { readyFor: 1010, age: 1050 }),
    pod('b', { readyFor: 1000, age: 1000 }),
  ],
])('sortForDeletion puts %s first', (_, first, second) => {
  const names = (pods: readonly Pod[]): readonly string[] => sortForDeletion(pods, [], NOW).map(({ name }) => name);
  expect(names([second, first])).toEqual([first.name, second.name]);
  expect(names([first, second])).toEqual([first.name, second.name]);
});

test('sortForDeletion puts pods first that share their node with more related pods', () => {
  const a = pod('a', { node: 'one', readyFor: 1 });
  const b = pod('b', { node: 'two', readyFor: 1 });
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
])('deletionCostOf reads the annotation value %s as %d', (text, cost) => {
  expect(deletionCostOf(pod('p', { cost: text }))).toBe(cost);
});

test('isPodAvailable is true once a pod has been ready for minReadySeconds', () => {
  const readyPod = pod('p', { readyFor: 10 });
  expect(isPodAvailable(readyPod, 0, NOW)).toBe(true);
  expect(isPodAvailable(readyPod, 10, NOW)).toBe(true);
  expect(isPodAvailable(readyPod, 11, NOW)).toBe(false);
  expect(isPodAvailable(pod('q'), 0, NOW)).toBe(false);
});

test('msUntilAvailable returns the time until the next ready pod becomes available, and undefined when none does', () => {
  const readyPod = pod('p', { readyFor: 10 });
  expect(msUntilAvailable([readyPod, pod('q', { readyFor: 5 }), pod('r')], 12, NOW)).toBe(2_000);
  expect(msUntilAvailable([readyPod], 10, NOW)).toBeUndefined();
});

test.each([
  ['Running', true],
  ['Pending', true],
  ['Succeeded', false],
  ['Failed', false],
])('isPodActive for a pod in the phase %s returns %s', (phase, isActive) => {
  expect(isPodActive(pod('p', { phase }))).toBe(isActive);
});
