/**
 * Keeps as many pods of a template as a ReplicaSet or a ReplicationController asks for: makes what is missing, deletes what is too many, takes in pods that it
 * selects, and says in the status how they are. Never changes a pod's contents, and touches nothing for an owner that is being deleted.
 */
import { isConflict, isNotFound } from '../../shared/client/rest/api-error';
import { keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import type { Informer } from '../../shared/client/informer/informer';
import { resourceOf } from '../../shared/client/rest/resource';
import type { LabelMatcher } from '../../shared/api/selectors/label-selector';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import type { WorkQueue } from '../../shared/client/work-queue/work-queue';
import { isPodActive, msUntilAvailable } from '../workload/pod-activity';
import { claimDependents } from '../workload/controller-ref-manager';
import { DependentIndex } from '../workload/dependent-index';
import { Expectations } from '../workload/expectations';
import { watchDependents, type DependentChange } from '../workload/dependent-events';
import { NamespaceTerminatingError, podFromTemplate, PodControl } from '../workload/pod-control';
import { slowStartBatch } from '../workload/slow-start';
import { minReadySecondsOf, templateOf } from '../workload/spec';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { controllerOf, labelsOf } from '../runtime/pods';
import { errorMessage } from '../../shared/runtime/error-message';
import { REPLICA_SET, REPLICATION_CONTROLLER, type ReplicaKind } from './kinds';
import { planOf, replicaStatus, type ReplicaFault, type ReplicaPlan } from './reconcile';

const PODS = resourceOf('core.v1.Pod');
/** While pods that were asked for come one after the other, the status is written now and then, and not for each. Milliseconds. */
const COMING_MS = 100;

export const replicaSetController: Controller = {
  name: 'replicaset',
  aliases: ['replicaset-controller'],
  description: 'keeps as many pods as ReplicaSets ask for',
  isOnByDefault: true,
  account: 'replicaset-controller',
  run: (context) => run(context, REPLICA_SET),
};

export const replicationController: Controller = {
  name: 'replicationcontroller',
  aliases: ['replicationcontroller-controller'],
  description: 'keeps as many pods as ReplicationControllers ask for',
  isOnByDefault: true,
  component: 'replication-controller',
  account: 'replication-controller',
  run: (context) => run(context, REPLICATION_CONTROLLER),
};

async function run(context: ControllerContext, kind: ReplicaKind): Promise<void> {
  const { informers, clock, client, events, signal, settings, logger } = context;
  const [owners, pods] = [informers.of(kind.resource), informers.of(PODS)];
  const seen: SeenReplicas = {
    kind,
    owners,
    pods: new DependentIndex(pods),
    siblings: new DependentIndex(owners),
    expectations: new Expectations(clock),
    keeper: new PodControl({ client, events, resource: kind.resource, signal }),
  };
  const queue = context.queue({ name: kind.queue });
  const unhandle = follow(seen, pods, queue);
  const work = (key: string): Promise<WorkOutcome> => sync(context, seen, key);
  const concurrency = kind.concurrency(settings);
  if (await waitForSync([owners, pods], signal)) await runWorkers({ queue, concurrency, logger, signal, work });
  for (const remove of unhandle) remove();
  seen.pods.release();
  seen.siblings.release();
}

interface SeenReplicas {
  readonly kind: ReplicaKind;
  readonly owners: Informer;
  readonly pods: DependentIndex;
  /** Owners by what owns them. */
  readonly siblings: DependentIndex;
  readonly expectations: Expectations;
  readonly keeper: PodControl;
}

function follow({ kind, owners, expectations }: SeenReplicas, pods: Informer, queue: WorkQueue): readonly (() => void)[] {
  const tell = (owner: ApiObject, { previous: then, current: now }: DependentChange): void => {
    const key = keyOf(owner);
    const isComing = then === undefined && now !== undefined && !expectations.areSatisfied(key);
    queue.addAfter(key, isComing ? COMING_MS : 0);
  };
  const wants = (owner: ApiObject, pod: ApiObject): boolean => kind.selector(owner)?.(labelsOf(pod)) === true;
  return [
    owners.handle({
      added: (owner) => queue.add(keyOf(owner)),
      updated: (_, owner) => queue.add(keyOf(owner)),
      deleted(owner) {
        expectations.delete(keyOf(owner));
        queue.add(keyOf(owner));
      },
    }),
    watchDependents({ dependents: pods, owners, resource: kind.resource, expectations, matches: wants, onChange: tell }),
  ];
}

async function sync(context: ControllerContext, seen: SeenReplicas, key: string): Promise<WorkOutcome> {
  const { clock } = context;
  const { kind, owners, expectations } = seen;
  const owner = owners.byKey(key);
  const matches = owner === undefined ? undefined : kind.selector(owner);
  if (owner === undefined || matches === undefined) return DONE;
  const isManaged = expectations.areSatisfied(key);
  const pods = await claimed(context, seen, owner, matches);
  const plan: ReplicaPlan = isManaged ? planOf(owner, pods, () => relatedPods(seen, owner, pods), clock.now()) : { type: 'none' };
  const failure = await carryOut(context, seen, owner, plan);
  const fault = failure === undefined ? undefined : faultOf(plan, failure.error);
  await writeStatus(context, kind, owner, replicaStatus(owner, pods, fault, clock.now()));
  if (failure !== undefined) throw failure.error;
  const waits = [msUntilAvailable(pods, minReadySecondsOf(owner), clock.now()), expectations.msUntilExpired(key)].filter((ms) => ms !== undefined);
  return waits.length === 0 ? DONE : { type: 'again', afterMs: Math.min(...waits) };
}

function claimed({ client, signal }: ControllerContext, { kind, pods }: SeenReplicas, owner: ApiObject, matches: LabelMatcher) {
  const options = { client, ownerResource: kind.resource, resource: PODS, signal };
  return claimDependents(options, owner, (pod) => matches(labelsOf(pod)), pods.candidatesFor(owner).filter(isPodActive));
}

/** The pods of all sets that one owner keeps: several sets of a Deployment serve the same purpose. */
function relatedPods({ pods, siblings }: SeenReplicas, owner: ApiObject, own: readonly ApiObject[]): Iterable<ApiObject> {
  const above = controllerOf(owner);
  return above === undefined ? own : siblings.ownedBy(above.uid).flatMap(({ uid }) => pods.ownedBy(uid));
}

/** The first failure. */
async function carryOut(
  { client }: ControllerContext,
  { kind, expectations, keeper }: SeenReplicas,
  owner: ApiObject,
  plan: ReplicaPlan,
): Promise<{ readonly error: unknown } | undefined> {
  const key = keyOf(owner);
  switch (plan.type) {
    case 'none':
      return undefined;
    case 'create': {
      expectations.expectCreations(key, plan.count);
      const pod = podFromTemplate(templateOf(owner), client.dialect, kind.resource, owner);
      const { succeeded, error } = await slowStartBatch(plan.count, () => keeper.create(owner, pod));
      expectations.creationObserved(key, plan.count - succeeded);
      return succeeded === plan.count || error instanceof NamespaceTerminatingError ? undefined : { error };
    }
    case 'delete': {
      expectations.expectDeletions(key, plan.pods.map(keyOf));
      const outcomes = await Promise.allSettled(
        plan.pods.map(async (pod) => {
          const isSeen = await keeper.delete(owner, pod).catch((error: unknown) => {
            expectations.deletionObserved(key, keyOf(pod));
            throw error;
          });
          if (!isSeen) expectations.deletionObserved(key, keyOf(pod));
        }),
      );
      const failed = outcomes.find((outcome) => outcome.status === 'rejected');
      return failed === undefined ? undefined : { error: failed.reason };
    }
  }
}

function faultOf(plan: ReplicaPlan, error: unknown): ReplicaFault {
  const message = errorMessage(error);
  return { reason: plan.type === 'delete' ? 'FailedDelete' : 'FailedCreate', message };
}

/** Bound to the version that was seen: what has changed meanwhile is told by its own event. */
async function writeStatus(
  { client, signal }: ControllerContext,
  { resource }: ReplicaKind,
  owner: ApiObject,
  status: ReturnType<typeof replicaStatus>,
): Promise<void> {
  if (status === undefined) return;
  try {
    await client.update(resource, { ...owner.body, status }, { subresource: 'status', signal });
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}
