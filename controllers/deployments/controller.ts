/**
 * Lets a Deployment's pods go from one template to the next: a ReplicaSet for each template, of which it says how many pods it has. Makes and deletes no pods
 * itself, and touches nothing for a Deployment that is being deleted.
 */
import { keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import type { Informer } from '../../shared/client/informer/informer';
import { resourceOf } from '../../shared/client/rest/resource';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import type { WorkQueue } from '../../shared/client/work-queue/work-queue';
import { claim } from '../owned/claim';
import { Dependants } from '../owned/dependants';
import { followDependants, ownerOf } from '../owned/follow';
import { labelSelectorOf } from '../owned/selector';
import { synced, type Controller, type ControllerContext } from '../runtime/controller';
import { OwnWrites } from '../runtime/own-writes';
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
  readonly setsOf: Dependants;
  readonly podsOf: Dependants;
  readonly writes: DeploymentWrites;
  readonly written: OwnWrites;
}

async function run(context: ControllerContext): Promise<void> {
  const { informers, client, events, clock, signal, settings, logger } = context;
  const [deployments, sets, pods] = [informers.of(DEPLOYMENTS), informers.of(SETS), informers.of(PODS)];
  const written = new OwnWrites();
  const seen: SeenDeployments = {
    deployments,
    sets,
    setsOf: new Dependants(sets),
    podsOf: new Dependants(pods),
    writes: new DeploymentWrites({ client, events, clock, written, signal }),
    written,
  };
  const queue = context.queue({ name: 'deployment' });
  const unhandle = follow(seen, pods, queue);
  const work = (key: string): Promise<WorkOutcome> => sync(context, seen, key);
  const concurrency = settings.concurrentDeploymentSyncs;
  if (await synced([deployments, sets, pods], signal)) await runWorkers({ queue, concurrency, logger, signal, work });
  for (const remove of unhandle) remove();
  seen.setsOf.end();
  seen.podsOf.end();
}

function follow({ deployments, sets, podsOf, written }: SeenDeployments, pods: Informer, queue: WorkQueue): readonly (() => void)[] {
  const tell = (deployment: ApiObject): void => queue.add(keyOf(deployment));
  return [
    deployments.handle({
      added: tell,
      updated: (_, deployment) => tell(deployment),
      deleted: ({ namespace, name }) => written.forget(keyOf({ namespace, name })),
    }),
    followDependants({
      dependants: sets,
      owners: deployments,
      resource: DEPLOYMENTS,
      wants: (deployment, set) => labelSelectorOf(deployment)?.(labelsOf(set)) === true,
      tell(deployment, { now, then }) {
        // Deleted, or let go.
        if (then !== undefined && (now === undefined || controllerOf(now)?.uid !== deployment.uid)) written.gone(keyOf(deployment), then);
        tell(deployment);
      },
    }),
    // New pods may have to wait for the last old one.
    pods.handle({
      deleted(pod) {
        const set = ownerOf({ owners: sets, resource: SETS }, pod);
        const deployment = set === undefined ? undefined : ownerOf({ owners: deployments, resource: DEPLOYMENTS }, set);
        if (set !== undefined && deployment !== undefined && !isRolling(deployment) && podsOf.of(set.uid).length === 0) tell(deployment);
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
  if (written.areStale(key, setsOf.of(deployment.uid))) return DONE;
  const claims = { client, ownerResource: DEPLOYMENTS, resource: SETS, signal };
  const sets = await claim(claims, deployment, (set) => matches(labelsOf(set)), setsOf.candidatesFor(deployment));
  const view = { deployment, sets, podsOf: ({ uid }: ApiObject) => podsOf.of(uid), now: clock.now() };
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
