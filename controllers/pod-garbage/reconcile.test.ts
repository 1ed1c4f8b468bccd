import { apiObject, type ApiObject } from '../../shared/client/rest/api-object';
import type { JsonObject } from '../../shared/values/json';
import { failedStatus, isForced, MissingNodes, outOfService, overThreshold, unscheduled, withoutNode } from './reconcile';

const going: JsonObject = { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 30 };
const pod = (name: string, { node, status = {}, ...metadata }: JsonObject & { node?: string; status?: JsonObject } = {}): ApiObject =>
  apiObject({ metadata: { namespace: 'a', name, ...metadata }, spec: node === undefined ? {} : { nodeName: node }, status });
const names = (pods: readonly ApiObject[]): readonly string[] => pods.map(({ name }) => name);

test('overThreshold selects evicted pods first, then the oldest finished ones', () => {
  const finished = (name: string, day: number, reason = ''): ApiObject =>
    pod(name, { creationTimestamp: `2026-01-0${day}T00:00:00Z`, status: { phase: 'Failed', reason } });
  const pods = [
    finished('old', 1),
    finished('evicted', 9, 'Evicted'),
    finished('new', 3),
    finished('middle', 2),
    pod('runs', { status: { phase: 'Running' } }),
  ];
  expect(names(overThreshold(pods, 2))).toEqual(['evicted', 'old']);
  expect(overThreshold(pods, 4)).toEqual([]);
  expect(overThreshold(pods, 0)).toEqual([]);
});

test('unscheduled selects pods that are being deleted and have no node', () => {
  expect(names(unscheduled([pod('a', going), pod('b'), pod('c', { ...going, node: 'n' })]))).toEqual(['a']);
});

test('outOfService selects pods that are being deleted on a node with the out-of-service taint that is not ready', () => {
  const node = (name: string, key: string, ready: string): ApiObject =>
    apiObject({
      metadata: { name },
      spec: { taints: [{ key, effect: 'NoExecute' }] },
      status: { conditions: [{ type: 'Ready', status: ready }] },
    });
  const nodes = [
    node('off', 'node.kubernetes.io/out-of-service', 'Unknown'),
    node('ready', 'node.platform.io/out-of-service', 'True'),
    node('other', 'x', 'False'),
  ];
  const pods = nodes.flatMap(({ name }) => [pod(`${name}-going`, { ...going, node: name }), pod(`${name}-stays`, { node: name })]);
  expect(names(outOfService(pods, nodes))).toEqual(['off-going']);
});

test('MissingNodes lists a node that is missing for the whole period; withoutNode groups pods by missing node', () => {
  const pods = [pod('a', { node: 'x' }), pod('b', { node: 'y' }), pod('c', { node: 'x' }), pod('d')];
  const lost = withoutNode(pods, new Set(['y']));
  expect([...lost].map(([node, of]) => [node, names(of)])).toEqual([['x', ['a', 'c']]]);
  const missing = new MissingNodes();
  expect(missing.after(40, ['x'], 0)).toEqual([]);
  expect(missing.after(40, ['x', 'z'], 40)).toEqual(['x']);
  expect(missing.after(40, ['z'], 60)).toEqual([]);
  expect(missing.after(40, ['x', 'z'], 80)).toEqual(['z']);
});

test('failedStatus sets the phase Failed and the DisruptionTarget condition of an orphaned pod', () => {
  expect(failedStatus(pod('a', { status: { phase: 'Succeeded' } }), 'orphaned', 0)).toBeUndefined();
  expect(failedStatus(pod('a'), 'unscheduled', 0)).toEqual({ phase: 'Failed' });
  const said = { type: 'DisruptionTarget', status: 'True', reason: 'DeletionByPodGC', message: 'PodGC: node no longer exists' };
  const other = { type: 'Ready', status: 'True' };
  expect(failedStatus(pod('a', { status: { conditions: [other] } }), 'orphaned', 0)).toEqual({
    phase: 'Failed',
    conditions: [other, { ...said, lastTransitionTime: '1970-01-01T00:00:00Z' }],
  });
  const since = '2025-01-01T00:00:00Z';
  const known = { type: 'DisruptionTarget', status: 'True', reason: 'x', lastTransitionTime: since };
  expect(failedStatus(pod('a', { status: { conditions: [known] } }), 'orphaned', 0)).toMatchObject({
    conditions: [{ ...said, lastTransitionTime: since }],
  });
});

test('isForced is true for a pod that is being deleted with a grace period of zero', () => {
  expect([pod('a', { ...going, deletionGracePeriodSeconds: 0 }), pod('b', going), pod('c')].map(isForced)).toEqual([true, false, false]);
});
