/**
 * Removes objects whose owners are gone, makes owners wait for their children or lets children outlive them, as whoever deletes asks. Follows the metadata of every
 * kind that is served.
 */
import type { Resource } from '../../shared/client/rest/resource';
import { aborted } from '../../shared/client/signals';
import { runWorkers } from '../../shared/client/work-queue/workers';
import type { Controller, ControllerContext } from '../runtime/controller';
import { Collector } from './garbage-collector';
import { OwnerGraph } from './owner-graph';
import { kindLookup } from './deletable-resources';
import { Monitors } from './resource-monitors';
import { Trimmer } from './owner-references';

export const garbageCollectorController: Controller = {
  name: 'garbage-collector',
  aliases: ['garbage-collector-controller', 'garbagecollector'],
  description: 'removes objects whose owners are gone',
  isOnByDefault: true,
  account: 'generic-garbage-collector',
  run: (context) => (context.settings.enableGarbageCollector ? run(context) : aborted(context.signal)),
};

async function run(context: ControllerContext): Promise<void> {
  const { logger, signal, metrics } = context;
  const concurrency = context.settings.concurrentGarbageCollectorSyncs;
  const looks = context.queue({ name: 'garbage_collector_attempt_to_delete' });
  const orphans = context.queue({ name: 'garbage_collector_attempt_to_orphan' });
  const unsynced = metrics.counter('garbagecollector_controller_resources_sync_error_total', 'Resources that could not be read in time.');
  let kinds: ReadonlyMap<string, Resource> = new Map();
  const kindOf = (apiVersion: string, kind: string): Resource | undefined => kindLookup(kinds)(apiVersion, kind);
  const graph = new OwnerGraph({ look: (uid) => looks.add(uid), orphan: (uid) => orphans.add(uid) }, kindOf);
  const collector = new Collector({ context, graph, kindOf, isSettled: () => monitors.isSettled });
  const remove = (uid: string): void => {
    collector.gone(uid);
    graph.remove(uid);
  };
  const monitors: Monitors = new Monitors({
    ...context,
    trim: new Trimmer().trim,
    onDiscovered: (discovered) => (kinds = discovered.kinds),
    onUnsynced: unsynced,
    listener: {
      put: (resource, object) => graph.put(resource, object),
      remove: ({ uid }) => remove(uid),
      gone: (resource) => graph.of(resource).forEach(remove),
      forget: (resource) => graph.forgetAll(resource),
      settled: () => graph.tellUnseen(),
    },
  });
  let working: Promise<unknown> = Promise.resolve();
  await monitors.run(() => {
    logger.info('the graph of owners is known', { objects: graph.size });
    working = Promise.all([
      runWorkers({ queue: looks, concurrency, logger, signal, work: (uid) => collector.look(uid) }),
      runWorkers({ queue: orphans, concurrency, logger, signal, work: (uid) => collector.orphan(uid) }),
    ]);
  });
  await working;
}
