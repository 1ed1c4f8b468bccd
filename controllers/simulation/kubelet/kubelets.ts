/**
 * The kubelets of all simulated nodes. A pod that is bound to a simulated node moves through its life cycle
 * (pod-life-cycle.ts): this module writes its statuses, allocates its addresses, and deletes it when it has stopped. A
 * pod enters the queue when it changes, when its node is added, stopped or resumed, and when its next change is due;
 * nothing is polled. The pods of a stopped node stay as they are.
 */
import type { CoreV1Node, CoreV1Pod } from '../../../shared/api/types/generated/members';
import type { Informer } from '../../../shared/client/informer/informer';
import { ignoreNotFoundOrConflict } from '../../../shared/client/rest/api-error';
import { isBeingDeleted, keyOf } from '../../../shared/client/rest/api-object';
import { resourceOf } from '../../../shared/client/rest/resource';
import type { Pod } from '../../../shared/client/rest/typed-objects';
import { DONE, runWorkers, type WorkOutcome } from '../../../shared/client/work-queue/workers';
import { parseIpRange } from '../../../shared/values/network/ip-address';
import { equalJson } from '../../../shared/values/json';
import type { ControllerContext } from '../../runtime/controller';
import type { Node } from '../../runtime/nodes';
import { indexInformer } from '../../runtime/object-index';
import { isPodTerminated, nodeNameOf, podReference } from '../../runtime/pods';
import { OwnedAddresses } from '../nodes/owned-addresses';
import { requireRange } from '../nodes/node-heartbeats';
import { isSimulated, isStopped } from '../nodes/simulated-node';
import { isRunning } from './container-state';
import { nextPodStep, type PodStep } from './pod-life-cycle';
import { podSettings } from './pod-settings';

export const PODS = resourceOf('core.v1.Pod');
/** Pods synced at the same time, over all nodes. */
const CONCURRENCY = 16;
const NODE_INDEX = 'node';

/** The part of the controller context that is used here. */
export type KubeletContext = Pick<ControllerContext, 'client' | 'clock' | 'signal' | 'logger' | 'queue' | 'events'>;

/** The informers, and where addresses come from. */
export interface SimulatedKubeletOptions {
  readonly nodes: Informer<CoreV1Node>;
  readonly pods: Informer<CoreV1Pod>;
  /** CIDR. The addresses of pods on nodes without a `podCIDR`. */
  readonly podRange: string;
  /** The address of a node; undefined when it has none. */
  readonly internalIpOf: (node: Node) => string | undefined;
}

/** Runs once, for the time during which this process leads (see program.ts). The next time has a new instance. */
export class Kubelets {
  /** The addresses of pods by the CIDR of their node. */
  private readonly pools = new Map<string, OwnedAddresses>();
  /** The pool of each pod with an address from one, by the uid of the pod. */
  private readonly poolOfPod = new Map<string, OwnedAddresses>();

  constructor(
    private readonly context: KubeletContext,
    private readonly options: SimulatedKubeletOptions,
  ) {}

  /** Resolves when the signal is aborted. The informers have synced before. */
  async run(): Promise<void> {
    const { signal, logger } = this.context;
    const { nodes, pods } = this.options;
    const queue = this.context.queue({ name: 'simulated_pods' });
    const podIndex = indexInformer(pods, { [NODE_INDEX]: (pod) => [nodeNameOf(pod)] });
    const enqueue = (pod: Pod): void => {
      if (nodeNameOf(pod) !== '') queue.add(keyOf(pod));
    };
    const enqueueNode = (node: Node): void => podIndex.find(NODE_INDEX, node.name).forEach(enqueue);
    const removeHandlers = [
      podIndex.end,
      pods.handle({ added: enqueue, updated: (_, pod) => enqueue(pod), deleted: ({ uid }) => this.releaseAddress(uid) }),
      nodes.handle({
        added: enqueueNode,
        updated: (previous, node) => {
          if (isStopped(previous) !== isStopped(node) || isSimulated(previous) !== isSimulated(node)) enqueueNode(node);
        },
      }),
    ];
    for (const pod of pods.list()) this.occupyAddress(pod);
    await runWorkers({ queue, concurrency: CONCURRENCY, logger, signal, work: (key) => this.syncPod(key) });
    for (const removeHandler of removeHandlers) removeHandler();
  }

  private async syncPod(key: string): Promise<WorkOutcome> {
    const { nodes, pods } = this.options;
    const pod = pods.byKey(key);
    const node = pod === undefined ? undefined : nodes.get('', nodeNameOf(pod));
    if (pod === undefined || node === undefined) return DONE;
    if (!isSimulated(node) || isStopped(node)) return DONE;
    if (isPodTerminated(pod)) this.releaseAddress(pod.uid);
    const now = this.context.clock.now();
    const { settings, problems } = podSettings(pod);
    const internalIp = this.options.internalIpOf(node);
    const hostIps = internalIp === undefined ? [] : [internalIp];
    const step = nextPodStep({ pod, settings, hostIps, podIps: this.podIps(pod, node, hostIps), now });
    // The first status sets the start time, so that each problem is reported once.
    if (pod.body.status?.startTime === undefined) for (const problem of problems) this.recordWarning(pod, 'InvalidSimulation', problem);
    await this.executeStep(pod, step);
    return step.dueAt === undefined ? DONE : { type: 'again', afterMs: Math.max(1, step.dueAt - now) };
  }

  /** Each write has a precondition; a conflict is ignored, because the change that caused it enqueues the pod. */
  private async executeStep(pod: Pod, { status, canBeDeleted }: PodStep): Promise<void> {
    const { client, signal } = this.context;
    const { namespace, name, uid, resourceVersion } = pod;
    if (!equalJson(status, pod.body.status)) {
      const patch = { metadata: { uid, resourceVersion }, status };
      const written = await client
        .of(PODS)
        .namespace(namespace)
        .patch(name, 'merge', patch, { subresource: 'status', signal })
        .catch(ignoreNotFoundOrConflict);
      if (written === undefined) return;
      this.recordChanges(pod, status);
    }
    if (!canBeDeleted) return;
    await client
      .of(PODS)
      .namespace(namespace)
      .delete(name, { gracePeriodSeconds: 0, preconditions: { uid }, signal })
      .catch(ignoreNotFoundOrConflict);
  }

  /** Records the Events of containers that were started, stopped, or wait for their next run. */
  private recordChanges(pod: Pod, status: PodStep['status']): void {
    const { events } = this.context;
    const before = pod.body.status?.containerStatuses ?? [];
    for (const container of status.containerStatuses ?? []) {
      const { name = '', restartCount } = container;
      const previous = before.find((candidate) => candidate.name === name);
      const about = { ...podReference(pod), fieldPath: `spec.containers{${name}}` };
      const wasRunning = previous !== undefined && isRunning(previous);
      const isNewRun = isRunning(container) && !(wasRunning && previous.restartCount === restartCount);
      if (isNewRun) {
        events.record({ about, type: 'Normal', reason: 'Started', message: `Started container ${name} (simulated)` });
      } else if (wasRunning && isBeingDeleted(pod)) {
        events.record({ about, type: 'Normal', reason: 'Killing', message: `Stopping container ${name} (simulated)` });
      } else if (container.state?.waiting?.reason === 'CrashLoopBackOff' && previous?.state?.waiting?.reason !== 'CrashLoopBackOff') {
        events.record({ about, type: 'Warning', reason: 'BackOff', message: container.state.waiting.message ?? '' });
      }
    }
  }

  private recordWarning(pod: Pod, reason: string, message: string): void {
    this.context.events.record({ about: podReference(pod), type: 'Warning', reason, message });
  }

  /**
   * The addresses of the pod: with `hostNetwork` those of its node, else the address of its status, else a new address.
   * Empty when no address is available. A pod that is being deleted or has terminated gets no new address either.
   */
  private podIps(pod: Pod, node: Node, hostIps: readonly string[]): readonly string[] {
    if (pod.body.spec?.hostNetwork === true) return hostIps;
    const present = pod.body.status?.podIP;
    if (present !== undefined) return [present];
    if (isBeingDeleted(pod) || isPodTerminated(pod)) return [];
    const pool = this.poolOf(node);
    const address = pool.allocate(pod.uid);
    if (address === undefined) return [];
    this.poolOfPod.set(pod.uid, pool);
    return [address];
  }

  /** Records the address of a pod that was started by an earlier process. */
  private occupyAddress(pod: Pod): void {
    const node = this.options.nodes.get('', nodeNameOf(pod));
    const address = pod.body.status?.podIP;
    const hasOwnAddress = !isPodTerminated(pod) && pod.body.spec?.hostNetwork !== true;
    if (node === undefined || address === undefined || !hasOwnAddress) return;
    const pool = this.poolOf(node);
    pool.occupy(pod.uid, address);
    this.poolOfPod.set(pod.uid, pool);
  }

  private releaseAddress(uid: string): void {
    this.poolOfPod.get(uid)?.release(uid);
    this.poolOfPod.delete(uid);
  }

  private poolOf({ body }: Node): OwnedAddresses {
    const { podCIDR = '' } = body.spec ?? {};
    const range = parseIpRange(podCIDR) === undefined ? this.options.podRange : podCIDR;
    const existing = this.pools.get(range);
    if (existing !== undefined) return existing;
    const pool = new OwnedAddresses(requireRange(range));
    this.pools.set(range, pool);
    return pool;
  }
}
