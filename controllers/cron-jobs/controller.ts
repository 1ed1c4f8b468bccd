/**
 * Watches CronJobs and their Jobs; creates and deletes Jobs and writes CronJob status. A sync requeues its CronJob for the
 * next scheduled time. Never adopts Jobs. Two things are unlike upstream. The first run of a CronJob in this process is
 * decided on the CronJob as the server has it, because another process may have started that run. And a sync is skipped
 * while the informer shows an older version of the CronJob than this process has written.
 */
import type { BatchV1CronJob, BatchV1Job } from '../../shared/api/types/generated/members';
import { undefinedIfNotFound } from '../../shared/client/rest/api-error';
import { keyOf } from '../../shared/client/rest/api-object';
import type { EventRecorder } from '../../shared/client/events/event-recorder';
import type { Informer } from '../../shared/client/informer/informer';
import { metadataOf } from '../../shared/client/rest/resource';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import { waitForSync, type Controller, type ControllerContext, type ControllerSettings } from '../runtime/controller';
import { watchDependents } from '../workload/dependent-events';
import { DependentIndex } from '../workload/dependent-index';
import { CronJobWriter } from './cron-job-writer';
import { CRON_JOBS, JOBS, type CronJob } from './job-from-template';
import type { Job } from '../../shared/client/rest/typed-objects';
import { newCreationSkewHistogram } from './metrics';
import { reconcileCronJob, type CronJobActions } from './reconcile';

/** The longest time between two syncs of a CronJob, because timers do not notice a change of the system clock. */
const MAX_REQUEUE_MS = 600_000;

export const cronJobController: Controller = {
  name: 'cronjob',
  aliases: ['cronjob-controller'],
  description: 'creates Jobs at the scheduled times of CronJobs',
  isOnByDefault: true,
  account: 'cronjob-controller',
  run: runCronJobs,
};

/** The part of the controller context that this controller uses. */
export type CronJobContext = Pick<ControllerContext, 'client' | 'informers' | 'clock' | 'logger' | 'signal' | 'queue' | 'metrics'> & {
  readonly events: Pick<EventRecorder, 'record'>;
  readonly settings: Pick<ControllerSettings, 'concurrentCronJobSyncs'>;
};

/** What the syncs of all CronJobs share. */
interface CronJobState {
  readonly cronJobs: Informer<BatchV1CronJob>;
  readonly jobIndex: DependentIndex<BatchV1Job>;
  readonly writer: CronJobWriter;
  /** The resourceVersions of the CronJobs that this process wrote, by key. */
  readonly writtenVersions: Map<string, string>;
  /** Uids of CronJobs that were read from the server before their first run in this process. */
  readonly readFromServer: Set<string>;
  readonly observeCreationSkew: (seconds: number) => void;
}

/** Resolves when the signal of the context is aborted and the syncs in progress have ended. */
export async function runCronJobs(context: CronJobContext): Promise<void> {
  const { informers, client, events, signal, settings, logger } = context;
  const cronJobs = informers.of(CRON_JOBS);
  const jobs = informers.of(JOBS);
  const state: CronJobState = {
    cronJobs,
    jobIndex: new DependentIndex(jobs),
    writer: new CronJobWriter({ client, events, signal }),
    writtenVersions: new Map(),
    readFromServer: new Set(),
    observeCreationSkew: newCreationSkewHistogram(context.metrics),
  };
  const queue = context.queue({ name: 'cronjob' });
  const enqueue = (cronJob: CronJob): void => queue.add(keyOf(cronJob));
  const removeHandlers = [
    cronJobs.handle({
      added: enqueue,
      updated: (_, cronJob) => enqueue(cronJob),
      deleted(cronJob) {
        state.writtenVersions.delete(keyOf(cronJob));
        state.readFromServer.delete(cronJob.uid);
      },
    }),
    watchDependents({ dependents: jobs, owners: cronJobs, ownerResource: CRON_JOBS, matches: () => false, onChange: enqueue }),
  ];
  if (await waitForSync([cronJobs, jobs], signal)) {
    const concurrency = settings.concurrentCronJobSyncs;
    await runWorkers({ queue, concurrency, logger, signal, work: (key) => syncCronJob(context, state, key) });
  }
  for (const removeHandler of removeHandlers) removeHandler();
  state.jobIndex.release();
}

async function syncCronJob(context: CronJobContext, state: CronJobState, key: string): Promise<WorkOutcome> {
  const { cronJobs, writer, writtenVersions, observeCreationSkew } = state;
  const observed = cronJobs.byKey(key);
  // When the informer is behind, the event of the newer version enqueues the CronJob again.
  if (observed === undefined || Number(observed.resourceVersion) < Number(writtenVersions.get(key) ?? 0)) return DONE;
  const reconciled = await reconcileWithLiveState(context, state, observed);
  if (reconciled === undefined) return DONE;
  const { cronJob, actions } = reconciled;
  const { updated, wasJobCreated } = await writer.execute(cronJob, actions);
  if (updated !== undefined) writtenVersions.set(key, updated.resourceVersion);
  if (wasJobCreated && actions.run !== undefined) observeCreationSkew((context.clock.now() - actions.run.scheduledTime) / 1_000);
  return actions.requeueAfterMs === undefined ? DONE : { type: 'again', afterMs: Math.min(actions.requeueAfterMs, MAX_REQUEUE_MS) };
}

/** The actions of a sync, and the version that they were decided on. */
interface Reconciled {
  readonly cronJob: CronJob;
  readonly actions: CronJobActions;
}

/**
 * Before the first run of a CronJob, reads it from the server: another process may have started the run. Undefined when
 * the CronJob does not exist any more.
 */
async function reconcileWithLiveState(context: CronJobContext, state: CronJobState, observed: CronJob): Promise<Reconciled | undefined> {
  const reconciled = await reconcile(context, state, observed);
  if (reconciled.actions.run === undefined || state.readFromServer.has(observed.uid)) return reconciled;
  const { namespace, name, uid } = observed;
  const live = await undefinedIfNotFound(context.client.of(CRON_JOBS).namespace(namespace).get(name, { signal: context.signal }));
  if (live?.uid !== uid) return undefined;
  state.readFromServer.add(uid);
  return live.resourceVersion === observed.resourceVersion ? reconciled : reconcile(context, state, live);
}

async function reconcile(context: CronJobContext, { jobIndex }: CronJobState, cronJob: CronJob): Promise<Reconciled> {
  const jobs = jobIndex.ownedBy(cronJob.uid);
  const missing = await missingActiveJobs(context, cronJob, jobs);
  return { cronJob, actions: reconcileCronJob({ cronJob, jobs, missing, now: context.clock.now() }) };
}

/**
 * Uids of Jobs in `status.active` that do not exist. The informer may be behind, so each Job that it does not show
 * is read from the server.
 */
async function missingActiveJobs(
  { client, signal }: CronJobContext,
  { namespace, body }: CronJob,
  jobs: readonly Job[],
): Promise<ReadonlySet<string>> {
  const observedUids = new Set(jobs.map(({ uid }) => uid));
  const missing = new Set<string>();
  for (const { uid, name } of body.status?.active ?? []) {
    if (uid === undefined || name === undefined || observedUids.has(uid)) continue;
    const live = await undefinedIfNotFound(client.of(metadataOf(JOBS)).namespace(namespace).get(name, { signal }));
    if (live?.uid !== uid) missing.add(uid);
  }
  return missing;
}
