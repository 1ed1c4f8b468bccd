/** Deployments, compared with the reference's controllers. */
import { replayControllers } from '../../support/replay-controllers';

replayControllers('deployments', {
  controllerArgs: ['--controllers=-*,deployment,replicaset,serviceaccount,namespace,garbage-collector'],
});
