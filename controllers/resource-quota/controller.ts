/**
 * Watches ResourceQuotas and the resources that they limit; writes ResourceQuota status. Admission, not this
 * controller, enforces quotas. A quota is enqueued:
 *
 * - when its spec changes, or a resource that it limits is added or removed
 * - shortly after a change of an object that it limits ({@link BATCH_MS})
 * - some time after a change of its status ({@link STATUS_CHECK_MS})
 * - periodically, and for the time at which the usage changes without a change of an object
 */
import type { CoreV1ResourceQuota } from '../../shared/api/types/generated/members';
import { ignoreNotFound } from '../../shared/client/rest/api-error';
import { keyOf } from '../../shared/client/rest/api-object';
import type { Informer } from '../../shared/client/informer/informer';
import { resourceOf } from '../../shared/client/rest/resource';
import { sleepUnlessAborted } from '../../shared/client/signals';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import type { WorkQueue } from '../../shared/client/work-queue/work-queue';
import { equalJson } from '../../shared/values/json';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { indexInformer } from '../runtime/object-index';
import { runSteps } from '../../shared/scheduling/steps';
import { TimeSlice } from '../../shared/scheduling/yielding';
import { QuotaMonitor } from './quota-monitor';
import { countedLimits, reconcileQuota, resourceKeyOf, type ResourceQuota } from './reconcile';

const QUOTAS = resourceOf('core.v1.ResourceQuota');
const NAMESPACE_INDEX = 'namespace';
/** Changes of limited objects within this time cause one sync. Milliseconds. */
const BATCH_MS = 50;
/**
 * The delay between a change of the status and the next sync. Admission writes the usage of an object before the
 * informer shows the object; an object that was deleted again before that write leaves a wrong usage without another
 * event. Milliseconds.
 */
const STATUS_CHECK_MS = 5_000;

/** The part of the controller context that is used here. */
type QuotaContext = Pick<ControllerContext, 'client' | 'informers' | 'clock' | 'random' | 'logger' | 'signal' | 'queue'> & {
  readonly settings: Pick<ControllerContext['settings'], 'concurrentQuotaSyncs' | 'quotaSyncPeriodMs'>;
};

export const resourceQuotaController: Controller = {
  name: 'resourcequota',
  aliases: ['resourcequota-controller'],
  description: 'writes the status of ResourceQuotas: the used amounts',
  isOnByDefault: true,
  account: 'resourcequota-controller',
  run: runResourceQuota,
};

/** Resolves when the signal of the context is aborted and the syncs in progress have ended. */
export async function runResourceQuota(context: QuotaContext): Promise<void> {
  const { informers, logger, signal, settings } = context;
  const quotas = informers.of(QUOTAS);
  const quotaIndex = indexInformer(quotas, { [NAMESPACE_INDEX]: ({ namespace }) => [namespace] });
  const queue = context.queue({ name: 'resourcequota_primary' });
  const enqueueLater = batchedEnqueue(context, queue);
  const monitor = new QuotaMonitor(context, {
    onUsageChange: (resourceKey, namespace) => {
      for (const quota of quotaIndex.find(NAMESPACE_INDEX, namespace)) if (limitsResource(quota, resourceKey)) enqueueLater(keyOf(quota));
    },
    onResourcesChange: (resourceKeys) => {
      for (const quota of quotas.list())
        if ([...resourceKeys].some((resourceKey) => limitsResource(quota, resourceKey))) queue.add(keyOf(quota));
    },
  });
  const removeHandler = watchQuotas(quotas, queue);
  const work = (key: string): Promise<WorkOutcome> => syncResourceQuota(context, quotas.byKey(key), monitor);
  if (await waitForSync([quotas], signal)) {
    await Promise.all([
      runWorkers({ queue, concurrency: settings.concurrentQuotaSyncs, logger, signal, work }),
      monitor.syncPeriodically(),
      enqueueAllPeriodically(context, quotas, queue),
    ]);
  }
  removeHandler();
  quotaIndex.end();
  monitor.end();
}

function watchQuotas(quotas: Informer<CoreV1ResourceQuota>, queue: WorkQueue): () => void {
  return quotas.handle({
    added: (quota) => queue.add(keyOf(quota)),
    updated: (previous, current) => {
      if (!equalJson(previous.body.spec, current.body.spec)) queue.add(keyOf(current));
      else if (!equalJson(previous.body.status, current.body.status)) queue.addAfter(keyOf(current), STATUS_CHECK_MS);
    },
  });
}

/** Whether the quota limits the objects of the resource. */
const limitsResource = (quota: ResourceQuota, resourceKey: string): boolean =>
  [...countedLimits(quota).values()].some(({ kind }) => resourceKeyOf(kind) === resourceKey);

/** Returns a function that adds keys to the queue after {@link BATCH_MS}, each of them once. */
function batchedEnqueue({ clock, signal }: QuotaContext, queue: WorkQueue): (key: string) => void {
  const batch = new Set<string>();
  return (key) => {
    if (batch.size === 0 && !signal.aborted) {
      clock.after(BATCH_MS, () => {
        for (const batchedKey of batch) queue.add(batchedKey);
        batch.clear();
      });
    }
    batch.add(key);
  };
}

async function enqueueAllPeriodically(
  { clock, settings, signal }: QuotaContext,
  quotas: Informer<CoreV1ResourceQuota>,
  queue: WorkQueue,
): Promise<void> {
  while (await sleepUnlessAborted(clock, settings.quotaSyncPeriodMs, signal)) for (const quota of quotas.list()) queue.add(keyOf(quota));
}

async function syncResourceQuota(
  { client, clock, signal }: QuotaContext,
  quota: ResourceQuota | undefined,
  monitor: QuotaMonitor,
): Promise<WorkOutcome> {
  if (quota === undefined) return DONE;
  const delays: number[] = [];
  for (const { kind } of countedLimits(quota).values()) delays.push((await monitor.ensureMonitor(kind)) ?? Number.POSITIVE_INFINITY);
  const { status, requeueAfterMs } = await runSteps(
    reconcileQuota(quota, (resource) => monitor.objectsIn(quota.namespace, resource), clock.now()),
    new TimeSlice(clock, { stepsPerCheck: 1 }),
  );
  if (status !== undefined) {
    await client
      .of(QUOTAS)
      .namespace(quota.namespace)
      .updateStatus({ ...quota.body, status }, { signal })
      .catch(ignoreNotFound);
  }
  const afterMs = Math.min(requeueAfterMs ?? Number.POSITIVE_INFINITY, ...delays);
  return Number.isFinite(afterMs) ? { type: 'again', afterMs } : DONE;
}
