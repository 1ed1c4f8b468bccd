/** Sets a condition in the status of a pod, for operations on pods. */
import { arrayAt, isObject, objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { formatTimestamp } from '../../../shared/api/metadata/object-meta';

export interface PodCondition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason?: string;
  readonly message?: string;
}

/** Replaces the condition of the same type. `lastTransitionTime` changes only with the condition's status. */
export function setPodCondition(pod: JsonObject, condition: PodCondition, ms: number): void {
  const status = objectAt(pod, 'status') ?? {};
  pod['status'] = status;
  const conditions = arrayAt(status, 'conditions') ?? [];
  const index = conditions.findIndex((candidate) => isObject(candidate) && stringAt(candidate, 'type') === condition.type);
  const existing = conditions[index];
  const since =
    isObject(existing) && stringAt(existing, 'status') === condition.status ? stringAt(existing, 'lastTransitionTime') : undefined;
  const next: JsonObject = { lastProbeTime: null, ...condition, lastTransitionTime: since ?? formatTimestamp(ms) };
  status['conditions'] = index < 0 ? [...conditions, next] : conditions.with(index, next);
}
