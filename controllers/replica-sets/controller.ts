/**
 * Creates and deletes pods so that a ReplicaSet or a ReplicationController has `spec.replicas` active ones, and writes
 * the status. An object that is being deleted gets status updates only. A sync requeues its object for the time at which
 * a ready pod becomes available, and for that at which expectations expire. Unlike upstream's, this controller does not
 * repeat a status update that conflicts. The two kinds are rows of a table (replica-kinds.ts).
 */
import { ignoreNotFoundOrConflict } from '../../shared/client/rest/api-error';
import { keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import type { AppsV1ReplicaSetStatus, CoreV1Pod } from '../../shared/api/types/generated/members';
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
import type { Pod } from '../../shared/client/rest/typed-objects';
import { errorMessage } from '../../shared/runtime/error-message';
import { reconcileReplicas, type ReplicaAction } from './reconcile';
import { REPLICA_SET, REPLICATION_CONTROLLER, type ReplicaKind, type ReplicaOwnerBody } from './replica-kinds';
import { calculateStatus, type ReplicaFailure } from './status';

const PODS = resourceOf('core.v1.Pod');
/**
 * The delay of a sync after a requested pod appears: pods that are created together then cause a few status updates
 * instead of one each. Milliseconds.
 */
const CREATION_BATCH_MS = 100;

export const replicaSetController: Controller = {
  name: 'replicaset',
  aliases: ['replicaset-controller'],
  description: 'keeps the desired number of pods of ReplicaSets',
  isOnByDefault: true,
  account: 'replicaset-controller',
  run: (context) => runReplicas(context, REPLICA_SET),
};

export const replicationController: Controller = {
  name: 'replicationcontroller',
  aliases: ['replicationcontroller-controller'],
  description: 'keeps the desired number of pods of ReplicationControllers',
  isOnByDefault: true,
  component: 'replication-controller',
  account: 'replication-controller',
  run: (context) => runReplicas(context, REPLICATION_CONTROLLER),
};

/** Runs the controller of one of the two kinds. */
async function runReplicas<Body extends ReplicaOwnerBody>(context: ControllerContext, kind: ReplicaKind<Body>): Promise<void> {
  const { informers, clock, client, events, signal, settings, logger } = context;
  const replicaSets = informers.of(kind.resource);
  const pods = informers.of(PODS);
  const state: ReplicaSetState<Body> = {
    kind,
    replicaSets,
    pods: new DependentIndex(pods),
    siblings: new DependentIndex(replicaSets),
    expectations: new Expectations(clock),
    podControl: new PodControl({ client, events, resource: kind.resource, signal }),
  };
  const queue = context.queue({ name: kind.queue });
  const removeHandlers = addHandlers(state, pods, queue);
  const work = (key: string): Promise<WorkOutcome> => syncReplicaSet(context, state, key);
  const concurrency = kind.concurrency(settings);
  if (await waitForSync([replicaSets, pods], signal)) await runWorkers({ queue, concurrency, logger, signal, work });
  for (const remove of removeHandlers) remove();
  state.pods.release();
  state.siblings.release();
}

/** What the syncs of all objects of the kind share. */
interface ReplicaSetState<Body extends ReplicaOwnerBody> {
  readonly kind: ReplicaKind<Body>;
  readonly replicaSets: Informer<Body>;
  readonly pods: DependentIndex<CoreV1Pod>;
  /** The objects of the kind, also ReplicationControllers, by their controller, such as a Deployment. */
  readonly siblings: DependentIndex<Body>;
  readonly expectations: Expectations;
  readonly podControl: PodControl;
}

function addHandlers<Body extends ReplicaOwnerBody>(
  { kind, replicaSets, expectations }: ReplicaSetState<Body>,
  pods: Informer<CoreV1Pod>,
  queue: WorkQueue,
): readonly (() => void)[] {
  const enqueue = (replicaSet: ApiObject<Body>): void => queue.add(keyOf(replicaSet));
  const enqueueForPod = (replicaSet: ApiObject<Body>, { previous, current }: DependentChange<CoreV1Pod>): void => {
    const key = keyOf(replicaSet);
    // The expectations have recorded the pod already: the last requested one satisfies them, and is enqueued at once.
    const isRequestedPod = previous === undefined && current !== undefined && !expectations.areSatisfied(key);
    queue.addAfter(key, isRequestedPod ? CREATION_BATCH_MS : 0);
  };
  return [
    replicaSets.handle({
      added: enqueue,
      updated: (_, replicaSet) => enqueue(replicaSet),
      deleted(replicaSet) {
        expectations.delete(keyOf(replicaSet));
        enqueue(replicaSet);
      },
    }),
    watchDependents({
      dependents: pods,
      owners: replicaSets,
      ownerResource: kind.resource,
      expectations,
      matches: (replicaSet, pod) => kind.matcherOf(replicaSet)?.(labelsOf(pod)) === true,
      onChange: enqueueForPod,
    }),
  ];
}

/**
 * Writes the status also when an action fails, and then throws its failure. Inactive pods are neither adopted, released
 * nor counted.
 */
async function syncReplicaSet<Body extends ReplicaOwnerBody>(
  context: ControllerContext,
  state: ReplicaSetState<Body>,
  key: string,
): Promise<WorkOutcome> {
  const { clock } = context;
  const { kind, replicaSets, expectations } = state;
  const replicaSet = replicaSets.byKey(key);
  const matches = replicaSet === undefined ? undefined : kind.matcherOf(replicaSet);
  if (replicaSet === undefined || matches === undefined) return DONE;
  const needsSync = expectations.areSatisfied(key);
  const pods = await claimPods(context, state, replicaSet, matches);
  const action: ReplicaAction = needsSync
    ? reconcileReplicas(replicaSet, pods, () => indirectlyRelatedPods(state, replicaSet, pods), clock.now())
    : { type: 'none' };
  const failure = await manageReplicas(context, state, replicaSet, action);
  const replicaFailure = failure === undefined ? undefined : replicaFailureOf(action, failure.error);
  await updateStatus(context, kind, replicaSet, calculateStatus(replicaSet, pods, replicaFailure, clock.now()));
  if (failure !== undefined) throw failure.error;
  const delays = [msUntilAvailable(pods, minReadySecondsOf(replicaSet), clock.now()), expectations.msUntilExpired(key)].filter(
    (ms) => ms !== undefined,
  );
  return delays.length === 0 ? DONE : { type: 'again', afterMs: Math.min(...delays) };
}

function claimPods<Body extends ReplicaOwnerBody>(
  { client, signal }: ControllerContext,
  { kind, pods }: ReplicaSetState<Body>,
  replicaSet: ApiObject<Body>,
  matches: LabelMatcher,
): Promise<readonly Pod[]> {
  const options = { client, ownerResource: kind.resource, resource: PODS, signal };
  return claimDependents(options, replicaSet, (pod) => matches(labelsOf(pod)), pods.candidatesFor(replicaSet).filter(isPodActive));
}

/**
 * The pods of all ReplicaSets with the same controller, because the ReplicaSets of a Deployment serve the same purpose.
 * A ReplicaSet without a controller has only its own.
 */
function indirectlyRelatedPods<Body extends ReplicaOwnerBody>(
  { pods, siblings }: ReplicaSetState<Body>,
  replicaSet: ApiObject<Body>,
  ownPods: readonly Pod[],
): Iterable<Pod> {
  const controller = controllerOf(replicaSet);
  return controller === undefined ? ownPods : siblings.ownedBy(controller.uid).flatMap(({ uid }) => pods.ownedBy(uid));
}

/**
 * Executes the action. Returns the first failure; undefined also when pods were not created because the namespace is
 * being deleted.
 */
async function manageReplicas<Body extends ReplicaOwnerBody>(
  { client }: ControllerContext,
  { kind, expectations, podControl }: ReplicaSetState<Body>,
  replicaSet: ApiObject<Body>,
  action: ReplicaAction,
): Promise<{ readonly error: unknown } | undefined> {
  const key = keyOf(replicaSet);
  switch (action.type) {
    case 'none':
      return undefined;
    case 'create': {
      expectations.expectCreations(key, action.count);
      const pod = podFromTemplate(templateOf(replicaSet), client.dialect, kind.resource, replicaSet);
      const { succeeded, error } = await slowStartBatch(action.count, () => podControl.create(replicaSet, pod));
      // No event follows for the pods that were not created.
      expectations.creationObserved(key, action.count - succeeded);
      return succeeded === action.count || error instanceof NamespaceTerminatingError ? undefined : { error };
    }
    case 'delete': {
      expectations.expectDeletions(key, action.pods.map(keyOf));
      const outcomes = await Promise.allSettled(
        action.pods.map(async (pod) => {
          const wasDeleted = await podControl.delete(replicaSet, pod).catch((error: unknown) => {
            expectations.deletionObserved(key, keyOf(pod));
            throw error;
          });
          // The pod did not exist any more: the event of its deletion may have come before the expectation.
          if (!wasDeleted) expectations.deletionObserved(key, keyOf(pod));
        }),
      );
      const rejected = outcomes.find((outcome) => outcome.status === 'rejected');
      return rejected === undefined ? undefined : { error: rejected.reason };
    }
  }
}

function replicaFailureOf(action: ReplicaAction, error: unknown): ReplicaFailure {
  return { reason: action.type === 'delete' ? 'FailedDelete' : 'FailedCreate', message: errorMessage(error) };
}

/** The update carries the observed resourceVersion; the change that causes a conflict enqueues the object. */
async function updateStatus<Body extends ReplicaOwnerBody>(
  { client, signal }: ControllerContext,
  { resource }: ReplicaKind<Body>,
  replicaSet: ApiObject<Body>,
  status: AppsV1ReplicaSetStatus | undefined,
): Promise<void> {
  if (status === undefined) return;
  await client
    .of(resource)
    .namespace(replicaSet.namespace)
    .updateStatus({ ...replicaSet.body, status }, { signal })
    .catch(ignoreNotFoundOrConflict);
}
