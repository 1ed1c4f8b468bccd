/** Usage of resource quotas, compared with the counts of upstream's controller and admission. */
import type { ObservedState } from '../../replay/scenarios/scenario';
import { isBody } from '../../replay/json-response';
import { changeNamed } from '../../support/scenarios/observed-state';
import { replayControllers } from '../../support/scenarios/replay-controllers';

/** Replaces the limit and the usage of secrets in the status of the quota with the given name. */
const withSecrets =
  (name: string, hard: string, used: string) =>
  (state: ObservedState): ObservedState =>
    changeNamed(state, { name }, (quota) => {
      const status = isBody(quota['status']) ? quota['status'] : {};
      const { hard: limits, used: usage } = status;
      if (!isBody(limits) || !isBody(usage)) return quota;
      return { ...quota, status: { ...status, hard: { ...limits, secrets: hard }, used: { ...usage, secrets: used } } };
    });

replayControllers('resource-quotas', {
  deviations: {
    // A status that another client has written is corrected within five seconds; with upstream it stays until the
    // next full count.
    'quota-objects: its status is overwritten': withSecrets('q', '5', '0'),
  },
  controllerArgs: ['--controllers=-*,resourcequota,serviceaccount,namespace,persistentvolumeclaim-protection'],
});
