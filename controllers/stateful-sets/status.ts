/** What the status of a StatefulSet says. Decided from what is seen, without a server. */
import { isBeingDeleted } from '../../shared/client/rest/api-object';
import { equalJson, objectAt, type JsonObject } from '../../shared/values/json';
import { isPodAvailable } from '../workload/pod-activity';
import { generationOf, minReadySecondsOf } from '../workload/spec';
import { revisionOf } from './identity';
import { isRunningAndReady, strategyOf, type SetView } from './plan';

/** Undefined = it stands there already. */
export function setStatus({ set, pods, current, update, now }: SetView, collisionCount: number): JsonObject | undefined {
  const count = (counts: (pod: (typeof pods)[number]) => boolean): number => pods.filter(counts).length;
  const staying = pods.filter((pod) => !isBeingDeleted(pod));
  const replicas = pods.length;
  const readyReplicas = count(isRunningAndReady);
  const updatedReplicas = staying.filter((pod) => revisionOf(pod) === update).length;
  const isComplete = strategyOf(set) === 'RollingUpdate' && updatedReplicas === replicas && readyReplicas === replicas;
  const currentReplicas = isComplete ? updatedReplicas : staying.filter((pod) => revisionOf(pod) === current).length;
  const availableReplicas = count((pod) => isRunningAndReady(pod) && isPodAvailable(pod, minReadySecondsOf(set), now));
  const status: JsonObject = {
    observedGeneration: generationOf(set),
    replicas,
    ...counted({ readyReplicas, currentReplicas, updatedReplicas }),
    currentRevision: isComplete ? update : current,
    updateRevision: update,
    collisionCount,
    availableReplicas,
  };
  return equalJson(status, objectAt(set.body, 'status') ?? {}) ? undefined : status;
}

/** A count of nothing is left out. */
const counted = (counts: Readonly<Record<string, number>>): JsonObject =>
  Object.fromEntries(Object.entries(counts).filter(([, value]) => value !== 0));
