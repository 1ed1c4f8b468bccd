/**
 * Decides what the node-ipam controller writes to a node. Changes the given {@link NodeCidrs}, which hold the allocated
 * blocks, and does no I/O: the controller sends the write.
 */
import type { CoreV1NodeSpec } from '../../shared/api/types/generated/members';
import type { Node } from '../runtime/nodes';
import { podCidrsOf, type NodeCidrs } from './node-cidrs';

/** What is written to a node. */
export type NodeAction =
  /** `outside`: CIDRs of the node that are in no cluster CIDR and were not reported before. */
  | { readonly type: 'none'; readonly outside: readonly string[] }
  | { readonly type: 'assign'; readonly spec: CoreV1NodeSpec }
  /** A cluster CIDR has no free block. */
  | { readonly type: 'unavailable' };

/** A node that has pod CIDRs keeps them, even if they are fewer than the cluster CIDRs. */
export function reconcileNode(node: Node, nodeCidrs: NodeCidrs): NodeAction {
  if (podCidrsOf(node).length > 0) return { type: 'none', outside: nodeCidrs.occupy(node) };
  const cidrs = nodeCidrs.allocate(node);
  const [first] = cidrs ?? [];
  if (cidrs === undefined || first === undefined) return { type: 'unavailable' };
  return { type: 'assign', spec: { podCIDR: first, podCIDRs: [...cidrs] } };
}
