/** StatefulSets, as the reference's controllers keep them. */
import { replayControllers } from '../../support/replay-controllers';

replayControllers('stateful-sets', {
  controllerArgs: ['--controllers=-*,statefulset,serviceaccount,namespace,garbage-collector,persistentvolumeclaim-protection'],
});
