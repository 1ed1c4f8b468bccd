/**
 * Watches Jobs, and deletes finished ones with the propagation policy `Foreground` when their `ttlSecondsAfterFinished`
 * is over. A finished Job is requeued at its expiration, and with back-off on conflicts and errors. Unlike upstream it
 * does not read the Job from the API server before the deletion: the precondition of the observed resourceVersion makes
 * the server refuse the deletion of a Job that has changed.
 */
import { isConflict, isNotFound } from '../../shared/client/rest/api-error';
import { keyOf } from '../../shared/client/rest/api-object';
import { resourceOf } from '../../shared/client/rest/resource';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { deletionDurationMetric } from './metrics';
import { expirationOf } from './reconcile';
import type { Job } from '../../shared/client/rest/typed-objects';

const JOBS = resourceOf('batch.v1.Job');

export const ttlAfterFinishedController: Controller = {
  name: 'ttl-after-finished',
  aliases: ['ttl-after-finished-controller'],
  description: 'deletes finished Jobs after their TTL',
  isOnByDefault: true,
  account: 'ttl-after-finished-controller',
  run,
};

async function run(context: ControllerContext): Promise<void> {
  const { client, informers, clock, logger, signal, settings } = context;
  const jobs = informers.of(JOBS);
  const queue = context.queue({ name: 'ttl_jobs_to_delete' });
  const observeDeletionDuration = deletionDurationMetric(context.metrics);
  const enqueue = (job: Job, previous?: Job): void => {
    const expiration = expirationOf(job);
    const previousExpiration = previous === undefined ? undefined : expirationOf(previous);
    const { namespace, name } = job;
    if (expiration.type === 'unknown' && previousExpiration?.type !== 'unknown') {
      logger.warn('a finished Job has no completion time', { namespace, name });
    }
    if (expiration.type !== 'at' || (previousExpiration?.type === 'at' && previousExpiration.ms === expiration.ms)) return;
    queue.addAfter(keyOf(job), expiration.ms - clock.now());
  };
  const removeHandlers = jobs.handle({ added: (job) => enqueue(job), updated: (previous, job) => enqueue(job, previous) });
  const work = async (key: string): Promise<WorkOutcome> => {
    const job = jobs.byKey(key);
    const expiration = job === undefined ? undefined : expirationOf(job);
    if (job === undefined || expiration?.type !== 'at') return DONE;
    const now = clock.now();
    if (expiration.ms > now) return { type: 'again', afterMs: expiration.ms - now };
    const { namespace, name, uid, resourceVersion } = job;
    const preconditions = { uid, resourceVersion };
    try {
      await client.of(JOBS).namespace(namespace).delete(name, { propagationPolicy: 'Foreground', preconditions, signal });
      observeDeletionDuration((now - expiration.ms) / 1_000);
      return DONE;
    } catch (error) {
      if (isNotFound(error)) return DONE;
      // The Job has changed, maybe to a longer TTL: the next attempt reads it from the informer again.
      if (isConflict(error)) return { type: 'wait' };
      throw error;
    }
  };
  if (await waitForSync([jobs], signal)) {
    await runWorkers({ queue, concurrency: settings.concurrentTtlAfterFinishedSyncs, logger, signal, work });
  }
  removeHandlers();
}
