/**
 * Watches namespaces; deletes the content of those that are being deleted, writes their conditions and removes their
 * finalizer.
 *
 * A namespace with remaining content is requeued after about half the longest grace period of the remaining objects; with
 * back-off when they have no grace period, or after a failure. As with upstream's OrderedNamespaceDeletion, pods are
 * deleted before everything else.
 */
import { isBeingDeleted } from '../../shared/client/rest/api-object';
import { runWorkers } from '../../shared/client/work-queue/workers';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { NamespacedResourcesDeleter, NAMESPACES, type Namespace } from './namespaced-resources-deleter';

export const namespaceController: Controller = {
  name: 'namespace',
  aliases: ['namespace-controller'],
  description: 'deletes the content of terminating namespaces',
  isOnByDefault: true,
  account: 'namespace-controller',
  run,
};

async function run(context: ControllerContext): Promise<void> {
  const { informers, logger, signal, settings } = context;
  const namespaces = informers.of(NAMESPACES);
  const queue = context.queue({ name: 'namespace', initialMs: 250, maxMs: 15_000 });
  const enqueueIfDeleted = (namespace: Namespace): void => {
    if (isBeingDeleted(namespace)) queue.add(namespace.name);
  };
  const removeHandler = namespaces.handle({ added: enqueueIfDeleted, updated: (_, namespace) => enqueueIfDeleted(namespace) });
  const deleter = new NamespacedResourcesDeleter(context);
  if (await waitForSync([namespaces], signal)) {
    const concurrency = settings.concurrentNamespaceSyncs;
    await runWorkers({ queue, concurrency, logger, signal, work: (name) => deleter.delete(name) });
  }
  removeHandler();
}
