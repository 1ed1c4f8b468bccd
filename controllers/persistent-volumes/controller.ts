/**
 * Binds PersistentVolumeClaims to PersistentVolumes, and writes the phases of both. One worker syncs claims and another
 * one volumes, so that no two claims compete for a volume within the process. Everything is synced periodically.
 *
 * Unlike upstream's, this controller has no volume plug-ins. Other programs provision volumes. A released volume becomes
 * Failed when its policy is Recycle, and when its policy is Delete and no other program deletes it. A claim that waits is
 * enqueued shortly after a volume or class for it appears, where upstream waits for the next period.
 */
import { ignoreNotFound } from '../../shared/client/rest/api-error';
import { resourceOf } from '../../shared/client/rest/resource';
import type { Claim } from '../../shared/client/rest/typed-objects';
import { TimeSlice } from '../../shared/scheduling/yielding';
import { sleepUnlessAborted } from '../../shared/client/signals';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { assignedClassMetrics, countStorage } from './metrics';
import { storageNames } from './storage-names';
import type { Volume } from './storage-objects';
import { StorageState } from './storage-state';
import { CLAIMS, VolumeBinder, VOLUMES } from './volume-binder';

const CLASSES = resourceOf('storage.v1.StorageClass');
const PODS = resourceOf('core.v1.Pod');

export const volumeBinderController: Controller = {
  name: 'persistentvolume-binder',
  aliases: ['persistentvolume-binder-controller'],
  description: 'binds claims and volumes to each other',
  isOnByDefault: true,
  component: 'persistentvolume-controller',
  account: 'persistent-volume-binder',
  run: bindVolumes,
};

/** The part of the controller context that this controller uses. */
export type VolumeBinderContext = Pick<
  ControllerContext,
  'client' | 'informers' | 'clock' | 'logger' | 'names' | 'signal' | 'queue' | 'metrics'
> & {
  readonly events: Pick<ControllerContext['events'], 'record'>;
  readonly settings: Pick<ControllerContext['settings'], 'volumeSyncPeriodMs'>;
};

/** Resolves when the signal of the context is aborted and the syncs in progress have ended. */
export async function bindVolumes(context: VolumeBinderContext): Promise<void> {
  const { client, clock, events, logger, names, signal } = context;
  const informers = {
    volumes: context.informers.of(VOLUMES),
    claims: context.informers.of(CLAIMS),
    classes: context.informers.of(CLASSES),
    pods: context.informers.of(PODS),
  };
  const volumeQueue = context.queue({ name: 'volumes' });
  const claimQueue = context.queue({ name: 'claims' });
  const enqueueClaim = (key: string): void => claimQueue.add(key);
  const counts = countStorage(context.metrics, names.prefix);
  const queues = { enqueueClaim, enqueueVolume: (name: string) => volumeQueue.add(name) };
  const state = new StorageState({ informers, queues, counts, clock, signal });
  const binder = new VolumeBinder({
    client,
    events,
    names: storageNames(names),
    clock,
    signal,
    observed: state,
    onWritten: { volume: (volume) => state.volumes.set(volume), claim: (claim) => state.claims.set(claim) },
    enqueueClaim,
    countAssignedClass: assignedClassMetrics(context.metrics),
  });
  // The sync of an object that needs no write awaits no response. The slice makes both workers yield to the event loop.
  const slice = new TimeSlice(clock);
  const forget = (key: string): void => binder.forget(key);
  const syncClaim = syncer({ slice, find: (key) => state.claim(key), sync: (claim: Claim) => binder.syncClaim(claim), forget });
  const syncVolume = syncer({ slice, find: (name) => state.volume(name), sync: (volume: Volume) => binder.syncVolume(volume), forget });
  if (await waitForSync(Object.values(informers), signal)) {
    const options = { concurrency: 1, logger, signal };
    await Promise.all([
      runWorkers({ ...options, queue: claimQueue, work: syncClaim }),
      runWorkers({ ...options, queue: volumeQueue, work: syncVolume }),
      enqueueAllPeriodically(context, state),
    ]);
  }
  counts.end();
  state.end();
}

async function enqueueAllPeriodically({ clock, settings, signal }: VolumeBinderContext, state: StorageState): Promise<void> {
  while (await sleepUnlessAborted(clock, settings.volumeSyncPeriodMs, signal)) await state.enqueueAll();
}

/** What the workers of claims and of volumes differ in. */
interface SyncerOptions<T> {
  readonly slice: TimeSlice;
  /** Undefined for an object that was deleted. */
  readonly find: (key: string) => T | undefined;
  readonly sync: (object: T) => Promise<void>;
  readonly forget: (key: string) => void;
}

/** The work of a queue. An object that was deleted needs no sync: its deletion enqueues what depends on it. */
function syncer<T>({ slice, find, sync, forget }: SyncerOptions<T>): (key: string) => Promise<WorkOutcome> {
  return async (key) => {
    const pause = slice.yieldIfDue();
    if (pause !== undefined) await pause;
    const object = find(key);
    if (object === undefined) forget(key);
    else await sync(object).catch(ignoreNotFound);
    return DONE;
  };
}
