/**
 * Behaviour of workloads that upstream's conformance tests check and no other scenario covers, compared with the
 * reference's controllers.
 */
import { replayControllers } from '../../support/scenarios/replay-controllers';

replayControllers('conformance', {
  controllerArgs: [
    '--controllers=-*,deployment,replicaset,replicationcontroller,statefulset,daemonset,resourcequota,disruption,serviceaccount,namespace,garbage-collector',
  ],
});
