/**
 * Watches nodes and pods, and evicts pods by the NoExecute taints of their node. A pod that does not tolerate one of them
 * is deleted at once. A pod that tolerates them for a limited time is deleted after the shortest `tolerationSeconds`.
 * Before a deletion, the `DisruptionTarget` condition of the pod is set. A change of a node's taints, or of a pod's node or
 * tolerations, schedules or cancels evictions; due ones enter the queue. Events and their texts are those of upstream's
 * controller. Writing the taints is left to the node lifecycle controller.
 */
import { ignoreNotFound } from '../../shared/client/rest/api-error';
import { isBeingDeleted, keyOf } from '../../shared/client/rest/api-object';
import { resourceOf } from '../../shared/client/rest/resource';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import { equalJson } from '../../shared/values/json';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { disruptionTargetPatch } from '../runtime/disruption-target';
import { indexInformer } from '../runtime/object-index';
import { taintsOf, type Node } from '../runtime/nodes';
import { nodeNameOf } from '../runtime/pods';
import type { Pod } from '../../shared/client/rest/typed-objects';
import { EvictionSchedule } from './eviction-schedule';
import { minTolerationTime, noExecuteTaints } from './tolerations';

const NODES = resourceOf('core.v1.Node');
const PODS = resourceOf('core.v1.Pod');
/** Pods evicted at the same time; upstream's UpdateWorkerSize. */
const CONCURRENCY = 8;
const NODE_INDEX = 'node';

export const taintEvictionController: Controller = {
  name: 'taint-eviction',
  aliases: ['taint-eviction-controller'],
  description: 'evicts pods that do not tolerate the NoExecute taints of their node',
  isOnByDefault: true,
  account: 'node-controller',
  run,
};

async function run(context: ControllerContext): Promise<void> {
  const { informers, clock, logger, metrics, signal } = context;
  const nodes = informers.of(NODES);
  const pods = informers.of(PODS);
  const queue = context.queue({ name: 'noexec_taint_pod' });
  const countDeletion = metrics.counter('taint_eviction_controller_pod_deletions_total', 'Pods deleted because of taints since the start.');
  const schedule = new EvictionSchedule(clock, (key) => queue.add(key));
  const podIndex = indexInformer(pods, { [NODE_INDEX]: (pod) => [nodeNameOf(pod)] });
  const handlePodUpdate = (pod: Pod): void => {
    const node = nodes.get('', nodeNameOf(pod));
    if (node !== undefined) processPodOnNode(context, schedule, pod, node);
  };
  const handleNodeUpdate = (node: Node): void => {
    for (const pod of podIndex.find(NODE_INDEX, node.name)) processPodOnNode(context, schedule, pod, node);
  };
  const removeHandlers = [
    podIndex.end,
    nodes.handle({
      added: handleNodeUpdate,
      updated: (previous, node) => {
        if (!hasSameTaints(previous, node)) handleNodeUpdate(node);
      },
    }),
    pods.handle({
      added: handlePodUpdate,
      updated: (previous, pod) => {
        if (!hasSameNodeAndTolerations(previous, pod)) handlePodUpdate(pod);
      },
      deleted: (pod) => schedule.remove(keyOf(pod)),
    }),
  ];
  const work = async (key: string): Promise<WorkOutcome> => {
    const pod = pods.byKey(key);
    if (pod === undefined || !schedule.isDue(key, pod.uid)) return DONE;
    // The Event is recorded once for a pod, also when its deletion fails and is retried.
    if (queue.failures(key) === 0 && !isBeingDeleted(pod)) recordEvent(context, pod, `Marking for deletion Pod ${key}`);
    await addConditionAndDeletePod(context, pod);
    countDeletion();
    return DONE;
  };
  if (await waitForSync([nodes, pods], signal)) await runWorkers({ queue, concurrency: CONCURRENCY, logger, signal, work });
  for (const removeHandler of removeHandlers) removeHandler();
  schedule.clear();
}

const hasSameTaints = (a: Node, b: Node): boolean =>
  equalJson(
    taintsOf(a).map(({ body }) => body),
    taintsOf(b).map(({ body }) => body),
  );

const hasSameNodeAndTolerations = (a: Pod, b: Pod): boolean =>
  nodeNameOf(a) === nodeNameOf(b) && equalJson(a.body.spec?.tolerations, b.body.spec?.tolerations);

/** Schedules or cancels the eviction of the pod by the present taints of its node. */
function processPodOnNode(context: ControllerContext, schedule: EvictionSchedule, pod: Pod, node: Node): void {
  if (isBeingDeleted(pod)) return;
  const tolerationTime = minTolerationTime(pod, noExecuteTaints(node));
  const key = keyOf(pod);
  if (tolerationTime.type === 'limited' && tolerationTime.ms > 0) {
    schedule.evictAfter(key, pod.uid, tolerationTime.ms);
    return;
  }
  const cancelled = `Cancelling deletion of Pod ${key}`;
  if (tolerationTime.type === 'unlimited') {
    if (schedule.cancel(key, pod.uid)) recordEvent(context, pod, cancelled);
    return;
  }
  // Upstream cancels a later eviction before it evicts at once, and records that too.
  if (schedule.evictNow(key, pod.uid)) recordEvent(context, pod, cancelled);
}

/** The Event refers to the pod without its uid, as upstream's. */
function recordEvent({ events }: ControllerContext, { namespace, name }: Pod, message: string): void {
  events.record({
    about: { apiVersion: 'v1', kind: 'Pod', namespace, name, uid: '' },
    type: 'Normal',
    reason: 'TaintManagerEviction',
    message,
  });
}

async function addConditionAndDeletePod({ client, clock, signal }: ControllerContext, pod: Pod): Promise<void> {
  const { namespace, name, uid } = pod;
  const cause = { reason: 'DeletionByTaintManager', message: 'Taint manager: deleting due to NoExecute taint' };
  const patch = disruptionTargetPatch(pod, cause, clock.now());
  try {
    await client.of(PODS).namespace(namespace).patch(name, 'merge', patch, { subresource: 'status', signal });
    await client.of(PODS).namespace(namespace).delete(name, { preconditions: { uid }, signal });
  } catch (error) {
    ignoreNotFound(error);
  }
}
