/** DaemonSets, compared with upstream's controllers. */
import { replayControllers } from '../../support/scenarios/replay-controllers';

replayControllers('daemon-sets', {
  controllerArgs: ['--controllers=-*,daemonset,nodelifecycle,serviceaccount,namespace,garbage-collector'],
});
