/** How many pods a set has to make or do without, and what its status says; decided from what is seen, without a server. */
import { timestamp } from '../../shared/api/metadata/object-meta';
import { isBeingDeleted, type ApiObject } from '../../shared/client/rest/api-object';
import { equalJson, objectAt, type JsonObject } from '../../shared/values/json';
import { sortForDeletion, isPodAvailable } from '../workload/pod-activity';
import { generationOf, minReadySecondsOf, replicasOf, templateOf } from '../workload/spec';
import { conditionOf, conditionsOf, withCondition } from '../runtime/conditions';
import { isPodReady, labelsOf } from '../runtime/pods';

/** Pods that are asked for at a time. */
export const BURST = 500;

export type ReplicaPlan =
  | { readonly type: 'none' }
  | { readonly type: 'create'; readonly count: number }
  | { readonly type: 'delete'; readonly pods: readonly ApiObject[] };

/** `pods` = the active ones that are the set's. `related` = all those among which the set's are spread. */
export function planOf(set: ApiObject, pods: readonly ApiObject[], related: () => Iterable<ApiObject>, now: number): ReplicaPlan {
  if (isBeingDeleted(set)) return { type: 'none' };
  const missing = replicasOf(set) - pods.length;
  if (missing > 0) return { type: 'create', count: Math.min(missing, BURST) };
  if (missing === 0) return { type: 'none' };
  const surplus = Math.min(-missing, BURST);
  const ordered = surplus < pods.length ? sortForDeletion(pods, related(), now) : pods;
  return { type: 'delete', pods: ordered.slice(0, surplus) };
}

/** What went wrong with the plan. */
export interface ReplicaFault {
  readonly reason: 'FailedCreate' | 'FailedDelete';
  readonly message: string;
}

/** The set's status; undefined = it stands there already. */
export function replicaStatus(
  set: ApiObject,
  pods: readonly ApiObject[],
  fault: ReplicaFault | undefined,
  now: number,
): JsonObject | undefined {
  const known = objectAt(set.body, 'status') ?? {};
  const labels = Object.entries(objectAt(objectAt(templateOf(set), 'metadata'), 'labels') ?? {});
  const minReady = minReadySecondsOf(set);
  const count = (counts: (pod: ApiObject) => boolean): number => pods.reduce((sum, pod) => sum + (counts(pod) ? 1 : 0), 0);
  const isLabelled = (pod: ApiObject): boolean => {
    const borne = labelsOf(pod);
    return labels.every(([key, value]) => borne[key] === value);
  };
  const conditions = conditionsWith(set, fault, now);
  const counts: Readonly<Record<string, number>> = {
    fullyLabeledReplicas: count(isLabelled),
    readyReplicas: count(isPodReady),
    availableReplicas: count((pod) => isPodAvailable(pod, minReady, now)),
    observedGeneration: generationOf(set),
  };
  // A count of nothing is left out, as all who write this status do.
  const shown = Object.fromEntries(Object.entries(counts).filter(([, value]) => value !== 0));
  const status: JsonObject = { replicas: pods.length, ...shown, ...(conditions.length === 0 ? {} : { conditions: [...conditions] }) };
  return equalJson(status, withoutZeros(known)) ? undefined : status;
}

function withoutZeros(status: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(status).filter(([member, value]) => member === 'replicas' || (value !== 0 && value !== null)));
}

/** The first fault stands until there is none. */
function conditionsWith(set: ApiObject, fault: ReplicaFault | undefined, now: number): readonly JsonObject[] {
  const known = conditionsOf(set.body);
  if (fault === undefined) return known.filter(({ type }) => type !== 'ReplicaFailure');
  if (conditionOf(set.body, 'ReplicaFailure') !== undefined) return known;
  const { reason, message } = fault;
  return withCondition(known, { type: 'ReplicaFailure', status: 'True', lastTransitionTime: timestamp(now), reason, message });
}
