/** ReplicaSets and ReplicationControllers, compared with upstream's controllers. */
import { replayControllers } from '../../support/scenarios/replay-controllers';

replayControllers('replica-sets', {
  controllerArgs: ['--controllers=-*,replicaset,replicationcontroller,serviceaccount,namespace,garbage-collector'],
});
