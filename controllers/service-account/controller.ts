/** Sees to it that every namespace has its service account `default`, and makes it again when it is deleted. */
import { resourceOf } from '../../shared/client/rest/resource';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { createInNamespace } from '../runtime/create-in-namespace';
import { DEFAULT_ACCOUNT, missingAccount } from './reconcile';

const NAMESPACES = resourceOf('core.v1.Namespace');
const ACCOUNTS = resourceOf('core.v1.ServiceAccount');
const CONCURRENCY = 4;

export const serviceAccountController: Controller = {
  name: 'serviceaccount',
  aliases: ['serviceaccount-controller'],
  description: 'makes the service account "default" in every namespace',
  isOnByDefault: true,
  account: 'service-account-controller',
  run,
};

async function run({ client, informers, queue: makeQueue, logger, signal }: ControllerContext): Promise<void> {
  const namespaces = informers.of(NAMESPACES);
  const accounts = informers.of(ACCOUNTS, { fieldSelector: `metadata.name=${DEFAULT_ACCOUNT}` });
  const queue = makeQueue({ name: 'serviceaccount' });
  const unhandle = [
    namespaces.handle({ added: ({ name }) => queue.add(name), updated: (_, { name }) => queue.add(name) }),
    accounts.handle({ deleted: ({ namespace }) => queue.add(namespace) }),
  ];
  const work = async (name: string): Promise<WorkOutcome> => {
    const missing = missingAccount(namespaces.get('', name), accounts.get(name, DEFAULT_ACCOUNT));
    if (missing !== undefined) await createInNamespace(client, ACCOUNTS, missing, signal);
    return DONE;
  };
  if (await waitForSync([namespaces, accounts], signal)) await runWorkers({ queue, concurrency: CONCURRENCY, logger, signal, work });
  for (const remove of unhandle) remove();
}
