/** Calculates the status of a ReplicaSet from its active pods. The functions are pure. */
import { generationOf } from '../../shared/client/rest/api-object';
import { formatTimestamp } from '../../shared/api/metadata/object-meta';
import type { AppsV1ReplicaSetCondition, AppsV1ReplicaSetStatus } from '../../shared/api/types/generated/members';
import { equalJson } from '../../shared/values/json';
import { conditionOf, conditionsOf, withCondition } from '../runtime/conditions';
import { isPodReady, labelsOf } from '../runtime/pods';
import type { Pod } from '../../shared/client/rest/typed-objects';
import { omitZeros } from '../workload/omit-zeros';
import { isPodAvailable } from '../workload/pod-activity';
import { minReadySecondsOf, templateOf } from '../workload/spec';
import type { ReplicaOwner } from './replica-kinds';

/** The failure of an action, for the condition `ReplicaFailure`. */
export interface ReplicaFailure {
  readonly reason: 'FailedCreate' | 'FailedDelete';
  readonly message: string;
}

/**
 * `undefined` when the object has this status already. `failure`: undefined when no action of the sync failed, also when
 * there was none. `now`: milliseconds since 1970.
 */
export function calculateStatus(
  replicaSet: ReplicaOwner,
  activePods: readonly Pod[],
  failure: ReplicaFailure | undefined,
  now: number,
): AppsV1ReplicaSetStatus | undefined {
  const templateLabels = Object.entries(templateOf(replicaSet).metadata?.labels ?? {});
  const minReadySeconds = minReadySecondsOf(replicaSet);
  const count = (predicate: (pod: Pod) => boolean): number => activePods.reduce((sum, pod) => sum + (predicate(pod) ? 1 : 0), 0);
  const isFullyLabeled = (pod: Pod): boolean => {
    const labels = labelsOf(pod);
    return templateLabels.every(([key, value]) => labels[key] === value);
  };
  const conditions = calculateConditions(replicaSet, failure, now);
  const status: AppsV1ReplicaSetStatus = {
    replicas: activePods.length,
    ...omitZeros({
      fullyLabeledReplicas: count(isFullyLabeled),
      readyReplicas: count(isPodReady),
      availableReplicas: count((pod) => isPodAvailable(pod, minReadySeconds, now)),
      observedGeneration: generationOf(replicaSet),
    }),
    ...(conditions.length === 0 ? {} : { conditions: [...conditions] }),
  };
  return equalJson(status, omitZeros(replicaSet.body.status ?? {}, 'replicas')) ? undefined : status;
}

/** The condition keeps the first failure until a sync without a failure removes it, even a sync without actions. */
function calculateConditions(
  { body }: ReplicaOwner,
  failure: ReplicaFailure | undefined,
  now: number,
): readonly AppsV1ReplicaSetCondition[] {
  const conditions = conditionsOf(body);
  if (failure === undefined) return conditions.filter(({ type }) => type !== 'ReplicaFailure');
  if (conditionOf(body, 'ReplicaFailure') !== undefined) return conditions;
  const { reason, message } = failure;
  return withCondition(conditions, { type: 'ReplicaFailure', status: 'True', lastTransitionTime: formatTimestamp(now), reason, message });
}
