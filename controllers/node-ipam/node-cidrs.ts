/**
 * The pod CIDRs of all nodes in memory: which node holds which block of the cluster CIDRs. A node holds its CIDRs until
 * it is deleted or has others, also while they are not yet written to it, so that a repeated write assigns the same ones.
 * CIDRs are held by the name of the node and compared by its uid: a node replaces its predecessor of the same name, and
 * the deletion of the predecessor does not release the CIDRs of its successor.
 */
import { appendAll } from '../../shared/values/append';
import { formatIpRange, parseIpRange, type IpRange } from '../../shared/values/network/ip-address';
import type { CidrSet } from '../runtime/cidr-set';
import type { Node } from '../runtime/nodes';
import type { CidrSetMetrics } from './metrics';

/** What one node holds. */
interface HeldCidrs {
  readonly uid: string;
  /** In canonical notation, or as written where the text is no range; in the order of the spec. */
  readonly cidrs: readonly string[];
  readonly blocks: readonly HeldBlock[];
}

/** A range that is occupied in one cluster CIDR, and is released as it was occupied. */
interface HeldBlock {
  readonly set: CidrSet;
  readonly range: IpRange;
}

/** The pod CIDRs, in the order of the spec; empty when the node has none. */
export function podCidrsOf({ body: { spec } }: Node): readonly string[] {
  if (spec?.podCIDRs !== undefined && spec.podCIDRs.length > 0) return spec.podCIDRs;
  return spec?.podCIDR === undefined || spec.podCIDR === '' ? [] : [spec.podCIDR];
}

/** Occupies and releases the blocks of nodes in the sets, and observes the changes in the metrics. */
export class NodeCidrs {
  /** By the name of the node. */
  private readonly heldByNode = new Map<string, HeldCidrs>();

  /** `sets`: one for each cluster CIDR, in the order in which nodes get their CIDRs. */
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
      const occupied = range === undefined ? [] : this.occupyRange(range);
      appendAll(blocks, occupied);
      if (occupied.length === 0) outside.push(text);
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
      // Unreachable: each set has a free block.
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

  /** Occupies the range in each cluster CIDR that overlaps with it. */
  private occupyRange(range: IpRange): readonly HeldBlock[] {
    return this.sets.filter((set) => this.change(set, () => set.occupy(range))).map((set) => ({ set, range }));
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
