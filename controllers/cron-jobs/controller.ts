/**
 * Makes a Job each time that a CronJob is due, by a timer for each, and keeps as few ended ones as it says. Never touches a Job that has begun, unless
 * another one is to take its place.
 */
import { isNotFound } from '../../shared/client/rest/api-error';
import { keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import type { EventRecorder } from '../../shared/client/events/event-recorder';
import type { Informer } from '../../shared/client/informer/informer';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import { DependentIndex } from '../workload/dependent-index';
import { watchDependents } from '../workload/dependent-events';
import { waitForSync, type Controller, type ControllerContext, type ControllerSettings } from '../runtime/controller';
import { metadataOf } from '../../shared/client/rest/resource';
import { CRON_JOBS, JOBS } from './job-for-schedule';
import { activeOf, planCron, type CronPlan } from './reconcile';
import { CronWrites } from './cron-job-writer';

/** Timers do not notice when the clock on the wall is set: it is looked at so often. Milliseconds. */
const LONGEST_MS = 600_000;
/** Seconds. */
const SKEW_BUCKETS: readonly number[] = Array.from({ length: 10 }, (_, power) => 2 ** power);

export const cronJobController: Controller = {
  name: 'cronjob',
  aliases: ['cronjob-controller'],
  description: 'makes Jobs at the times that CronJobs say',
  isOnByDefault: true,
  account: 'cronjob-controller',
  run: runCronJobs,
};

/** What it uses of what it is given. */
export type CronContext = Pick<ControllerContext, 'client' | 'informers' | 'clock' | 'logger' | 'signal' | 'queue' | 'metrics'> & {
  readonly events: Pick<EventRecorder, 'record'>;
  readonly settings: Pick<ControllerSettings, 'concurrentCronJobSyncs'>;
};

interface SeenCrons {
  readonly crons: Informer;
  readonly jobsOf: DependentIndex;
  readonly writes: CronWrites;
  /** The versions that were written here, by key: an older one would do the same again. */
  readonly written: Map<string, string>;
  /** Uids of those whose state the server was asked for. */
  readonly asked: Set<string>;
  readonly late: (seconds: number) => void;
}

export async function runCronJobs(context: CronContext): Promise<void> {
  const { informers, client, events, signal, settings, logger } = context;
  const [crons, jobs] = [informers.of(CRON_JOBS), informers.of(JOBS)];
  const seen: SeenCrons = {
    crons,
    jobsOf: new DependentIndex(jobs),
    writes: new CronWrites({ client, events, signal }),
    written: new Map(),
    asked: new Set(),
    late: context.metrics.histogram(
      'cronjob_controller_job_creation_skew_duration_seconds',
      'Time between when a cronjob is scheduled to be run, and when the corresponding job is created',
      SKEW_BUCKETS,
    ),
  };
  const queue = context.queue({ name: 'cronjob' });
  const tell = (cron: ApiObject): void => queue.add(keyOf(cron));
  const unhandle = [
    crons.handle({
      added: tell,
      updated: (_, cron) => tell(cron),
      deleted(cron) {
        seen.written.delete(keyOf(cron));
        seen.asked.delete(cron.uid);
      },
    }),
    watchDependents({ dependents: jobs, owners: crons, resource: CRON_JOBS, matches: () => false, onChange: tell }),
  ];
  const work = (key: string): Promise<WorkOutcome> => sync(context, seen, key);
  if (await waitForSync([crons, jobs], signal))
    await runWorkers({ queue, concurrency: settings.concurrentCronJobSyncs, logger, signal, work });
  for (const remove of unhandle) remove();
  seen.jobsOf.release();
}

async function sync(context: CronContext, seen: SeenCrons, key: string): Promise<WorkOutcome> {
  const { clock } = context;
  const { crons, writes, written, late } = seen;
  const followed = crons.byKey(key);
  // The event of what was written comes, and is another reason to look.
  if (followed === undefined || Number(followed.resourceVersion) < Number(written.get(key) ?? 0)) return DONE;
  const look = await certainLook(context, seen, followed);
  if (look === undefined) return DONE;
  const { cron, plan } = look;
  const carried = await writes.carryOut(cron, plan);
  if (carried.written !== undefined) written.set(key, carried.written.resourceVersion);
  if (carried.hasRun && plan.run !== undefined) late((clock.now() - plan.run.scheduledAt) / 1_000);
  return plan.againMs === undefined ? DONE : { type: 'again', afterMs: Math.min(plan.againMs, LONGEST_MS) };
}

interface CronLook {
  readonly cron: ApiObject;
  readonly plan: CronPlan;
}

/** Another process may have begun the run that is due: before the first one of this process the server is asked. Undefined = it is gone. */
async function certainLook(context: CronContext, seen: SeenCrons, followed: ApiObject): Promise<CronLook | undefined> {
  const look = await lookAt(context, seen, followed);
  if (look.plan.run === undefined || seen.asked.has(followed.uid)) return look;
  const { namespace, name, uid } = followed;
  const found = await unlessMissing(context.client.get(CRON_JOBS, { namespace, name }, { signal: context.signal }));
  if (found?.uid !== uid) return undefined;
  seen.asked.add(uid);
  return found.resourceVersion === followed.resourceVersion ? look : lookAt(context, seen, found);
}

async function lookAt(context: CronContext, { jobsOf }: SeenCrons, cron: ApiObject): Promise<CronLook> {
  const jobs = jobsOf.ownedBy(cron.uid);
  const missing = await missingOf(context, cron, jobs);
  return { cron, plan: planCron({ cron, jobs, missing, now: context.clock.now() }) };
}

/** What is followed may be behind: only the server knows that a Job is gone. */
async function missingOf({ client, signal }: CronContext, cron: ApiObject, jobs: readonly ApiObject[]): Promise<ReadonlySet<string>> {
  const there = new Set(jobs.map(({ uid }) => uid));
  const missing = new Set<string>();
  for (const { uid, name } of activeOf(cron)) {
    if (typeof uid !== 'string' || typeof name !== 'string' || there.has(uid)) continue;
    const found = await unlessMissing(client.get(metadataOf(JOBS), { namespace: cron.namespace, name }, { signal }));
    if (found?.uid !== uid) missing.add(uid);
  }
  return missing;
}

async function unlessMissing(asked: Promise<ApiObject>): Promise<ApiObject | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
