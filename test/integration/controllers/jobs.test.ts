/** Jobs and CronJobs, as the reference's controllers run them. */
import { replayControllers } from '../../support/replay-controllers';

replayControllers('jobs', {
  controllerArgs: [
    '--controllers=-*,job,cronjob,ttl-after-finished,serviceaccount,namespace,garbage-collector,resourcequota,pod-garbage-collector',
  ],
});
