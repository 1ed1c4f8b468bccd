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
/** An endpoint of the pod with this uid, on the node n. */
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

interface PodChangeCase {
  readonly title: string;
  /** `undefined` before the pod is created. */
  readonly previous: PodState | undefined;
  /** `undefined` after the pod is removed. */
  readonly current: PodState | undefined;
  readonly subject: string;
  readonly change: string;
}

test.each<PodChangeCase>([
  { title: 'a pod that is created', previous: undefined, current: {}, subject: 'pod web', change: 'created' },
  { title: 'a pod that is bound', previous: {}, current: { node: 'n' }, subject: 'pod web on n', change: 'bound' },
  {
    title: 'a pod that becomes ready',
    previous: { node: 'n' },
    current: { node: 'n', ready: 'True' },
    subject: 'pod web on n',
    change: 'Ready True',
  },
  {
    title: 'a pod that is no longer ready',
    previous: { node: 'n', ready: 'True' },
    current: { node: 'n' },
    subject: 'pod web on n',
    change: 'Ready False',
  },
  {
    title: 'a pod with a deletion timestamp',
    previous: { node: 'n' },
    current: { node: 'n', deleted: true },
    subject: 'pod web on n',
    change: 'deletion requested',
  },
  {
    title: 'a pod with another restart',
    previous: { node: 'n' },
    current: { node: 'n', restarts: 1 },
    subject: 'pod web on n',
    change: 'container restarted',
  },
  {
    title: 'a pod that is removed',
    previous: { node: 'n', deleted: true },
    current: undefined,
    subject: 'pod web on n',
    change: 'removed',
  },
])('podChanges describes $title without its generated name', ({ previous, current, subject, change }) => {
  expect(podChanges(previous && pod(previous), current && pod(current))).toEqual([{ subject, change }]);
});

test('sliceChanges returns the states of endpoints that differ, by the node of each', () => {
  const ready = { ready: true };
  const before = slice(endpoint('unchanged', ready), endpoint('changed', ready), endpoint('removed', ready));
  const after = slice(
    endpoint('unchanged', ready),
    endpoint('changed', { ready: false }),
    endpoint('terminating', { ready: false, serving: true, terminating: true }),
    // No change: new endpoints count as not ready before they are added.
    endpoint('starting', { ready: false }),
  );
  expect(sliceChanges(before, after).map(({ change }) => change)).toEqual(['not ready', 'terminating, serving', 'removed']);
  expect(new Set(sliceChanges(before, after).map(({ subject }) => subject))).toEqual(new Set(['endpoint web on n']));
});
