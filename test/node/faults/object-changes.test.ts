/** The changes that a timeline records between two states of a node, a pod or an EndpointSlice. */
import type { CoreV1Node, CoreV1Pod, DiscoveryV1Endpoint, DiscoveryV1EndpointSlice } from '../../../shared/api/types/generated/members';
import { apiObject } from '../../../shared/client/rest/api-object';
import type { Pod } from '../../../shared/client/rest/typed-objects';
import type { Node } from '../../../controllers/runtime/nodes';
import { nodeChanges, podChanges, sliceChanges, type EndpointSlice } from './object-changes';

const node = (ready: string, taints: readonly string[] = []): Node =>
  apiObject<CoreV1Node>({
    metadata: { name: 'n' },
    spec: { taints: taints.map((key) => ({ key, effect: 'NoExecute' })) },
    status: { conditions: [{ type: 'Ready', status: ready }] },
  });

interface PodState {
  readonly node?: string;
  readonly ready?: string;
  readonly deleted?: boolean;
  readonly restarts?: number;
}

const pod = ({ node: nodeName = '', ready = 'False', deleted = false, restarts = 0 }: PodState): Pod =>
  apiObject<CoreV1Pod>({
    metadata: { name: 'web-x7', labels: { app: 'web' }, ...(deleted ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}) },
    spec: { nodeName },
    status: {
      conditions: [{ type: 'Ready', status: ready }],
      containerStatuses: [{ name: 'web', restartCount: restarts }],
    },
  });

const slice = (...endpoints: readonly DiscoveryV1Endpoint[]): EndpointSlice =>
  apiObject<DiscoveryV1EndpointSlice>({
    metadata: { name: 'web-x', labels: { 'kubernetes.io/service-name': 'web' } },
    endpoints: [...endpoints],
  });
const endpoint = (uid: string, conditions: DiscoveryV1Endpoint['conditions']): DiscoveryV1Endpoint => ({
  targetRef: { uid },
  nodeName: 'n',
  ...(conditions === undefined ? {} : { conditions }),
});

test('nodeChanges returns the conditions with another status and the taints that were added and removed', () =>
  expect(nodeChanges(node('True', ['a', 'b']), node('Unknown', ['b', 'c']))).toEqual([
    { subject: 'node n', change: 'Ready Unknown' },
    { subject: 'node n', change: 'taint c:NoExecute' },
    { subject: 'node n', change: 'no taint a:NoExecute' },
  ]));

test('nodeChanges returns nothing for equal nodes', () => expect(nodeChanges(node('True', ['a']), node('True', ['a']))).toEqual([]));

test.each<[string, PodState | undefined, PodState | undefined, string, readonly string[]]>([
  ['a pod that is created', undefined, {}, 'pod web', ['created']],
  ['a pod that is bound', {}, { node: 'n' }, 'pod web on n', ['bound']],
  ['a pod that becomes ready', { node: 'n' }, { node: 'n', ready: 'True' }, 'pod web on n', ['Ready True']],
  ['a pod that is no longer ready', { node: 'n', ready: 'True' }, { node: 'n' }, 'pod web on n', ['Ready False']],
  ['a pod with a deletion timestamp', { node: 'n' }, { node: 'n', deleted: true }, 'pod web on n', ['deletion requested']],
  ['a pod with another restart', { node: 'n' }, { node: 'n', restarts: 1 }, 'pod web on n', ['container restarted']],
  ['a pod that is removed', { node: 'n', deleted: true }, undefined, 'pod web on n', ['removed']],
])('podChanges describes %s without its generated name', (_, previous, current, subject, changes) => {
  const state = (each: PodState | undefined): Pod | undefined => (each === undefined ? undefined : pod(each));
  expect(podChanges(state(previous), state(current))).toEqual(changes.map((change) => ({ subject, change })));
});

test('sliceChanges returns the states of endpoints that differ, by the node of each', () => {
  // The last one is new and not ready yet.
  const before = slice(endpoint('a', { ready: true }), endpoint('b', { ready: true }), endpoint('c', { ready: true }));
  const after = slice(
    endpoint('a', { ready: true }),
    endpoint('b', { ready: false }),
    endpoint('d', { ready: false, serving: true, terminating: true }),
    endpoint('e', { ready: false }),
  );
  expect(sliceChanges(before, after).map(({ change }) => change)).toEqual(['not ready', 'terminating, serving', 'removed']);
  expect(new Set(sliceChanges(before, after).map(({ subject }) => subject))).toEqual(new Set(['endpoint web on n']));
});
