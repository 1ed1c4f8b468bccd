/**
 * Lets a Deployment's pods go from one template to the next: a ReplicaSet for each template, of which it says how many pods it has. Makes and deletes no pods
 * itself, and touches nothing for a Deployment that is being deleted.
 */
import { keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import type { Informer } from '../../shared/client/informer/informer';
import { resourceOf } from '../../shared/client/rest/resource';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import type { WorkQueue } from '../../shared/client/work-queue/work-queue';
import { claimDependents } from '../workload/controller-ref-manager';
import { DependentIndex } from '../workload/dependent-index';
import { watchDependents, ownerOf } from '../workload/dependent-events';
import { labelSelectorOf } from '../workload/label-selector';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { WrittenGenerations } from '../runtime/written-generations';
import { controllerOf, labelsOf } from '../runtime/pods';
import { isRolling } from './bounds';
import { planDeployment } from './reconcile';
import { DEPLOYMENTS, DeploymentWrites, SETS } from './writes';

const PODS = resourceOf('core.v1.Pod');

export const deploymentController: Controller = {
  name: 'deployment',
  aliases: ['deployment-controller'],
  description: 'rolls Deployments out',
  isOnByDefault: true,
  account: 'deployment-controller',
  run,
};

interface SeenDeployments {
  readonly deployments: Informer;
  readonly sets: Informer;
  readonly setsOf: DependentIndex;
  readonly podsOf: DependentIndex;
  readonly writes: DeploymentWrites;
  readonly written: WrittenGenerations;
}

async function run(context: ControllerContext): Promise<void> {
  const { informers, client, events, clock, signal, settings, logger } = context;
  const [deployments, sets, pods] = [informers.of(DEPLOYMENTS), informers.of(SETS), informers.of(PODS)];
  const written = new WrittenGenerations();
  const seen: SeenDeployments = {
    deployments,
    sets,
    setsOf: new DependentIndex(sets),
    podsOf: new DependentIndex(pods),
    writes: new DeploymentWrites({ client, events, clock, written, signal }),
    written,
  };
  const queue = context.queue({ name: 'deployment' });
  const unhandle = follow(seen, pods, queue);
  const work = (key: string): Promise<WorkOutcome> => sync(context, seen, key);
  const concurrency = settings.concurrentDeploymentSyncs;
  if (await waitForSync([deployments, sets, pods], signal)) await runWorkers({ queue, concurrency, logger, signal, work });
  for (const remove of unhandle) remove();
  seen.setsOf.release();
  seen.podsOf.release();
}

function follow({ deployments, sets, podsOf, written }: SeenDeployments, pods: Informer, queue: WorkQueue): readonly (() => void)[] {
  const tell = (deployment: ApiObject): void => queue.add(keyOf(deployment));
  return [
    deployments.handle({
      added: tell,
      updated: (_, deployment) => tell(deployment),
      deleted: ({ namespace, name }) => written.forget(keyOf({ namespace, name })),
    }),
    watchDependents({
      dependents: sets,
      owners: deployments,
      resource: DEPLOYMENTS,
      matches: (deployment, set) => labelSelectorOf(deployment)?.(labelsOf(set)) === true,
      onChange(deployment, { current: now, previous: then }) {
        // Deleted, or let go.
        if (then !== undefined && (now === undefined || controllerOf(now)?.uid !== deployment.uid))
          written.removed(keyOf(deployment), then);
        tell(deployment);
      },
    }),
    // New pods may have to wait for the last old one.
    pods.handle({
      deleted(pod) {
        const set = ownerOf({ owners: sets, resource: SETS }, pod);
        const deployment = set === undefined ? undefined : ownerOf({ owners: deployments, resource: DEPLOYMENTS }, set);
        if (set !== undefined && deployment !== undefined && !isRolling(deployment) && podsOf.ownedBy(set.uid).length === 0)
          tell(deployment);
      },
    }),
  ];
}

async function sync(
  context: ControllerContext,
  { deployments, setsOf, podsOf, writes, written }: SeenDeployments,
  key: string,
): Promise<WorkOutcome> {
  const { client, clock, signal } = context;
  const deployment = deployments.byKey(key);
  const matches = deployment === undefined ? undefined : labelSelectorOf(deployment);
  if (deployment === undefined || matches === undefined) return DONE;
  // The event of what was written comes, and is another reason to look.
  if (written.areStale(key, setsOf.ownedBy(deployment.uid))) return DONE;
  const claims = { client, ownerResource: DEPLOYMENTS, resource: SETS, signal };
  const sets = await claimDependents(claims, deployment, (set) => matches(labelsOf(set)), setsOf.candidatesFor(deployment));
  const view = { deployment, sets, podsOf: ({ uid }: ApiObject) => podsOf.ownedBy(uid), now: clock.now() };
  const plan = planDeployment(view);
  const carried = await writes.carryOut(deployment, plan);
  switch (carried.type) {
    case 'taken':
      return { type: 'wait' };
    case 'going':
      return DONE;
    case 'done':
      return plan.againMs === undefined ? DONE : { type: 'again', afterMs: plan.againMs };
  }
}
