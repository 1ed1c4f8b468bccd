/** Removes Jobs that have ended, and what is theirs, when the time that they are to be kept is over: by a timer for each, to the second. */
import { isConflict, isNotFound } from '../../shared/client/rest/api-error';
import { keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import { resourceOf } from '../../shared/client/rest/resource';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { expiryOf } from './reconcile';

const JOBS = resourceOf('batch.v1.Job');
/** Seconds. */
const DURATION_BUCKETS: readonly number[] = Array.from({ length: 14 }, (_, power) => 0.1 * 2 ** power);

export const ttlAfterFinishedController: Controller = {
  name: 'ttl-after-finished',
  aliases: ['ttl-after-finished-controller'],
  description: 'removes Jobs some time after their end',
  isOnByDefault: true,
  account: 'ttl-after-finished-controller',
  run,
};

async function run({ client, informers, clock, logger, signal, settings, queue: makeQueue, metrics }: ControllerContext): Promise<void> {
  const jobs = informers.of(JOBS);
  const queue = makeQueue({ name: 'ttl_jobs_to_delete' });
  const late = metrics.histogram(
    'ttl_after_finished_controller_job_deletion_duration_seconds',
    'Time from when a Job was to go to its deletion.',
    DURATION_BUCKETS,
  );
  const look = (job: ApiObject, previous?: ApiObject): void => {
    const expiry = expiryOf(job);
    const known = previous === undefined ? undefined : expiryOf(previous);
    const { namespace, name } = job;
    if (expiry.type === 'unclear' && known?.type !== 'unclear') logger.warn('a Job does not say when it ended', { namespace, name });
    if (expiry.type !== 'at' || (known?.type === 'at' && known.ms === expiry.ms)) return;
    queue.addAfter(keyOf(job), expiry.ms - clock.now());
  };
  const unhandle = jobs.handle({ added: (job) => look(job), updated: (previous, job) => look(job, previous) });
  const work = async (key: string): Promise<WorkOutcome> => {
    const job = jobs.byKey(key);
    const expiry = job === undefined ? undefined : expiryOf(job);
    if (job === undefined || expiry?.type !== 'at') return DONE;
    const now = clock.now();
    if (expiry.ms > now) return { type: 'again', afterMs: expiry.ms - now };
    const { namespace, name, uid, resourceVersion } = job;
    const preconditions = { uid, resourceVersion };
    try {
      await client.delete(JOBS, { namespace, name }, { propagationPolicy: 'Foreground', preconditions, signal });
      late((now - expiry.ms) / 1_000);
      return DONE;
    } catch (error) {
      if (isNotFound(error)) return DONE;
      // It has changed, which may mean that it is to be kept longer.
      if (isConflict(error)) return { type: 'wait' };
      throw error;
    }
  };
  if (await waitForSync([jobs], signal)) {
    await runWorkers({ queue, concurrency: settings.concurrentTtlAfterFinishedSyncs, logger, signal, work });
  }
  unhandle();
}
