/** Pods that were marked as to be disrupted and were not: after a time the mark is taken back. Pure. */
import { isBeingDeleted, type ApiObject } from '../../shared/client/rest/api-object';
import { timeOf, timestamp } from '../../shared/api/metadata/object-meta';
import { stringAt, type JsonObject } from '../../shared/values/json';
import { conditionOf, conditionsOf, conditionsPatch, withCondition } from '../runtime/conditions';
import { isPodTerminated } from '../runtime/pods';

const MARK = 'DisruptionTarget';
/** Milliseconds. */
const STALE_AFTER_MS = 120_000;
/** Whoever ends pods on a node also looks after his marks. */
const OF_NODES = 'TerminationByKubelet';

/** When the pod's mark becomes stale, in milliseconds since 1970; undefined = it has none that could. */
export function staleAt(pod: ApiObject): number | undefined {
  const mark = conditionOf(pod.body, MARK);
  if (mark === undefined || stringAt(mark, 'status') !== 'True' || stringAt(mark, 'reason') === OF_NODES) return undefined;
  if (isBeingDeleted(pod) || isPodTerminated(pod)) return undefined;
  return (timeOf(stringAt(mark, 'lastTransitionTime')) ?? 0) + STALE_AFTER_MS;
}

export function withoutMark(pod: ApiObject, now: number): JsonObject {
  const mark = { type: MARK, status: 'False', lastProbeTime: null, lastTransitionTime: timestamp(now) };
  return conditionsPatch(pod, withCondition(conditionsOf(pod.body), mark));
}
