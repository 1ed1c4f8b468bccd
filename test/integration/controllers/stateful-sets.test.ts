/** StatefulSets, compared with upstream's controllers. */
import { replayControllers } from '../../support/scenarios/replay-controllers';

replayControllers('stateful-sets', {
  controllerArgs: ['--controllers=-*,statefulset,serviceaccount,namespace,garbage-collector,persistentvolumeclaim-protection'],
});
