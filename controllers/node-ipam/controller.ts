/**
 * Writes a free block of each cluster CIDR to `spec.podCIDR` and `spec.podCIDRs` of nodes that have none. Runs with
 * `--allocate-node-cidrs` only. Unlike upstream's RangeAllocator:
 *
 * - A node with CIDRs outside of the cluster CIDRs is logged and does not end the controller.
 * - A CIDR that two nodes have is free only after both have released it.
 * - A CIDR in a Service range is never free.
 * - The deletion of a node enqueues the node that has waited longest for a CIDR at once.
 */
import type { CoreV1Node } from '../../shared/api/types/generated/members';
import { ignoreNotFoundOrConflict, isConflict, isNotFound } from '../../shared/client/rest/api-error';
import type { Informer } from '../../shared/client/informer/informer';
import { resourceOf } from '../../shared/client/rest/resource';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import type { WorkQueue } from '../../shared/client/work-queue/work-queue';
import { CidrSet } from '../runtime/cidr-set';
import { waitForSync, type Controller, type ControllerContext, type NodeIpamSettings } from '../runtime/controller';
import { adoptExisting } from '../runtime/adopt-existing';
import { nodeReference, type Node } from '../runtime/nodes';
import { cidrSetMetrics } from './metrics';
import { NodeCidrs, podCidrsOf } from './node-cidrs';
import { reconcileNode } from './reconcile';

const NODES = resourceOf('core.v1.Node');
/** Nodes that receive their ranges at the same time. */
const CONCURRENCY = 8;

export const nodeIpamController: Controller = {
  name: 'nodeipam',
  aliases: ['node-ipam-controller', 'nodeipam-controller'],
  description: 'assigns pod CIDRs to nodes, with --allocate-node-cidrs',
  isOnByDefault: true,
  isEnabled: ({ nodeIpam }) => nodeIpam !== undefined,
  component: 'cidrAllocator',
  account: 'node-controller',
  async run(context) {
    const { nodeIpam } = context.settings;
    if (nodeIpam !== undefined) await new NodeIpam(context, nodeIpam).run();
  },
};

/** The part of the controller context that is used here. */
type NodeIpamContext = Pick<ControllerContext, 'client' | 'events' | 'informers' | 'logger' | 'metrics' | 'queue' | 'signal'>;

/** Runs once, for the time during which this process leads; the next time has a new instance. Exported for tests. */
export class NodeIpam {
  private readonly nodes: Informer<CoreV1Node>;
  private readonly queue: WorkQueue;
  private readonly nodeCidrs: NodeCidrs;
  /** Names of nodes for which no CIDR was free, in order of their first attempt. */
  private readonly waiting = new Set<string>();

  constructor(
    private readonly context: NodeIpamContext,
    { clusterCidrs, serviceRanges }: NodeIpamSettings,
  ) {
    this.nodes = context.informers.of(NODES);
    this.queue = context.queue({ name: 'cidrallocator_node' });
    const sets = clusterCidrs.map(({ range, nodePrefix }) => new CidrSet(range, nodePrefix));
    for (const set of sets) for (const range of serviceRanges) set.occupy(range);
    this.nodeCidrs = new NodeCidrs(sets, cidrSetMetrics(context.metrics, sets));
  }

  async run(): Promise<void> {
    const { logger, signal } = this.context;
    const removeHandler = this.nodes.handle({
      added: ({ name }) => this.queue.add(name),
      updated: (previous, node) => {
        const hadAndHasCidrs = podCidrsOf(previous).length > 0 && podCidrsOf(node).length > 0;
        if (previous.uid !== node.uid || !hadAndHasCidrs) this.queue.add(node.name);
      },
      deleted: (node) => this.release(node),
    });
    try {
      if (!(await waitForSync([this.nodes], signal))) return;
      await this.occupyAll();
      await runWorkers({ queue: this.queue, concurrency: CONCURRENCY, logger, signal, work: (name) => this.syncNode(name) });
    } finally {
      removeHandler();
    }
  }

  /**
   * Occupies the CIDRs of all nodes before any is allocated. Reads them from the API server, because the informer may
   * lag behind the previous leader.
   */
  private occupyAll(): Promise<void> {
    const { client, signal } = this.context;
    return adoptExisting({
      client,
      informer: this.nodes,
      signal,
      isSelected: (node) => podCidrsOf(node).length > 0,
      adopt: (nodes) => {
        for (const node of nodes) this.warnOutside(node, this.nodeCidrs.occupy(node));
      },
    });
  }

  private release(node: Node): void {
    this.waiting.delete(node.name);
    this.nodeCidrs.release(node);
    this.enqueueLongestWaiting();
  }

  /** Enqueues one waiting node if a block is free; the next one is enqueued when this one has its CIDRs. */
  private enqueueLongestWaiting(): void {
    const [longestWaiting] = this.waiting;
    if (longestWaiting !== undefined && this.nodeCidrs.hasFree) this.queue.add(longestWaiting);
  }

  /**
   * A node without a free block is requeued with back-off. A failed write is repeated with the same CIDRs, which the
   * node holds until it is deleted.
   */
  private async syncNode(name: string): Promise<WorkOutcome> {
    const node = this.nodes.get('', name);
    if (node === undefined) return DONE;
    const { client, signal } = this.context;
    const action = reconcileNode(node, this.nodeCidrs);
    switch (action.type) {
      case 'none':
        this.waiting.delete(name);
        this.warnOutside(node, action.outside);
        // The node may have been enqueued for a block, or have held one, that another node can have now.
        this.enqueueLongestWaiting();
        return DONE;
      case 'unavailable':
        this.waiting.add(name);
        this.recordStatus(node, 'CIDRNotAvailable');
        return { type: 'wait' };
      case 'assign':
        this.waiting.delete(name);
        this.enqueueLongestWaiting();
        try {
          await client.of(NODES).patch(name, 'merge', { metadata: { uid: node.uid }, spec: action.spec }, { signal });
        } catch (error) {
          if (!isNotFound(error) && !isConflict(error) && !signal.aborted) this.recordStatus(node, 'CIDRAssignmentFailed');
          ignoreNotFoundOrConflict(error);
        }
        return DONE;
    }
  }

  private warnOutside({ name }: Node, cidrs: readonly string[]): void {
    if (cidrs.length > 0) this.context.logger.warn('a node has pod CIDRs outside of the cluster CIDRs', { node: name, cidrs });
  }

  private recordStatus(node: Node, status: 'CIDRNotAvailable' | 'CIDRAssignmentFailed'): void {
    const message = `Node ${node.name} status is now: ${status}`;
    this.context.events.record({ about: nodeReference(node), type: 'Normal', reason: status, message });
  }
}
