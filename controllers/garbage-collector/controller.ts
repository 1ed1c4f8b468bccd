/**
 * Watches the metadata of all deletable resources; deletes objects with dangling owners, and removes owner references
 * and the finalizers of foreground deletion and orphaning.
 */
import type { Resource } from '../../shared/client/rest/resource';
import { runWorkers } from '../../shared/client/work-queue/workers';
import type { Controller, ControllerContext } from '../runtime/controller';
import { newKindLookup } from './deletable-resources';
import { GarbageCollector } from './garbage-collector';
import { MetadataTrimmer } from './metadata-trimmer';
import { OwnerGraph } from './owner-graph';
import { ResourceMonitors } from './resource-monitors';

export const garbageCollectorController: Controller = {
  name: 'garbage-collector',
  aliases: ['garbage-collector-controller', 'garbagecollector'],
  description: 'deletes objects with owners that no longer exist',
  isOnByDefault: true,
  isEnabled: ({ enableGarbageCollector }) => enableGarbageCollector,
  account: 'generic-garbage-collector',
  run,
};

/**
 * The graph of owners enqueues the objects that a change concerns in two queues, like upstream's attemptToDelete and
 * attemptToOrphan. An object with an owner that only the server knows is requeued with back-off. Workers start once every
 * monitor has synced or timed out.
 */
async function run(context: ControllerContext): Promise<void> {
  const { logger, signal, metrics } = context;
  const concurrency = context.settings.concurrentGarbageCollectorSyncs;
  const deleteQueue = context.queue({ name: 'garbage_collector_attempt_to_delete' });
  const orphanQueue = context.queue({ name: 'garbage_collector_attempt_to_orphan' });
  const countSyncError = metrics.counter(
    'garbagecollector_controller_resources_sync_error_total',
    'Resources that could not be listed in time.',
  );
  let kinds: ReadonlyMap<string, Resource> = new Map();
  const kindOf = (apiVersion: string, kind: string): Resource | undefined => newKindLookup(kinds)(apiVersion, kind);
  const graph = new OwnerGraph(
    { enqueueAttemptToDelete: (uid) => deleteQueue.add(uid), enqueueAttemptToOrphan: (uid) => orphanQueue.add(uid) },
    kindOf,
  );
  const collector = new GarbageCollector({ context, graph, kindOf, isGraphSynced: () => monitors.areSynced });
  const removeObject = (uid: string): void => {
    collector.objectDeleted(uid);
    graph.remove(uid);
  };
  const monitors: ResourceMonitors = new ResourceMonitors({
    ...context,
    trim: new MetadataTrimmer().trim,
    findInformer: (resource) => context.informers.find(resource),
    onDiscovered: (discovered) => (kinds = discovered.kinds),
    onSyncTimeout: countSyncError,
    listener: {
      put: (resource, object) => graph.put(resource, object),
      remove: ({ uid }) => removeObject(uid),
      resourceDeleted: (resource) => {
        for (const uid of graph.uidsOf(resource)) removeObject(uid);
      },
      forgetResource: (resource) => graph.forgetResource(resource),
      synced: () => graph.enqueueDependentsOfVirtualNodes(),
    },
  });
  let workers: Promise<unknown> = Promise.resolve();
  await monitors.run(() => {
    logger.info('the dependency graph is built', { objects: graph.size });
    workers = Promise.all([
      runWorkers({ queue: deleteQueue, concurrency, logger, signal, work: (uid) => collector.attemptToDelete(uid) }),
      runWorkers({ queue: orphanQueue, concurrency, logger, signal, work: (uid) => collector.attemptToOrphan(uid) }),
    ]);
  });
  await workers;
}
