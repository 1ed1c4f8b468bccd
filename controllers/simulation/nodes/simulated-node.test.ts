import { parseApiObject } from '../../../shared/client/rest/api-object';
import { resourceOf } from '../../../shared/client/rest/resource';
import type { CoreV1Node } from '../../../shared/api/types/generated/members';
import type { Node } from '../../runtime/nodes';
import { isSimulated, isStopped, newSimulatedNode, nextNodeStatus } from './simulated-node';

const NOW = Date.UTC(2026, 0, 1);
const capacity = { cpu: '8', pods: '110' };
const endpoint = { host: 'localhost', port: 1 };
const nodeOf = (body: CoreV1Node): Node =>
  parseApiObject(resourceOf('core.v1.Node'), { ...body, metadata: { uid: 'u', ...body.metadata } });
const template = { zones: ['a', 'b'], capacity };
const statusOf = (node: Node, now = NOW) => nextNodeStatus({ node, now, internalIp: '172.30.0.1', endpoint, capacity });

describe('newSimulatedNode', () => {
  it('labels nodes in the dialect of the server and assigns zones in turn', () => {
    const labels = [0, 1, 2].map((index) => newSimulatedNode('n', index, { ...template, dialect: 'kubernetes' }).metadata?.labels ?? {});
    expect(labels.map((each) => each['topology.kubernetes.io/zone'])).toEqual(['a', 'b', 'a']);
    expect(labels[0]).toMatchObject({ 'kubernetes.io/hostname': 'n', 'simulation.kubernetes.io/node': 'true' });
  });

  it('is recognised as simulated in both dialects', () => {
    for (const dialect of ['platform', 'kubernetes'] as const)
      expect(isSimulated(nodeOf(newSimulatedNode('n', 0, { ...template, dialect })))).toBe(true);
    expect(isSimulated(nodeOf({ metadata: { name: 'real' } }))).toBe(false);
  });
});

describe('nextNodeStatus', () => {
  const node = nodeOf({ metadata: { name: 'n' } });

  it('reports capacity, addresses, a Ready condition, and in nodeInfo that the node is simulated', () => {
    expect(statusOf(node)).toMatchObject({
      capacity,
      allocatable: capacity,
      addresses: [
        { type: 'InternalIP', address: '172.30.0.1' },
        { type: 'Hostname', address: 'localhost' },
      ],
      nodeInfo: { osImage: 'Simulated node', kubeletVersion: expect.stringMatching(/^v1\.31\.\d+\+simulated$/) },
    });
    expect(statusOf(node)?.conditions).toContainEqual(
      expect.objectContaining({ type: 'Ready', status: 'True', lastHeartbeatTime: '2026-01-01T00:00:00Z' }),
    );
  });

  it('keeps the capacity that a Node was created with', () => {
    const special = nodeOf({ metadata: { name: 'n' }, status: { capacity: { cpu: '1', 'example.com/gpu': '2' } } });
    expect(statusOf(special)?.allocatable).toEqual({ cpu: '1', 'example.com/gpu': '2' });
  });

  it('changes nothing within five minutes, and then renews the times of heartbeats', () => {
    const reported = nodeOf({ metadata: { name: 'n' }, status: statusOf(node) ?? {} });
    expect(statusOf(reported, NOW + 299_000)).toBeUndefined();
    const renewed = statusOf(reported, NOW + 300_000)?.conditions?.find(({ type }) => type === 'Ready');
    expect(renewed).toMatchObject({ lastHeartbeatTime: '2026-01-01T00:05:00Z', lastTransitionTime: '2026-01-01T00:00:00Z' });
  });

  it('restores a condition that the node lifecycle controller set to Unknown, and keeps those of others', () => {
    const conditions = [
      { type: 'NetworkUnavailable', status: 'False' },
      { type: 'Ready', status: 'Unknown', lastHeartbeatTime: '2026-01-01T00:00:00Z' },
    ];
    const status = statusOf(nodeOf({ metadata: { name: 'n' }, status: { ...statusOf(node), conditions } }));
    expect(status?.conditions).toContainEqual({ type: 'NetworkUnavailable', status: 'False' });
    expect(status?.conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'True' }));
  });
});

it('isStopped reads the heartbeat annotation in both dialects', () => {
  const stopped = (name: string): boolean => isStopped(nodeOf({ metadata: { name: 'n', annotations: { [name]: 'stopped' } } }));
  expect(stopped('simulation.platform.io/heartbeat')).toBe(true);
  expect(stopped('simulation.kubernetes.io/heartbeat')).toBe(true);
  expect(stopped('heartbeat')).toBe(false);
});
