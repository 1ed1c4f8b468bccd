/**
 * Sets the conditions of unresponsive nodes to `Unknown`, taints nodes by their conditions, sets the Ready condition of
 * pods on nodes that are not ready to `False`, and maintains the deprecated node labels. The health of all nodes is
 * checked every monitor period. Nodes that must get a NoExecute taint are enqueued at the eviction rate of their zone.
 * Evicting the pods is left to the taint eviction controller. Unlike with upstream's controllers, no cloud provider is
 * asked whether a node exists.
 */
import type { CoordinationV1Lease, CoreV1Node, CoreV1Pod } from '../../shared/api/types/generated/members';
import { ignoreNotFound, isConflict } from '../../shared/client/rest/api-error';
import { keyOf } from '../../shared/client/rest/api-object';
import type { Informer } from '../../shared/client/informer/informer';
import { resourceOf } from '../../shared/client/rest/resource';
import { sleepUnlessAborted } from '../../shared/client/signals';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import type { WorkQueue } from '../../shared/client/work-queue/work-queue';
import { formatTimestamp } from '../../shared/api/metadata/object-meta';
import { conditionOf, conditionsOf, conditionsPatch, withCondition } from '../runtime/conditions';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { nodeReference, type Node } from '../runtime/nodes';
import { indexInformer, type ObjectIndex } from '../runtime/object-index';
import { isPodReady, nodeNameOf, podReference } from '../runtime/pods';
import type { Pod } from '../../shared/client/rest/typed-objects';
import { readyStatus } from './node-health';
import { NodeMonitor } from './node-monitor';

const NODES = resourceOf('core.v1.Node');
const PODS = resourceOf('core.v1.Pod');
const LEASES = resourceOf('coordination.v1.Lease');
/** Nodes synced at the same time. */
const CONCURRENCY = 8;
/** How often evictions are started while nodes wait for theirs. Milliseconds. */
const EVICTION_PERIOD_MS = 100;
/** Precedes the key of a pod in the queue; other items are names of nodes. */
const POD_PREFIX = 'pod:';
const NODE_INDEX = 'node';

export const nodeLifecycleController: Controller = {
  name: 'nodelifecycle',
  aliases: ['node-lifecycle-controller', 'nodelifecycle-controller'],
  description: 'marks unresponsive nodes as unreachable and taints nodes by their conditions',
  isOnByDefault: true,
  component: 'node-controller',
  account: 'node-controller',
  run: (context) => new NodeLifecycle(context).run(),
};

/**
 * Runs once, for the time during which this process leads; the next time has a new instance. Pods and nodes share one
 * queue.
 */
class NodeLifecycle {
  private readonly nodes: Informer<CoreV1Node>;
  private readonly pods: Informer<CoreV1Pod>;
  private readonly leases: Informer<CoordinationV1Lease>;
  private readonly queue: WorkQueue;
  private readonly monitor: NodeMonitor;
  /** Names of nodes that have become `Unknown`, until the pods on them are marked as not ready. */
  private readonly nodesWithReadyPods = new Set<string>();

  constructor(private readonly context: ControllerContext) {
    const { informers, names, clock, settings } = context;
    const { nodeLeaseNamespace, prefix } = names;
    this.nodes = informers.of(NODES);
    this.pods = informers.of(PODS);
    this.leases = informers.of(LEASES, { namespace: nodeLeaseNamespace });
    this.queue = context.queue({ name: 'node_lifecycle_controller' });
    this.monitor = new NodeMonitor({
      clock,
      settings: settings.nodes,
      prefix,
      leaseOf: (nodeName) => this.leases.get(nodeLeaseNamespace, nodeName),
    });
  }

  async run(): Promise<void> {
    const { logger, signal } = this.context;
    const podIndex = indexInformer(this.pods, { [NODE_INDEX]: (pod) => [nodeNameOf(pod)] });
    const removeHandlers = [podIndex.end, ...this.watch()];
    if (await waitForSync([this.nodes, this.pods, this.leases], signal)) {
      const work = (item: string): Promise<WorkOutcome> =>
        item.startsWith(POD_PREFIX)
          ? this.syncPod(this.pods.byKey(item.slice(POD_PREFIX.length)))
          : this.syncNode(this.nodes.get('', item), podIndex);
      await Promise.all([runWorkers({ queue: this.queue, concurrency: CONCURRENCY, logger, signal, work }), this.monitorPeriodically()]);
    }
    for (const removeHandler of removeHandlers) removeHandler();
  }

  private watch(): readonly (() => void)[] {
    return [
      this.nodes.handle({
        added: (node) => {
          this.recordNodeEvent(node, 'RegisteredNode', `event: Registered Node ${node.name} in Controller`);
          this.queue.add(node.name);
        },
        updated: (_, node) => this.queue.add(node.name),
        deleted: (node) => {
          this.recordNodeEvent(node, 'RemovingNode', `event: Removing Node ${node.name} from Controller`);
          this.monitor.forget(node.name);
          this.nodesWithReadyPods.delete(node.name);
        },
      }),
      this.pods.handle({
        added: (pod) => this.enqueueReadyPod(pod),
        updated: (previous, pod) => {
          if (nodeNameOf(previous) !== nodeNameOf(pod)) this.enqueueReadyPod(pod);
        },
      }),
    ];
  }

  /** A pod that was bound to a node that is not ready must not be ready. */
  private enqueueReadyPod(pod: Pod): void {
    if (nodeNameOf(pod) !== '' && isPodReady(pod)) this.queue.add(POD_PREFIX + keyOf(pod));
  }

  private async monitorPeriodically(): Promise<void> {
    const { clock, settings } = this.context;
    do {
      for (const name of this.monitor.monitorNodeHealth(this.nodes.list())) this.queue.add(name);
    } while (await this.startEvictionsUntil(clock.monotonic() + settings.nodes.periodMs));
  }

  /**
   * Only `monitorNodeHealth` adds evictions, so without pending ones this waits until `deadline`. False when the
   * controller ends.
   */
  private async startEvictionsUntil(deadline: number): Promise<boolean> {
    const { clock, signal } = this.context;
    const remaining = (): number => deadline - clock.monotonic();
    for (let remainingMs = remaining(); remainingMs > 0; remainingMs = remaining()) {
      const delayMs = this.monitor.hasPendingEvictions() ? Math.min(EVICTION_PERIOD_MS, remainingMs) : remainingMs;
      if (!(await sleepUnlessAborted(clock, delayMs, signal))) return false;
      for (const name of this.monitor.startDueEvictions()) this.queue.add(name);
    }
    return !signal.aborted;
  }

  private async syncNode(observed: Node | undefined, podIndex: ObjectIndex<CoreV1Pod>): Promise<WorkOutcome> {
    if (observed === undefined) return DONE;
    const { client, signal } = this.context;
    const { name } = observed;
    const conditions = this.monitor.unknownConditionsOf(observed);
    let node = observed;
    if (conditions !== undefined) {
      const wasReady = readyStatus(observed) === 'True';
      if (wasReady) this.nodesWithReadyPods.add(name);
      node = await client.of(NODES).patch(name, 'merge', conditionsPatch(observed, conditions), { subresource: 'status', signal });
      if (wasReady) this.recordNodeEvent(observed, 'NodeNotReady', 'status is now: NodeNotReady');
    }
    const patch = this.monitor.taintAndLabelPatch(node);
    if (patch !== undefined) await client.of(NODES).patch(name, 'merge', patch, { signal }).catch(ignoreNotFound);
    if (this.nodesWithReadyPods.has(name)) {
      for (const pod of podIndex.find(NODE_INDEX, name)) await this.markPodNotReady(pod);
      this.nodesWithReadyPods.delete(name);
    }
    return DONE;
  }

  private recordNodeEvent(node: Node, reason: string, text: string): void {
    const message = `Node ${node.name} ${text}`;
    this.context.events.record({ about: nodeReference(node), type: 'Normal', reason, message });
  }

  private async syncPod(pod: Pod | undefined): Promise<WorkOutcome> {
    const node = pod === undefined ? undefined : this.nodes.get('', nodeNameOf(pod));
    if (pod === undefined || node === undefined) return DONE;
    const status = readyStatus(node);
    if (status === 'False' || status === 'Unknown') await this.markPodNotReady(pod);
    return DONE;
  }

  private async markPodNotReady(pod: Pod): Promise<void> {
    const ready = conditionOf(pod.body, 'Ready');
    if (ready === undefined || !isPodReady(pod)) return;
    const { client, clock, events, signal } = this.context;
    const { namespace, name } = pod;
    const notReady = { ...ready, status: 'False', lastTransitionTime: formatTimestamp(clock.now()) };
    const patch = conditionsPatch(pod, withCondition(conditionsOf(pod.body), notReady));
    events.record({ about: podReference(pod), type: 'Warning', reason: 'NodeNotReady', message: 'Node is not ready' });
    await client
      .of(PODS)
      .namespace(namespace)
      .patch(name, 'merge', patch, { subresource: 'status', signal })
      .catch((error: unknown) => {
        if (isConflict(error)) this.queue.addRateLimited(POD_PREFIX + keyOf(pod));
        else ignoreNotFound(error);
      });
  }
}
