/** Sets a condition in a pod's status, as operations on pods do. */
import { arrayAt, isObject, objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { formatTimestamp } from '../../../shared/api/metadata/object-meta';

export interface PodCondition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason?: string;
  readonly message?: string;
}

/** Replaces the condition of its type; its time changes when its status does. */
export function setPodCondition(pod: JsonObject, condition: PodCondition, ms: number): void {
  const status = objectAt(pod, 'status') ?? {};
  pod['status'] = status;
  const conditions = arrayAt(status, 'conditions') ?? [];
  const index = conditions.findIndex((other) => isObject(other) && stringAt(other, 'type') === condition.type);
  const found = conditions[index];
  const since = isObject(found) && stringAt(found, 'status') === condition.status ? stringAt(found, 'lastTransitionTime') : undefined;
  const made: JsonObject = { lastProbeTime: null, ...condition, lastTransitionTime: since ?? formatTimestamp(ms) };
  status['conditions'] = index < 0 ? [...conditions, made] : conditions.with(index, made);
}
