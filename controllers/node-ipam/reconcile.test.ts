import type { CoreV1Node } from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import { parseIpRange } from '../../shared/values/network/ip-address';
import { CidrSet } from '../runtime/cidr-set';
import type { Node } from '../runtime/nodes';
import { cidrSetMetrics } from './metrics';
import { NodeCidrs } from './node-cidrs';
import { reconcileNode, type NodeAction } from './reconcile';

const node = (name: string, podCIDRs: readonly string[] = [], uid = name): Node =>
  apiObject<CoreV1Node>({
    metadata: { name, uid },
    spec: podCIDRs.length === 0 ? {} : { podCIDR: podCIDRs[0] ?? '', podCIDRs: [...podCIDRs] },
  });
const assigned = (...podCIDRs: string[]): NodeAction => ({ type: 'assign', spec: { podCIDR: podCIDRs[0] ?? '', podCIDRs } });
const UNAVAILABLE = { type: 'unavailable' };
const unchanged = (...outside: string[]): NodeAction => ({ type: 'none', outside });

/** `ranges`: the cluster CIDRs, each with the prefix length of its blocks. */
function setUp(...ranges: readonly (readonly [string, number])[]) {
  const values = new Map<string, number>();
  const set = (name: string) => (value: number) => void values.set(name, value);
  const metrics = {
    counter:
      (name: string) =>
      (_: unknown, by = 1) =>
        void values.set(name, (values.get(name) ?? 0) + by),
    gauge: set,
    histogram: set,
    collectedGauge: () => () => undefined,
  };
  const sets = ranges.flatMap(([text, prefix]) => {
    const range = parseIpRange(text);
    return range === undefined ? [] : [new CidrSet(range, prefix)];
  });
  const nodeCidrs = new NodeCidrs(sets, cidrSetMetrics(metrics, sets));
  return { nodeCidrs, values, reconcile: (observed: Node) => reconcileNode(observed, nodeCidrs) };
}

describe('reconcileNode', () => {
  it('assigns a block of each cluster CIDR to a node without pod CIDRs', () => {
    const { reconcile } = setUp(['10.0.0.0/16', 24], ['fd00::/56', 64]);
    expect(reconcile(node('a'))).toEqual(assigned('10.0.0.0/24', 'fd00::/64'));
    expect(reconcile(node('b'))).toEqual(assigned('10.0.1.0/24', 'fd00:0:0:1::/64'));
  });

  it('assigns the same CIDRs again to a node that does not have them yet', () => {
    const { reconcile } = setUp(['10.0.0.0/16', 24]);
    expect(reconcile(node('a'))).toEqual(assigned('10.0.0.0/24'));
    expect(reconcile(node('a'))).toEqual(assigned('10.0.0.0/24'));
  });

  it('leaves a node with pod CIDRs as it is, and assigns them to no other node', () => {
    const { reconcile } = setUp(['10.0.0.0/23', 24], ['fd00::/63', 64]);
    expect(reconcile(node('a', ['10.0.0.0/24']))).toEqual(unchanged());
    expect(reconcile(node('b'))).toEqual(assigned('10.0.1.0/24', 'fd00::/64'));
  });

  it('takes nothing of the other family when one is exhausted', () => {
    const { reconcile, nodeCidrs } = setUp(['10.0.0.0/24', 24], ['fd00::/63', 64]);
    const ipv4Only = node('a', ['10.0.0.0/24']);
    reconcile(ipv4Only);
    // More often than there are blocks of IPv6.
    for (let attempt = 0; attempt < 3; attempt += 1) expect(reconcile(node('b'))).toEqual(UNAVAILABLE);
    expect(nodeCidrs.hasFree).toBe(false);
    nodeCidrs.release(ipv4Only);
    expect(reconcile(node('b'))).toEqual(assigned('10.0.0.0/24', 'fd00::/64'));
  });

  it('reports CIDRs of a node outside of the cluster CIDRs once', () => {
    const { reconcile } = setUp(['10.0.0.0/23', 24]);
    const outside = node('a', ['192.168.0.0/24', 'fd00::/64']);
    expect(reconcile(outside)).toEqual(unchanged('192.168.0.0/24', 'fd00::/64'));
    expect(reconcile(outside)).toEqual(unchanged());
  });

  it('releases reserved CIDRs when another client wrote others', () => {
    const { reconcile } = setUp(['10.0.0.0/23', 24]);
    reconcile(node('a'));
    reconcile(node('a', ['10.0.1.0/24']));
    expect(reconcile(node('b'))).toEqual(assigned('10.0.0.0/24'));
  });
});

describe('NodeCidrs', () => {
  it('does not release the CIDRs of a node when its predecessor of the same name is deleted', () => {
    const { reconcile, nodeCidrs } = setUp(['10.0.0.0/23', 24]);
    reconcile(node('a', ['10.0.0.0/24'], 'old'));
    expect(reconcile(node('a', [], 'new'))).toEqual(assigned('10.0.0.0/24'));
    nodeCidrs.release(node('a', [], 'old'));
    expect(reconcile(node('b'))).toEqual(assigned('10.0.1.0/24'));
    expect(reconcile(node('c'))).toEqual(UNAVAILABLE);
  });

  it('keeps a block that two nodes have until both are deleted', () => {
    const { reconcile, nodeCidrs } = setUp(['10.0.0.0/24', 24]);
    const a = node('a', ['10.0.0.0/24']);
    const b = node('b', ['10.0.0.0/24']);
    reconcile(a);
    reconcile(b);
    nodeCidrs.release(a);
    expect(reconcile(node('c'))).toEqual(UNAVAILABLE);
    nodeCidrs.release(b);
    expect(reconcile(node('c'))).toEqual(assigned('10.0.0.0/24'));
  });

  it('counts allocations and releases, and sets the usage', () => {
    const { reconcile, nodeCidrs, values } = setUp(['10.0.0.0/22', 24]);
    reconcile(node('a'));
    reconcile(node('b', ['10.0.2.0/23']));
    nodeCidrs.release(node('a'));
    expect(Object.fromEntries(values)).toEqual({
      node_ipam_controller_cirdset_max_cidrs: 4,
      node_ipam_controller_cidrset_usage_cidrs: 0.5,
      node_ipam_controller_cidrset_allocation_tries_per_request: 0,
      node_ipam_controller_cidrset_cidrs_allocations_total: 3,
      node_ipam_controller_cidrset_cidrs_releases_total: 1,
    });
  });
});
