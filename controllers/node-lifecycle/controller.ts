/**
 * Watches over nodes: those that give no sign of life are said to be lost and are tainted, their pods are said not to be ready, and by and by, not too many at a
 * time, their pods are made to leave. Never asks a node anything: leases and statuses are all it knows. Cloud providers are not asked whether a node still exists.
 */
import { isConflict, isNotFound } from '../../shared/client/rest/api-error';
import { keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import type { Informer } from '../../shared/client/informer/informer';
import type { ObjectStore } from '../../shared/client/informer/object-store';
import { resourceOf } from '../../shared/client/rest/resource';
import { pause } from '../../shared/client/signals';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import type { WorkQueue } from '../../shared/client/work-queue/work-queue';
import { timestamp } from '../../shared/api/metadata/object-meta';
import { conditionOf, conditionsOf, conditionsPatch, withCondition } from '../runtime/conditions';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { indexInformer } from '../runtime/object-index';
import { nodeReference } from '../runtime/nodes';
import { isPodReady, nodeNameOf, podReference } from '../runtime/pods';
import { readyStatus } from './health';
import { NodeMonitor } from './monitor';

const NODES = resourceOf('core.v1.Node');
const PODS = resourceOf('core.v1.Pod');
const LEASES = resourceOf('coordination.v1.Lease');
const CONCURRENCY = 8;
/** Turns to lose pods are given this often. Milliseconds. */
const TURN_MS = 100;
/** Before a pod's key, in the queue that pods share with nodes. */
const ON_NODE = 'pod:';

export const nodeLifecycleController: Controller = {
  name: 'nodelifecycle',
  aliases: ['node-lifecycle-controller', 'nodelifecycle-controller'],
  description: 'says of nodes that give no sign of life that they are lost, and taints them',
  isOnByDefault: true,
  component: 'node-controller',
  account: 'node-controller',
  run: (context) => new NodeLifecycle(context).run(),
};

class NodeLifecycle {
  private readonly nodes: Informer;
  private readonly pods: Informer;
  private readonly leases: Informer;
  private readonly queue: WorkQueue;
  private readonly monitor: NodeMonitor;
  /** Names of nodes whose pods must be said not to be ready. */
  private readonly unready = new Set<string>();

  constructor(private readonly context: ControllerContext) {
    const { informers, names, clock, settings } = context;
    this.nodes = informers.of(NODES);
    this.pods = informers.of(PODS);
    this.leases = informers.of(LEASES, { namespace: names.nodeLeaseNamespace });
    this.queue = context.queue({ name: 'node_lifecycle_controller' });
    const leaseOf = (node: string): ApiObject | undefined => this.leases.get(names.nodeLeaseNamespace, node);
    this.monitor = new NodeMonitor({ clock, settings: settings.nodes, prefix: names.prefix, leaseOf });
  }

  async run(): Promise<void> {
    const { logger, signal } = this.context;
    const { store, end } = indexInformer(this.pods, { node: (pod) => [nodeNameOf(pod)] });
    const unhandle = [end, ...this.follow()];
    if (await waitForSync([this.nodes, this.pods, this.leases], signal)) {
      const work = (item: string): Promise<WorkOutcome> =>
        item.startsWith(ON_NODE)
          ? this.syncPod(this.pods.byKey(item.slice(ON_NODE.length)))
          : this.syncNode(this.nodes.get('', item), store);
      await Promise.all([runWorkers({ queue: this.queue, concurrency: CONCURRENCY, logger, signal, work }), this.look()]);
    }
    for (const remove of unhandle) remove();
  }

  private follow(): readonly (() => void)[] {
    const tell = (node: ApiObject, reason: string, what: string): void => {
      const message = `Node ${node.name} event: ${what}`;
      this.context.events.record({ about: nodeReference(node), type: 'Normal', reason, message });
    };
    return [
      this.nodes.handle({
        added: (node) => {
          tell(node, 'RegisteredNode', `Registered Node ${node.name} in Controller`);
          this.queue.add(node.name);
        },
        updated: (_, node) => this.queue.add(node.name),
        deleted: (node) => {
          tell(node, 'RemovingNode', `Removing Node ${node.name} from Controller`);
          this.monitor.forget(node.name);
          this.unready.delete(node.name);
        },
      }),
      this.pods.handle({
        added: (pod) => this.arrived(pod),
        updated: (then, pod) => {
          if (nodeNameOf(then) !== nodeNameOf(pod)) this.arrived(pod);
        },
      }),
    ];
  }

  /** A pod that comes to a node that is lost may still say that it is ready. */
  private arrived(pod: ApiObject): void {
    if (nodeNameOf(pod) !== '' && isPodReady(pod)) this.queue.add(ON_NODE + keyOf(pod));
  }

  private async look(): Promise<void> {
    const { clock, settings } = this.context;
    do {
      for (const name of this.monitor.look(this.nodes.list())) this.queue.add(name);
    } while (await this.giveTurns(clock.monotonic() + settings.nodes.periodMs));
  }

  /** Until then; only a look makes nodes wait for their turns. False when all ends. */
  private async giveTurns(until: number): Promise<boolean> {
    const { clock, signal } = this.context;
    for (let left = until - clock.monotonic(); left > 0; left = until - clock.monotonic()) {
      if (!(await pause(clock, this.monitor.isAnyoneWaiting() ? Math.min(TURN_MS, left) : left, signal))) return false;
      for (const name of this.monitor.takeTurns()) this.queue.add(name);
    }
    return !signal.aborted;
  }

  private async syncNode(found: ApiObject | undefined, pods: ObjectStore): Promise<WorkOutcome> {
    if (found === undefined) return DONE;
    const { client, signal } = this.context;
    const { name } = found;
    const conditions = this.monitor.conditionsFor(found);
    let node = found;
    if (conditions !== undefined) {
      if (readyStatus(found) === 'True') this.unready.add(name);
      const place = { name, subresource: 'status' };
      node = await client.patch(NODES, place, 'merge', conditionsPatch(found, conditions), { signal });
      if (readyStatus(found) === 'True') this.tellUnready(found);
    }
    const change = this.monitor.changeOf(node);
    if (change !== undefined) await client.patch(NODES, { name }, 'merge', change, { signal }).catch(unlessGone);
    if (this.unready.has(name)) {
      for (const pod of pods.byIndex('node', name)) await this.markUnready(pod);
      this.unready.delete(name);
    }
    return DONE;
  }

  private tellUnready(node: ApiObject): void {
    const message = `Node ${node.name} status is now: NodeNotReady`;
    this.context.events.record({ about: nodeReference(node), type: 'Normal', reason: 'NodeNotReady', message });
  }

  private async syncPod(pod: ApiObject | undefined): Promise<WorkOutcome> {
    const node = pod === undefined ? undefined : this.nodes.get('', nodeNameOf(pod));
    if (pod === undefined || node === undefined) return DONE;
    const status = readyStatus(node);
    if (status === 'False' || status === 'Unknown') await this.markUnready(pod);
    return DONE;
  }

  private async markUnready(pod: ApiObject): Promise<void> {
    const ready = conditionOf(pod.body, 'Ready');
    if (ready === undefined || !isPodReady(pod)) return;
    const { client, clock, events, signal } = this.context;
    const made = { ...ready, status: 'False', lastTransitionTime: timestamp(clock.now()) };
    const place = { namespace: pod.namespace, name: pod.name, subresource: 'status' };
    const patch = conditionsPatch(pod, withCondition(conditionsOf(pod.body), made));
    events.record({ about: podReference(pod), type: 'Warning', reason: 'NodeNotReady', message: 'Node is not ready' });
    await client.patch(PODS, place, 'merge', patch, { signal }).catch((error: unknown) => {
      if (isConflict(error)) this.queue.addRateLimited(ON_NODE + keyOf(pod));
      else unlessGone(error);
    });
  }
}

/** What is gone is told by its own event. */
function unlessGone(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
