import type { CoreV1Node, CoreV1Pod, CoreV1PodStatus, MetaV1ObjectMeta } from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import type { Node } from '../runtime/nodes';
import type { Pod } from '../../shared/client/rest/typed-objects';
import {
  failedPodStatus,
  isForceDeleted,
  MissingNodes,
  podsByMissingNode,
  podsOnOutOfServiceNodes,
  terminatedPodsBeyondThreshold,
  unscheduledTerminatingPods,
} from './reconcile';

const terminating = { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 30 };

interface PodOptions extends MetaV1ObjectMeta {
  node?: string;
  status?: CoreV1PodStatus;
}

const pod = (name: string, { node, status = {}, ...metadata }: PodOptions = {}): Pod =>
  apiObject<CoreV1Pod>({ metadata: { namespace: 'a', name, ...metadata }, spec: node === undefined ? {} : { nodeName: node }, status });
const names = (pods: readonly Pod[]): readonly string[] => pods.map(({ name }) => name);

test('terminatedPodsBeyondThreshold selects evicted pods first, then the oldest; none up to the threshold or when it is 0', () => {
  const failed = (name: string, day: number, reason = ''): Pod =>
    pod(name, { creationTimestamp: `2026-01-0${day}T00:00:00Z`, status: { phase: 'Failed', reason } });
  const pods = [
    failed('old', 1),
    failed('evicted', 9, 'Evicted'),
    failed('new', 3),
    failed('middle', 2),
    pod('runs', { status: { phase: 'Running' } }),
  ];
  expect(names(terminatedPodsBeyondThreshold(pods, 2))).toEqual(['evicted', 'old']);
  expect(terminatedPodsBeyondThreshold(pods, 4)).toEqual([]);
  expect(terminatedPodsBeyondThreshold(pods, 0)).toEqual([]);
});

test('unscheduledTerminatingPods selects pods that are being deleted and have no node', () => {
  expect(names(unscheduledTerminatingPods([pod('a', terminating), pod('b'), pod('c', { ...terminating, node: 'n' })]))).toEqual(['a']);
});

test('podsOnOutOfServiceNodes selects pods that are being deleted on a node with the out-of-service taint that is not ready', () => {
  const node = (name: string, key: string, ready: string): Node =>
    apiObject<CoreV1Node>({
      metadata: { name },
      spec: { taints: [{ key, effect: 'NoExecute' }] },
      status: { conditions: [{ type: 'Ready', status: ready }] },
    });
  // The taint counts in both spellings; the second node has it too, but is ready.
  const nodes = [
    node('off', 'node.kubernetes.io/out-of-service', 'Unknown'),
    node('ready', 'node.platform.io/out-of-service', 'True'),
    node('other', 'x', 'False'),
  ];
  const pods = nodes.flatMap(({ name }) => [
    pod(`${name}-terminating`, { ...terminating, node: name }),
    pod(`${name}-stays`, { node: name }),
  ]);
  expect(names(podsOnOutOfServiceNodes(pods, nodes))).toEqual(['off-terminating']);
});

test('podsByMissingNode groups scheduled pods by their missing node', () => {
  const pods = [pod('a', { node: 'x' }), pod('b', { node: 'y' }), pod('c', { node: 'x' }), pod('d')];
  const existingNodes = new Set(['y']);
  const orphaned = podsByMissingNode(pods, existingNodes);
  expect([...orphaned].map(([node, podsOfNode]) => [node, names(podsOfNode)])).toEqual([['x', ['a', 'c']]]);
});

test('MissingNodes returns the nodes that have been missing for the whole period without interruption', () => {
  const missing = new MissingNodes();
  expect(missing.missingFor(40, ['x'], 0)).toEqual([]);
  expect(missing.missingFor(40, ['x', 'z'], 40)).toEqual(['x']);
  expect(missing.missingFor(40, ['z'], 60)).toEqual([]);
  expect(missing.missingFor(40, ['x', 'z'], 80)).toEqual(['z']);
});

test('failedPodStatus sets the phase Failed of a pod that has not terminated, and DisruptionTarget of an orphaned one', () => {
  expect(failedPodStatus(pod('a', { status: { phase: 'Succeeded' } }), 'orphaned', 0)).toBeUndefined();
  expect(failedPodStatus(pod('a'), 'unscheduled', 0)).toEqual({ phase: 'Failed' });
  const disruptionTarget = { type: 'DisruptionTarget', status: 'True', reason: 'DeletionByPodGC', message: 'PodGC: node no longer exists' };
  const other = { type: 'Ready', status: 'True' };
  expect(failedPodStatus(pod('a', { status: { conditions: [other] } }), 'orphaned', 0)).toEqual({
    phase: 'Failed',
    conditions: [other, { ...disruptionTarget, lastTransitionTime: '1970-01-01T00:00:00Z' }],
  });
  const since = '2025-01-01T00:00:00Z';
  const previous = { type: 'DisruptionTarget', status: 'True', reason: 'x', lastTransitionTime: since };
  expect(failedPodStatus(pod('a', { status: { conditions: [previous] } }), 'orphaned', 0)).toMatchObject({
    conditions: [{ ...disruptionTarget, lastTransitionTime: since }],
  });
});

test('isForceDeleted is true for a pod that is being deleted with a grace period of zero', () => {
  expect(isForceDeleted(pod('a', { ...terminating, deletionGracePeriodSeconds: 0 }))).toBe(true);
  expect(isForceDeleted(pod('b', terminating))).toBe(false);
  expect(isForceDeleted(pod('c'))).toBe(false);
});
