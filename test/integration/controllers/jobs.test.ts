/** Jobs and CronJobs, compared with upstream's controllers. */
import { replayControllers } from '../../support/scenarios/replay-controllers';

replayControllers('jobs', {
  controllerArgs: [
    '--controllers=-*,job,cronjob,ttl-after-finished,serviceaccount,namespace,garbage-collector,resourcequota,pod-garbage-collector',
  ],
});
