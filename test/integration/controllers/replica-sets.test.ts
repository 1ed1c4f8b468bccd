/** Sets of pods, as the reference's controllers keep them. */
import { replayControllers } from '../../support/replay-controllers';

replayControllers('replica-sets', {
  controllerArgs: ['--controllers=-*,replicaset,replicationcontroller,serviceaccount,namespace,garbage-collector'],
});
