/** Deployments, compared with upstream's controllers. */
import { replayControllers } from '../../support/scenarios/replay-controllers';

replayControllers('deployments', {
  controllerArgs: ['--controllers=-*,deployment,replicaset,serviceaccount,namespace,garbage-collector'],
});
