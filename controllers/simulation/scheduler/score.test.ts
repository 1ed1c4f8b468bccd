import type { CoreV1Node, CoreV1PodSpec } from '../../../shared/api/types/generated/members';
import { parseApiObject } from '../../../shared/client/rest/api-object';
import { resourceOf } from '../../../shared/client/rest/resource';
import { NodeState } from './node-state';
import { podInfo, type PodInfo } from './pod-info';
import { selectNode } from './score';

const OWNER = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'web', controller: true };

const podOf = (name: string, spec: CoreV1PodSpec = {}, ownerReferences = [OWNER]): PodInfo =>
  podInfo(parseApiObject(resourceOf('core.v1.Pod'), { metadata: { namespace: 'n', name, ownerReferences }, spec }));

const requests = (cpu: string): CoreV1PodSpec => ({ containers: [{ name: 'c', resources: { requests: { cpu } } }] });

function nodeOf(name: string, pods: readonly PodInfo[] = [], body: CoreV1Node = {}): NodeState {
  const node = {
    metadata: { name, labels: {}, ...body.metadata },
    spec: body.spec ?? {},
    status: { allocatable: { cpu: '4', memory: '8Gi' } },
  };
  return new NodeState(parseApiObject(resourceOf('core.v1.Node'), node), pods);
}

const zone = (value: string): CoreV1Node => ({ metadata: { labels: { 'topology.platform.io/zone': value } } });
const select = (pod: PodInfo, ...nodes: readonly NodeState[]): string | undefined => selectNode(pod, nodes, 0)?.name;

describe('selectNode', () => {
  it('prefers the node with more free resources', () => {
    const other = [{ ...OWNER, uid: 'other' }];
    expect(select(podOf('p'), nodeOf('full', [podOf('a', requests('3'), other)]), nodeOf('half', [podOf('b', requests('2'), other)]))).toBe(
      'half',
    );
  });

  it('prefers the node with fewer pods of the same owner, although it has less free', () => {
    const crowded = nodeOf('crowded', [podOf('a'), podOf('b')]);
    expect(select(podOf('p'), crowded, nodeOf('busy', [podOf('c', requests('1'), [{ ...OWNER, uid: 'other' }])]))).toBe('busy');
  });

  it('prefers the zone with fewer pods of the same owner', () => {
    const nodes = [nodeOf('a1', [podOf('x')], zone('a')), nodeOf('a2', [], zone('a')), nodeOf('b1', [], zone('b'))];
    expect(select(podOf('p'), ...nodes)).toBe('b1');
  });

  it('follows preferred node affinity', () => {
    const preference = { matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }] };
    const affinity = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference }] } };
    expect(select(podOf('p', { affinity }), nodeOf('a'), nodeOf('b', [], { metadata: { labels: { disk: 'ssd' } } }))).toBe('b');
  });

  it('avoids a node with a PreferNoSchedule taint that the pod does not tolerate', () => {
    const tainted = nodeOf('a', [], { spec: { taints: [{ key: 'k', effect: 'PreferNoSchedule' }] } });
    expect(select(podOf('p'), tainted, nodeOf('b'))).toBe('b');
    expect(select(podOf('p', { tolerations: [{ operator: 'Exists' }] }), tainted, nodeOf('b'))).toBe('a');
  });

  it('selects one of equal nodes at random, and none of no nodes', () => {
    const nodes = [nodeOf('a'), nodeOf('b'), nodeOf('c')];
    expect([0, 0.5, 0.99].map((random) => selectNode(podOf('p'), nodes, random)?.name)).toEqual(['a', 'b', 'c']);
    expect(selectNode(podOf('p'), [], 0)).toBeUndefined();
  });
});
