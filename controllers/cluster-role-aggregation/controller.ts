/** Gives roles that are made of others the rules of those that they select, whenever one of them changes. */
import { isConflict, isNotFound } from '../../shared/client/rest/api-error';
import { resourceOf } from '../../shared/client/rest/resource';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import { FIELD_MANAGERS } from '../../shared/names/program';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { isAggregated, missingRules } from './reconcile';

const ROLES = resourceOf('rbac.v1.ClusterRole');
const CONCURRENCY = 5;

export const clusterRoleAggregationController: Controller = {
  name: 'clusterrole-aggregation',
  aliases: ['clusterrole-aggregation-controller'],
  description: 'gives roles that are made of others their rules',
  isOnByDefault: true,
  account: 'clusterrole-aggregation-controller',
  run,
};

async function run({ client, informers, queue: makeQueue, logger, signal }: ControllerContext): Promise<void> {
  const roles = informers.of(ROLES);
  const queue = makeQueue({ name: 'ClusterRoleAggregator' });
  const addAll = (): void => {
    for (const role of roles.list()) if (isAggregated(role)) queue.add(role.name);
  };
  const unhandle = roles.handle({ added: addAll, updated: addAll, deleted: addAll });
  const work = async (name: string): Promise<WorkOutcome> => {
    const role = roles.get('', name);
    const rules = role === undefined ? undefined : missingRules(role, roles.list());
    if (role === undefined || rules === undefined) return DONE;
    const { uid, resourceVersion } = role;
    // uid and resourceVersion bind the apply to the observed role: without them it would recreate a deleted role.
    const configuration = { metadata: { name, uid, resourceVersion }, rules: [...rules] };
    await client.apply(ROLES, configuration, { fieldManager: FIELD_MANAGERS.aggregatedRoles, signal }).catch((error: unknown) => {
      // A newer state brings the next look.
      if (!isConflict(error) && !isNotFound(error)) throw error;
    });
    return DONE;
  };
  if (await waitForSync([roles], signal)) await runWorkers({ queue, concurrency: CONCURRENCY, logger, signal, work });
  unhandle();
}
