/** Deployments, as the reference's controllers roll them out. */
import { replayControllers } from '../../support/replay-controllers';

replayControllers('deployments', {
  controllerArgs: ['--controllers=-*,deployment,replicaset,serviceaccount,namespace,garbage-collector'],
});
