/** Usage of quotas, as the reference's controllers and its admission count it. */
import { replayControllers } from '../../support/replay-controllers';

replayControllers('resource-quotas', {
  controllerArgs: ['--controllers=-*,resourcequota,serviceaccount,namespace,persistentvolumeclaim-protection'],
});
