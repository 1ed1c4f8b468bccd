/** DaemonSets, as the reference's controllers keep them. */
import { replayControllers } from '../../support/replay-controllers';

replayControllers('daemon-sets', {
  controllerArgs: ['--controllers=-*,daemonset,nodelifecycle,serviceaccount,namespace,garbage-collector'],
});
