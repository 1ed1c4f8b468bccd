/** Calculates the status of a StatefulSet from its pods. The functions are pure. */
import type { AppsV1StatefulSetStatus } from '../../shared/api/types/generated/members';
import { generationOf, isBeingDeleted } from '../../shared/client/rest/api-object';
import { equalJson } from '../../shared/values/json';
import type { Pod } from '../../shared/client/rest/typed-objects';
import { omitZeros } from '../workload/omit-zeros';
import { isPodAvailable } from '../workload/pod-activity';
import { minReadySecondsOf } from '../workload/spec';
import { podRevisionOf } from './identity';
import { isRunningAndReady, type StatefulSetView } from './reconcile';
import { updateStrategyOf } from './stateful-set';

/**
 * `undefined` when the object has this status already. The update revision becomes the current one when a rolling update
 * is complete: all pods have the update revision and are ready. `collisionCount`: of the names of revisions.
 */
export function calculateStatus(
  { set, pods, currentRevision, updateRevision, now }: StatefulSetView,
  collisionCount: number,
): AppsV1StatefulSetStatus | undefined {
  const count = (predicate: (pod: Pod) => boolean): number => pods.filter(predicate).length;
  const countRevision = (revision: string): number => count((pod) => !isBeingDeleted(pod) && podRevisionOf(pod) === revision);
  const replicas = pods.length;
  const readyReplicas = count(isRunningAndReady);
  const updatedReplicas = countRevision(updateRevision);
  const isComplete = updateStrategyOf(set) === 'RollingUpdate' && updatedReplicas === replicas && readyReplicas === replicas;
  const currentReplicas = isComplete ? updatedReplicas : countRevision(currentRevision);
  const availableReplicas = count((pod) => isRunningAndReady(pod) && isPodAvailable(pod, minReadySecondsOf(set), now));
  const status: AppsV1StatefulSetStatus = {
    observedGeneration: generationOf(set),
    replicas,
    ...omitZeros({ readyReplicas, currentReplicas, updatedReplicas }),
    currentRevision: isComplete ? updateRevision : currentRevision,
    updateRevision,
    collisionCount,
    availableReplicas,
  };
  return equalJson(status, set.body.status ?? {}) ? undefined : status;
}
