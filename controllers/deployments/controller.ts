/**
 * Rolls a Deployment out: creates one ReplicaSet for each pod template, and moves the replicas to the ReplicaSet of the
 * current template. A Deployment that is being deleted gets status updates only. A sync requeues its Deployment at the
 * progress deadline of a rollout. It is skipped while the informer does not show the ReplicaSets that this process wrote.
 *
 * Unlike upstream's, this controller plans a whole reconciliation from one snapshot before it writes, and does not support
 * the rollback annotation of extensions/v1beta1.
 */
import { keyOf } from '../../shared/client/rest/api-object';
import type { AppsV1Deployment, AppsV1ReplicaSet, CoreV1Pod } from '../../shared/api/types/generated/members';
import type { Informer } from '../../shared/client/informer/informer';
import { resourceOf } from '../../shared/client/rest/resource';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import type { WorkQueue } from '../../shared/client/work-queue/work-queue';
import { claimDependents } from '../workload/controller-ref-manager';
import { DependentIndex } from '../workload/dependent-index';
import { watchDependents, ownerOf } from '../workload/dependent-events';
import { labelMatcherOf } from '../workload/label-matcher';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { WrittenGenerations } from '../runtime/written-generations';
import { controllerOf, labelsOf } from '../runtime/pods';
import { DEPLOYMENTS, isRollingUpdate, REPLICA_SETS, type Deployment, type ReplicaSet } from './deployment';
import { DeploymentWriter } from './deployment-writer';
import { planDeployment } from './reconcile';

const PODS = resourceOf('core.v1.Pod');

export const deploymentController: Controller = {
  name: 'deployment',
  aliases: ['deployment-controller'],
  description: 'rolls out Deployments',
  isOnByDefault: true,
  account: 'deployment-controller',
  run,
};

/** What the syncs of all Deployments share. */
interface DeploymentState {
  readonly deployments: Informer<AppsV1Deployment>;
  readonly replicaSets: Informer<AppsV1ReplicaSet>;
  readonly replicaSetIndex: DependentIndex<AppsV1ReplicaSet>;
  readonly podIndex: DependentIndex<CoreV1Pod>;
  readonly writer: DeploymentWriter;
  readonly written: WrittenGenerations;
}

async function run(context: ControllerContext): Promise<void> {
  const { informers, client, events, clock, signal, settings, logger } = context;
  const deployments = informers.of(DEPLOYMENTS);
  const replicaSets = informers.of(REPLICA_SETS);
  const pods = informers.of(PODS);
  const written = new WrittenGenerations();
  const state: DeploymentState = {
    deployments,
    replicaSets,
    replicaSetIndex: new DependentIndex(replicaSets),
    podIndex: new DependentIndex(pods),
    writer: new DeploymentWriter({ client, events, clock, written, signal }),
    written,
  };
  const queue = context.queue({ name: 'deployment' });
  const removeHandlers = addHandlers(state, pods, queue);
  const work = (key: string): Promise<WorkOutcome> => syncDeployment(context, state, key);
  const concurrency = settings.concurrentDeploymentSyncs;
  if (await waitForSync([deployments, replicaSets, pods], signal)) await runWorkers({ queue, concurrency, logger, signal, work });
  for (const remove of removeHandlers) remove();
  state.replicaSetIndex.release();
  state.podIndex.release();
}

function addHandlers(
  { deployments, replicaSets, podIndex, written }: DeploymentState,
  pods: Informer<CoreV1Pod>,
  queue: WorkQueue,
): readonly (() => void)[] {
  const enqueue = (deployment: Deployment): void => queue.add(keyOf(deployment));
  return [
    deployments.handle({
      added: enqueue,
      updated: (_, deployment) => enqueue(deployment),
      deleted: (deployment) => written.forget(keyOf(deployment)),
    }),
    watchDependents({
      dependents: replicaSets,
      owners: deployments,
      ownerResource: DEPLOYMENTS,
      matches: (deployment, replicaSet) => labelMatcherOf(deployment)?.(labelsOf(replicaSet)) === true,
      onChange(deployment, { previous, current }) {
        const isDeletedOrReleased = current === undefined || controllerOf(current)?.uid !== deployment.uid;
        if (previous !== undefined && isDeletedOrReleased) written.removed(keyOf(deployment), previous);
        enqueue(deployment);
      },
    }),
    // With the Recreate strategy, new pods are created after the last old pod no longer exists.
    pods.handle({
      deleted(pod) {
        const replicaSet = ownerOf({ owners: replicaSets, ownerResource: REPLICA_SETS }, pod);
        const deployment = replicaSet === undefined ? undefined : ownerOf({ owners: deployments, ownerResource: DEPLOYMENTS }, replicaSet);
        if (replicaSet === undefined || deployment === undefined) return;
        if (isRollingUpdate(deployment)) return;
        if (podIndex.ownedBy(replicaSet.uid).length === 0) enqueue(deployment);
      },
    }),
  ];
}

async function syncDeployment(
  context: ControllerContext,
  { deployments, replicaSetIndex, podIndex, writer, written }: DeploymentState,
  key: string,
): Promise<WorkOutcome> {
  const { client, clock, signal } = context;
  const deployment = deployments.byKey(key);
  const matches = deployment === undefined ? undefined : labelMatcherOf(deployment);
  if (deployment === undefined || matches === undefined) return DONE;
  // The events of the written ReplicaSets enqueue the Deployment again.
  if (written.areStale(key, replicaSetIndex.ownedBy(deployment.uid))) return DONE;
  const options = { client, ownerResource: DEPLOYMENTS, resource: REPLICA_SETS, signal };
  const candidates = replicaSetIndex.candidatesFor(deployment);
  const replicaSets = await claimDependents(options, deployment, (replicaSet) => matches(labelsOf(replicaSet)), candidates);
  const podsOf = ({ uid }: ReplicaSet) => podIndex.ownedBy(uid);
  const plan = planDeployment({ deployment, replicaSets, podsOf, now: clock.now() });
  const result = await writer.apply(deployment, plan);
  switch (result.type) {
    case 'name-collision':
      // Requeued with back-off: the next plan reads the raised collision count.
      return { type: 'wait' };
    case 'namespace-terminating':
      return DONE;
    case 'done':
      return plan.requeueAfterMs === undefined ? DONE : { type: 'again', afterMs: plan.requeueAfterMs };
  }
}
