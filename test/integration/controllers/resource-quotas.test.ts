/** Usage of resource quotas, compared with the counts of upstream's controller and admission. */
import type { ObservedState } from '../../replay/scenarios/scenario';
import { isBody, type Json } from '../../replay/json-response';
import { replayControllers } from '../../support/scenarios/replay-controllers';

/** Replaces the limit and the usage of secrets in the status of the quota with the given name. */
const withSecrets =
  (name: string, hard: string, used: string) =>
  (state: ObservedState): ObservedState =>
    Object.fromEntries(
      Object.entries(state).map(([path, items]) => [
        path,
        items.map((item): Json => {
          const [metadata, status] = isBody(item) ? [item['metadata'], item['status']] : [];
          if (!isBody(item) || !isBody(metadata) || !isBody(status) || metadata['name'] !== name) return item;
          const limits = status['hard'];
          const usage = status['used'];
          if (!isBody(limits) || !isBody(usage)) return item;
          return { ...item, status: { ...status, hard: { ...limits, secrets: hard }, used: { ...usage, secrets: used } } };
        }),
      ]),
    );

replayControllers('resource-quotas', {
  deviations: {
    // A status that another client has written is corrected within five seconds; with upstream it stays until the
    // next full count.
    'quota-objects: its status is overwritten': withSecrets('q', '5', '0'),
  },
  controllerArgs: ['--controllers=-*,resourcequota,serviceaccount,namespace,persistentvolumeclaim-protection'],
});
