/** What upstream's conformance tests show of workloads and no other scenario does, as the reference's controllers do it. */
import { replayControllers } from '../../support/replay-controllers';

replayControllers('conformance', {
  controllerArgs: [
    '--controllers=-*,deployment,replicaset,replicationcontroller,statefulset,daemonset,resourcequota,disruption,serviceaccount,namespace,garbage-collector',
  ],
});
