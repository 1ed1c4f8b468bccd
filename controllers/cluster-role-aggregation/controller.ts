/**
 * ClusterRole aggregation controller: watches ClusterRoles and applies the rules of those with an `aggregationRule`:
 * the rules of all ClusterRoles that it selects. Any change of a ClusterRole enqueues all aggregated ones. Uses
 * server-side apply as in upstream's controller, bound to the uid and resourceVersion of the observed role.
 */
import { ignoreNotFoundOrConflict } from '../../shared/client/rest/api-error';
import { resourceOf } from '../../shared/client/rest/resource';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import { FIELD_MANAGERS } from '../../shared/names/program';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { desiredRules, isAggregated } from './reconcile';

const CLUSTER_ROLES = resourceOf('rbac.v1.ClusterRole');
/** ClusterRoles synced at the same time, as many as upstream's workers. */
const CONCURRENCY = 5;

export const clusterRoleAggregationController: Controller = {
  name: 'clusterrole-aggregation',
  aliases: ['clusterrole-aggregation-controller'],
  description: 'writes the rules of aggregated ClusterRoles',
  isOnByDefault: true,
  account: 'clusterrole-aggregation-controller',
  run,
};

async function run({ client, informers, queue: createQueue, logger, signal }: ControllerContext): Promise<void> {
  const clusterRoles = informers.of(CLUSTER_ROLES);
  const queue = createQueue({ name: 'ClusterRoleAggregator' });
  const enqueueAggregated = (): void => {
    for (const role of clusterRoles.list()) if (isAggregated(role)) queue.add(role.name);
  };
  const removeHandlers = clusterRoles.handle({ added: enqueueAggregated, updated: enqueueAggregated, deleted: enqueueAggregated });
  const syncClusterRole = async (name: string): Promise<WorkOutcome> => {
    const role = clusterRoles.get('', name);
    const rules = role === undefined ? undefined : desiredRules(role, clusterRoles.list());
    if (role === undefined || rules === undefined) return DONE;
    const { uid, resourceVersion } = role;
    // Without uid and resourceVersion the apply would recreate a deleted role.
    const configuration = { metadata: { name, uid, resourceVersion }, rules: [...rules] };
    await client
      .of(CLUSTER_ROLES)
      .apply(configuration, { fieldManager: FIELD_MANAGERS.aggregatedRoles, signal })
      .catch(ignoreNotFoundOrConflict);
    return DONE;
  };
  if (await waitForSync([clusterRoles], signal))
    await runWorkers({ queue, concurrency: CONCURRENCY, logger, signal, work: syncClusterRole });
  removeHandlers();
}
