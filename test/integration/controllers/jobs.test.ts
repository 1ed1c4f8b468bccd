/** Jobs and CronJobs, compared with upstream's controllers. */
import { replayControllers } from '../../support/scenarios/replay-controllers';

/**
 * The 15th of a month at 10:00 UTC, at most 31 days from now, while the certificates are valid. Recorded schedules are
 * due at midnight, some on the first of a month only: in a run around midnight they were due one time more.
 */
function farFromSchedules(now: Date): number {
  const month = now.getUTCMonth() + (now.getUTCDate() < 15 ? 0 : 1);
  return Date.UTC(now.getUTCFullYear(), month, 15, 10);
}

replayControllers('jobs', {
  startTime: farFromSchedules(new Date()),
  controllerArgs: [
    '--controllers=-*,job,cronjob,ttl-after-finished,serviceaccount,namespace,garbage-collector,resourcequota,pod-garbage-collector',
  ],
});
