/**
 * The pod CIDRs of all nodes in memory: which node holds which block of the cluster CIDRs. A node holds its CIDRs until
 * it is deleted or has others, also while they are not yet written to it, so that a repeated write assigns the same ones.
 * Nodes are identified by uid: the deletion of a node does not release the CIDRs of its successor with the same name.
 */
import { formatIpRange, parseIpRange, type IpRange } from '../../shared/values/network/ip-address';
import type { CidrSet } from '../runtime/cidr-set';
import type { Node } from '../runtime/nodes';
import type { CidrSetMetrics } from './metrics';

/** What one node holds. */
interface HeldCidrs {
  readonly uid: string;
  /** In canonical notation, in the order of the node. */
  readonly cidrs: readonly string[];
  readonly blocks: readonly HeldBlock[];
}

/** A range that is occupied in one cluster CIDR, and is released as it was occupied. */
interface HeldBlock {
  readonly set: CidrSet;
  readonly range: IpRange;
}

/** The pod CIDRs of the spec, in the order of the API; empty when the node has none. */
export function podCidrsOf({ body: { spec } }: Node): readonly string[] {
  if (spec?.podCIDRs !== undefined && spec.podCIDRs.length > 0) return spec.podCIDRs;
  return spec?.podCIDR === undefined || spec.podCIDR === '' ? [] : [spec.podCIDR];
}

/** One set for each cluster CIDR, in the order in which nodes get their CIDRs. */
export class NodeCidrs {
  private readonly heldByNode = new Map<string, HeldCidrs>();

  constructor(
    private readonly sets: readonly CidrSet[],
    private readonly metrics: CidrSetMetrics,
  ) {}

  /** Whether each cluster CIDR has a free block. */
  get hasFree(): boolean {
    return this.sets.every((set) => set.used < set.capacity);
  }

  /**
   * Holds the CIDRs that the node has, instead of others. Returns those outside of the cluster CIDRs; none when the node
   * holds these CIDRs already, so that each is reported once.
   */
  occupy(node: Node): readonly string[] {
    const written = podCidrsOf(node);
    const ranges = written.map((text) => [text, parseIpRange(text)] as const);
    const cidrs = ranges.map(([text, range]) => (range === undefined ? text : formatIpRange(range)));
    const held = this.heldByNode.get(node.name);
    if (held?.uid === node.uid && held.cidrs.join() === cidrs.join()) return [];
    if (held !== undefined) this.releaseBlocks(held);
    const blocks: HeldBlock[] = [];
    const outside: string[] = [];
    for (const [text, range] of ranges) {
      const overlapping = range === undefined ? [] : this.sets.filter((set) => this.change(set, () => set.occupy(range)));
      for (const set of overlapping) if (range !== undefined) blocks.push({ set, range });
      if (overlapping.length === 0) outside.push(text);
    }
    this.heldByNode.set(node.name, { uid: node.uid, cidrs, blocks });
    return outside;
  }

  /** The CIDRs that the node holds, or new ones, one of each cluster CIDR. `undefined` when one has no free block. */
  allocate({ name, uid }: Pick<Node, 'name' | 'uid'>): readonly string[] | undefined {
    const held = this.heldByNode.get(name);
    if (held?.uid === uid) return held.cidrs;
    if (held !== undefined) this.releaseBlocks(held);
    this.heldByNode.delete(name);
    if (!this.hasFree) return undefined;
    const blocks = this.sets.flatMap((set) => {
      const allocated = this.change(set, () => set.allocate());
      if (allocated === undefined) return [];
      this.metrics.observeTries(set, allocated.tries);
      return [{ set, range: allocated.block }];
    });
    const cidrs = blocks.map(({ range }) => formatIpRange(range));
    this.heldByNode.set(name, { uid, cidrs, blocks });
    return cidrs;
  }

  /** Call it for each deleted node. */
  release({ name, uid }: Pick<Node, 'name' | 'uid'>): void {
    const held = this.heldByNode.get(name);
    if (held?.uid !== uid) return;
    this.heldByNode.delete(name);
    this.releaseBlocks(held);
  }

  private releaseBlocks({ blocks }: HeldCidrs): void {
    for (const { set, range } of blocks) this.change(set, () => set.release(range));
  }

  /** Runs an action that changes the set, and observes the change in the metrics. */
  private change<T>(set: CidrSet, action: () => T): T {
    const previous = set.used;
    const result = action();
    this.metrics.observeChange(set, previous);
    return result;
  }
}
