/**
 * Makes pods leave nodes whose taints they do not tolerate, at once or when the time is over for which they do. Deletes pods and nothing else, and never taints a
 * node.
 */
import { isNotFound } from '../../shared/client/rest/api-error';
import { isBeingDeleted, keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import { resourceOf } from '../../shared/client/rest/resource';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import { timestamp } from '../../shared/api/metadata/object-meta';
import { equalJson, objectAt, own } from '../../shared/values/json';
import { conditionsOf, conditionsPatch, transitionTime, withCondition } from '../runtime/conditions';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { indexInformer } from '../runtime/object-index';
import { taintsOf } from '../runtime/nodes';
import { nodeNameOf } from '../runtime/pods';
import { DepartureSchedule } from './schedule';
import { evictingTaints, stayOf } from './tolerations';

const NODES = resourceOf('core.v1.Node');
const PODS = resourceOf('core.v1.Pod');
const CONCURRENCY = 8;
const MARK = 'DisruptionTarget';

export const taintEvictionController: Controller = {
  name: 'taint-eviction',
  aliases: ['taint-eviction-controller'],
  description: 'makes pods leave nodes whose taints they do not tolerate',
  isOnByDefault: true,
  account: 'node-controller',
  run,
};

async function run(context: ControllerContext): Promise<void> {
  const { informers, clock, logger, signal } = context;
  const [nodes, pods] = [informers.of(NODES), informers.of(PODS)];
  const queue = context.queue({ name: 'noexec_taint_pod' });
  const deleted = context.metrics.counter(
    'taint_eviction_controller_pod_deletions_total',
    'Pods deleted because of taints since the start.',
  );
  const schedule = new DepartureSchedule(clock, (key) => queue.add(key));
  const { store, end } = indexInformer(pods, { node: (pod) => [nodeNameOf(pod)] });
  const judge = (pod: ApiObject, node = nodes.get('', nodeNameOf(pod))): void => {
    if (node !== undefined && !isBeingDeleted(pod)) settle(context, schedule, pod, node);
  };
  const judgeAll = (node: ApiObject): void => store.byIndex('node', node.name).forEach((pod) => judge(pod, node));
  const unhandle = [
    end,
    nodes.handle({
      added: judgeAll,
      updated: (then, node) => {
        if (!hasSameTaints(then, node)) judgeAll(node);
      },
    }),
    pods.handle({
      added: (pod) => judge(pod),
      updated: (then, pod) => {
        if (!hasSamePlace(then, pod)) judge(pod);
      },
      deleted: (pod) => schedule.forget(keyOf(pod)),
    }),
  ];
  const work = async (key: string): Promise<WorkOutcome> => {
    const pod = pods.byKey(key);
    if (pod === undefined || !schedule.isDue(key, pod.uid)) return DONE;
    if (queue.failures(key) === 0 && !isBeingDeleted(pod)) tell(context, pod, `Marking for deletion Pod ${key}`);
    const outcome = await evict(context, pod);
    deleted();
    return outcome;
  };
  if (await waitForSync([nodes, pods], signal)) await runWorkers({ queue, concurrency: CONCURRENCY, logger, signal, work });
  for (const remove of unhandle) remove();
  schedule.clear();
}

const hasSameTaints = (then: ApiObject, now: ApiObject): boolean =>
  equalJson(
    taintsOf(then).map(({ body }) => body),
    taintsOf(now).map(({ body }) => body),
  );

function hasSamePlace(then: ApiObject, now: ApiObject): boolean {
  const [one, other] = [objectAt(then.body, 'spec') ?? {}, objectAt(now.body, 'spec') ?? {}];
  return nodeNameOf(then) === nodeNameOf(now) && equalJson(own(one, 'tolerations'), own(other, 'tolerations'));
}

function settle(context: ControllerContext, schedule: DepartureSchedule, pod: ApiObject, node: ApiObject): void {
  const taints = evictingTaints(node);
  const stay = stayOf(pod, taints);
  const key = keyOf(pod);
  if (stay.type === 'for ever') {
    if (schedule.cancel(key, pod.uid)) tell(context, pod, `Cancelling deletion of Pod ${key}`);
  } else if (stay.ms > 0) {
    schedule.plan(key, pod.uid, stay.ms);
  } else if (schedule.hasten(key, pod.uid)) tell(context, pod, `Cancelling deletion of Pod ${key}`);
}

/** Without the uid, as upstream tells it. */
function tell({ events }: ControllerContext, { namespace, name }: ApiObject, message: string): void {
  events.record({
    about: { apiVersion: 'v1', kind: 'Pod', namespace, name, uid: '' },
    type: 'Normal',
    reason: 'TaintManagerEviction',
    message,
  });
}

async function evict({ client, clock, signal }: ControllerContext, pod: ApiObject): Promise<WorkOutcome> {
  const { namespace, name, uid } = pod;
  const conditions = conditionsOf(pod.body);
  const mark = {
    type: MARK,
    status: 'True',
    reason: 'DeletionByTaintManager',
    message: 'Taint manager: deleting due to NoExecute taint',
    lastProbeTime: null,
    lastTransitionTime: transitionTime(conditions, MARK, 'True', timestamp(clock.now())),
  };
  try {
    const place = { namespace, name, subresource: 'status' };
    await client.patch(PODS, place, 'merge', conditionsPatch(pod, withCondition(conditions, mark)), { signal });
    await client.delete(PODS, { namespace, name }, { preconditions: { uid }, signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  return DONE;
}
