/**
 * ServiceAccounts controller: watches namespaces and ServiceAccounts named `default`, and creates the ServiceAccount
 * `default` in every namespace where it is missing. A new or changed namespace and a deleted ServiceAccount enqueue the
 * namespace, as in upstream's controller.
 */
import { resourceOf } from '../../shared/client/rest/resource';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { createInNamespace } from '../runtime/create-in-namespace';
import { DEFAULT_ACCOUNT, missingAccount } from './reconcile';

const NAMESPACES = resourceOf('core.v1.Namespace');
const SERVICE_ACCOUNTS = resourceOf('core.v1.ServiceAccount');
/** Namespaces synced at the same time. */
const CONCURRENCY = 4;

export const serviceAccountController: Controller = {
  name: 'serviceaccount',
  aliases: ['serviceaccount-controller'],
  description: 'creates the ServiceAccount "default" in every namespace',
  isOnByDefault: true,
  account: 'service-account-controller',
  run,
};

async function run({ client, informers, queue: createQueue, logger, signal }: ControllerContext): Promise<void> {
  const namespaces = informers.of(NAMESPACES);
  const accounts = informers.of(SERVICE_ACCOUNTS, { fieldSelector: `metadata.name=${DEFAULT_ACCOUNT}` });
  const queue = createQueue({ name: 'serviceaccount' });
  const removeHandlers = [
    namespaces.handle({ added: ({ name }) => queue.add(name), updated: (_, { name }) => queue.add(name) }),
    accounts.handle({ deleted: ({ namespace }) => queue.add(namespace) }),
  ];
  const syncNamespace = async (name: string): Promise<WorkOutcome> => {
    const missing = missingAccount(namespaces.get('', name), accounts.get(name, DEFAULT_ACCOUNT));
    if (missing !== undefined) await createInNamespace(client, SERVICE_ACCOUNTS, missing, signal);
    return DONE;
  };
  if (await waitForSync([namespaces, accounts], signal))
    await runWorkers({ queue, concurrency: CONCURRENCY, logger, signal, work: syncNamespace });
  for (const removeHandler of removeHandlers) removeHandler();
}
