/**
 * Makes a Job each time that a CronJob is due, by a timer for each, and keeps as few ended ones as it says. Never touches a Job that has begun, unless
 * another one is to take its place.
 */
import { isNotFound } from '../../shared/client/api-error';
import { keyOf, type ApiObject } from '../../shared/client/api-object';
import type { Informer } from '../../shared/client/informer';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/workers';
import { Dependants } from '../owned/dependants';
import { followDependants } from '../owned/follow';
import { synced, type Controller, type ControllerContext } from '../runtime/controller';
import { CRON_JOBS, JOBS } from './names';
import { activeOf, planCron } from './reconcile';
import { CronWrites } from './writes';

/** Seconds. */
const SKEW_BUCKETS: readonly number[] = Array.from({ length: 10 }, (_, power) => 2 ** power);

export const cronJobController: Controller = {
  name: 'cronjob',
  aliases: ['cronjob-controller'],
  description: 'makes Jobs at the times that CronJobs say',
  isOnByDefault: true,
  account: 'cronjob-controller',
  run,
};

interface SeenCrons {
  readonly crons: Informer;
  readonly jobsOf: Dependants;
  readonly writes: CronWrites;
  /** The versions that were written here, by key: an older one would do the same again. */
  readonly written: Map<string, string>;
  readonly late: (seconds: number) => void;
}

async function run(context: ControllerContext): Promise<void> {
  const { informers, client, events, signal, settings, logger } = context;
  const [crons, jobs] = [informers.of({ resource: CRON_JOBS }), informers.of({ resource: JOBS })];
  const seen: SeenCrons = {
    crons,
    jobsOf: new Dependants(jobs),
    writes: new CronWrites({ client, events, signal }),
    written: new Map(),
    late: context.metrics.histogram(
      'cronjob_controller_job_creation_skew_duration_seconds',
      'Time between when a cronjob is scheduled to be run, and when the corresponding job is created',
      SKEW_BUCKETS,
    ),
  };
  const queue = context.queue({ name: 'cronjob' });
  const tell = (cron: ApiObject): void => queue.add(keyOf(cron));
  const unhandle = [
    crons.handle({ added: tell, updated: (_, cron) => tell(cron), deleted: (cron) => void seen.written.delete(keyOf(cron)) }),
    followDependants({ dependants: jobs, owners: crons, resource: CRON_JOBS, wants: () => false, tell }),
  ];
  const work = (key: string): Promise<WorkOutcome> => sync(context, seen, key);
  if (await synced([crons, jobs], signal)) await runWorkers({ queue, concurrency: settings.concurrentCronJobSyncs, logger, signal, work });
  for (const remove of unhandle) remove();
  seen.jobsOf.end();
}

async function sync(context: ControllerContext, { crons, jobsOf, writes, written, late }: SeenCrons, key: string): Promise<WorkOutcome> {
  const { clock } = context;
  const cron = crons.byKey(key);
  // The event of what was written comes, and is another reason to look.
  if (cron === undefined || Number(cron.resourceVersion) < Number(written.get(key) ?? 0)) return DONE;
  const jobs = jobsOf.of(cron.uid);
  const missing = await missingOf(context, cron, jobs);
  const plan = planCron({ cron, jobs, missing, now: clock.now() });
  const carried = await writes.carryOut(cron, plan);
  if (carried.written !== undefined) written.set(key, carried.written.resourceVersion);
  if (carried.hasRun && plan.run !== undefined) late((clock.now() - plan.run.scheduledAt) / 1_000);
  return plan.againMs === undefined ? DONE : { type: 'again', afterMs: plan.againMs };
}

/** What is followed may be behind: only the server knows that a Job is gone. */
async function missingOf({ client, signal }: ControllerContext, cron: ApiObject, jobs: readonly ApiObject[]): Promise<ReadonlySet<string>> {
  const there = new Set(jobs.map(({ uid }) => uid));
  const missing = new Set<string>();
  for (const { uid, name } of activeOf(cron)) {
    if (typeof uid !== 'string' || typeof name !== 'string' || there.has(uid)) continue;
    const found = await client.get(JOBS, { namespace: cron.namespace, name }, { metadataOnly: true, signal }).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    if (found?.uid !== uid) missing.add(uid);
  }
  return missing;
}
