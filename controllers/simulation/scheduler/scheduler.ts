/**
 * The scheduler of the simulation: binds pods with the scheduler name `default-scheduler` to nodes, simulated or not. Takes
 * one decision at a time on its own view of the cluster (scheduler-cache.ts); the writes run beside it, a bounded number at
 * once. While a real scheduler holds its Lease, this one makes no decisions.
 */
import type {
  CoreV1Node,
  CoreV1PersistentVolume,
  CoreV1PersistentVolumeClaim,
  CoreV1Pod,
  PolicyV1PodDisruptionBudget,
  StorageV1StorageClass,
} from '../../../shared/api/types/generated/members';
import type { Informer } from '../../../shared/client/informer/informer';
import { isConflict, isNotFound } from '../../../shared/client/rest/api-error';
import { isBeingDeleted, keyOf } from '../../../shared/client/rest/api-object';
import { metadataOf, resourceOf, type PartialObjectMetadata } from '../../../shared/client/rest/resource';
import type { Pod } from '../../../shared/client/rest/typed-objects';
import { yieldToEventLoop } from '../../../shared/scheduling/yielding';
import { equalJson } from '../../../shared/values/json';
import { waitForSync, type ControllerContext } from '../../runtime/controller';
import type { Node } from '../../runtime/nodes';
import { isPodTerminated, labelsOf, nodeNameOf } from '../../runtime/pods';
import { SchedulerCache } from './scheduler-cache';
import { decideNode, type SchedulingDecision } from './decide';
import { DecisionWriter } from './decision-writer';
import { podInfo, type PodInfo } from './pod-info';
import { RealScheduler } from './real-scheduler';
import { SchedulingQueue } from './scheduling-queue';

const SCHEDULER_NAME = 'default-scheduler';
/** The most decisions that are written at the same time; further ones wait. */
const MAX_WRITES = 16;

/** The part of the controller context that is used here. */
export type SchedulerContext = Pick<
  ControllerContext,
  'client' | 'informers' | 'clock' | 'random' | 'signal' | 'logger' | 'events' | 'names'
>;

/** Of everything that a decision reads. */
interface Informers {
  readonly pods: Informer<CoreV1Pod>;
  readonly nodes: Informer<CoreV1Node>;
  readonly namespaces: Informer<PartialObjectMetadata>;
  readonly claims: Informer<CoreV1PersistentVolumeClaim>;
  readonly volumes: Informer<CoreV1PersistentVolume>;
  readonly classes: Informer<StorageV1StorageClass>;
  readonly budgets: Informer<PolicyV1PodDisruptionBudget>;
}

/** Runs once, for the time during which this process leads (see program.ts). The next time has a new instance. */
export class Scheduler {
  private readonly informers: Informers;
  private readonly cache: SchedulerCache;
  private readonly queue: SchedulingQueue;
  private readonly writer: DecisionWriter;
  private readonly realScheduler: RealScheduler;
  /** Writes in progress, by the key of their pod. */
  private readonly writes = new Map<string, Promise<void>>();
  /**
   * Ends the wait of {@link schedulePods}. Called when a pod becomes active, when a write or the real scheduler has ended,
   * and when the signal is aborted.
   */
  private wake: () => void = () => undefined;

  constructor(private readonly context: SchedulerContext) {
    const { informers, clock } = context;
    this.informers = {
      pods: informers.of(resourceOf('core.v1.Pod')),
      nodes: informers.of(resourceOf('core.v1.Node')),
      namespaces: informers.of(metadataOf(resourceOf('core.v1.Namespace'))),
      claims: informers.of(resourceOf('core.v1.PersistentVolumeClaim')),
      volumes: informers.of(resourceOf('core.v1.PersistentVolume')),
      classes: informers.of(resourceOf('storage.v1.StorageClass')),
      budgets: informers.of(resourceOf('policy.v1.PodDisruptionBudget')),
    };
    const { namespaces } = this.informers;
    this.cache = new SchedulerCache((name) => namespaces.get('', name)?.metadata.labels ?? {});
    this.queue = new SchedulingQueue(clock, () => this.wake());
    this.writer = new DecisionWriter(context);
    this.realScheduler = new RealScheduler(context, () => this.wake());
  }

  /** Resolves when the signal is aborted and no write is in progress. */
  async run(): Promise<void> {
    const { signal } = this.context;
    const removeHandlers = this.addHandlers();
    const wake = (): void => this.wake();
    signal.addEventListener('abort', wake, { once: true });
    if (await waitForSync(this.allInformers(), signal)) await this.schedulePods();
    signal.removeEventListener('abort', wake);
    await Promise.all(this.writes.values());
    for (const removeHandler of removeHandlers) removeHandler();
    this.realScheduler.end();
    this.queue.clear();
  }

  private allInformers(): readonly Informer[] {
    const { pods, nodes, namespaces, claims, volumes, classes, budgets } = this.informers;
    return [pods, nodes, namespaces, claims, volumes, classes, budgets, this.realScheduler.informer];
  }

  /** Makes one decision and then yields to the event loop. Waits while no pod is active or no decision may be made. */
  private async schedulePods(): Promise<void> {
    const { signal } = this.context;
    while (!signal.aborted) {
      const canSchedule = this.writes.size < MAX_WRITES && !this.realScheduler.isRunning;
      const key = canSchedule ? this.queue.next() : undefined;
      if (key === undefined) {
        await new Promise<void>((resolve) => (this.wake = resolve));
        continue;
      }
      this.schedule(key);
      await yieldToEventLoop();
    }
  }

  /** Decides about the pod and starts the writes that follow. */
  private schedule(key: string): void {
    const { informers, context } = this;
    const pod = informers.pods.byKey(key);
    const needsNode = pod !== undefined && isPending(pod) && !this.cache.isAssigned(key);
    if (!needsNode) return this.queue.remove(key);
    const info = podInfo(pod);
    // The pod has changed while an earlier decision about it is being written. It is tried again after its back-off.
    if (this.writes.has(key)) return this.queue.addUnschedulable(key, info.priority);
    const decision = decideNode({
      info,
      view: this.cache,
      volumes: {
        claim: (namespace, name) => informers.claims.get(namespace, name),
        volume: (name) => informers.volumes.get('', name),
        volumes: () => informers.volumes.list(),
        storageClass: (name) => informers.classes.get('', name),
      },
      budgets: informers.budgets.list(),
      random: context.random.float(),
    });
    if (decision.type === 'bind' && decision.claimBindings.length === 0) this.cache.assume(info, decision.node);
    const write = this.executeDecision(info, decision).finally(() => {
      this.writes.delete(key);
      this.wake();
    });
    this.writes.set(key, write);
  }

  /** Never rejects. */
  private async executeDecision(info: PodInfo, decision: SchedulingDecision): Promise<void> {
    const { logger, signal } = this.context;
    const { key, priority } = info;
    try {
      if (decision.type === 'unschedulable') {
        if (decision.preemption !== undefined) this.cache.nominate(info, decision.preemption.node);
        else if (!decision.keepsNomination) this.cache.endNomination(key);
        this.queue.addUnschedulable(key, priority);
        await this.writer.reportUnschedulable(info, decision);
        return;
      }
      if (decision.claimBindings.length > 0) {
        // The pod becomes active again when its claims are bound.
        this.queue.addUnschedulable(key, priority);
        return await this.writer.bindClaims(decision.claimBindings, decision.node);
      }
      await this.writer.bind(info, decision.node);
      this.queue.remove(key);
    } catch (error) {
      if (signal.aborted) return;
      if (!isNotFound(error) && !isConflict(error)) logger.warn('a pod could not be scheduled', { pod: key, error });
      this.cache.forget(key);
      const pod = this.informers.pods.byKey(key);
      if (pod !== undefined && isPending(pod)) this.queue.addUnschedulable(key, priority);
      this.queue.activateUnschedulable((candidate) => candidate === key);
    }
  }

  private addHandlers(): readonly (() => void)[] {
    const { pods, nodes, claims, volumes, classes } = this.informers;
    const activateAll = (): void => this.queue.activateUnschedulable();
    const onAnyChange = { added: activateAll, updated: activateAll, deleted: activateAll };
    return [
      nodes.handle({
        added: (node) => {
          this.cache.setNode(node);
          activateAll();
        },
        updated: (previous, node) => {
          if (!concernsScheduling(previous, node)) return;
          this.cache.setNode(node);
          activateAll();
        },
        deleted: ({ name }) => {
          this.cache.removeNode(name);
          activateAll();
        },
      }),
      pods.handle({
        added: (pod) => this.onPod(undefined, pod),
        updated: (previous, pod) => this.onPod(previous, pod),
        deleted: (pod) => {
          this.cache.removePod(keyOf(pod));
          this.queue.remove(keyOf(pod));
          if (nodeNameOf(pod) !== '') activateAll();
        },
      }),
      claims.handle(onAnyChange),
      volumes.handle(onAnyChange),
      classes.handle(onAnyChange),
    ];
  }

  /** `previous`: undefined for a new pod. */
  private onPod(previous: Pod | undefined, pod: Pod): void {
    const key = keyOf(pod);
    this.cache.setPod(pod);
    if (nodeNameOf(pod) !== '') {
      this.queue.remove(key);
      const hasEnded = isPodTerminated(pod) && (previous === undefined || !isPodTerminated(previous));
      if (hasEnded) this.queue.activateUnschedulable();
      // Another pod on a node, or other labels of one, can only help pods with affinity or spread constraints.
      else if (hasNewNodeOrLabels(previous, pod)) {
        this.queue.activateUnschedulable((candidate) => this.dependsOnPods(candidate));
      }
    } else if (!isPending(pod)) this.queue.remove(key);
    else if (!isUnchangedPending(previous, pod)) this.queue.add(key, podInfo(pod).priority);
  }

  private dependsOnPods(key: string): boolean {
    const { affinity, topologySpreadConstraints = [] } = this.informers.pods.byKey(key)?.body.spec ?? {};
    return affinity?.podAffinity !== undefined || affinity?.podAntiAffinity !== undefined || topologySpreadConstraints.length > 0;
  }
}

/** Whether this scheduler has to find a node for the pod. */
function isPending(pod: Pod): boolean {
  const { schedulerName = SCHEDULER_NAME, schedulingGates = [] } = pod.body.spec ?? {};
  return (
    nodeNameOf(pod) === '' &&
    schedulerName === SCHEDULER_NAME &&
    schedulingGates.length === 0 &&
    !isBeingDeleted(pod) &&
    !isPodTerminated(pod)
  );
}

/** Whether the pod, which has a node, had no node or other labels before. `previous`: undefined for a new pod. */
const hasNewNodeOrLabels = (previous: Pod | undefined, pod: Pod): boolean =>
  previous === undefined || nodeNameOf(previous) === '' || !equalJson(previous.metadata.labels, pod.metadata.labels);

/** Whether the pod, which is pending, was so before with the same spec and labels: a decision reads nothing else of it. */
const isUnchangedPending = (previous: Pod | undefined, pod: Pod): boolean =>
  previous !== undefined &&
  isPending(previous) &&
  equalJson(previous.body.spec, pod.body.spec) &&
  equalJson(previous.metadata.labels, pod.metadata.labels);

/** Whether a decision reads what changed in the node. Most updates are heartbeats, which it does not read. */
function concernsScheduling(previous: Node, node: Node): boolean {
  const [before, after] = [previous.body.status ?? {}, node.body.status ?? {}];
  return (
    !equalJson(previous.body.spec, node.body.spec) ||
    !equalJson(labelsOf(previous), labelsOf(node)) ||
    !equalJson(before.allocatable, after.allocatable) ||
    !equalJson(before.capacity, after.capacity)
  );
}
