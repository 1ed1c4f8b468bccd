/** Sets a condition in the status of a pod, for bindings and evictions. The pod is changed in place. */
import { arrayAt, isObject, objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { formatTimestamp } from '../../../shared/api/metadata/object-meta';

export interface PodCondition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason?: string;
  readonly message?: string;
}

/**
 * Replaces the condition of the same type. `lastTransitionTime` is set to `now`, in ms since 1970, only when the
 * condition's status changes.
 */
export function setPodCondition(pod: JsonObject, condition: PodCondition, now: number): void {
  const status = objectAt(pod, 'status') ?? {};
  pod['status'] = status;
  const conditions = arrayAt(status, 'conditions') ?? [];
  const index = conditions.findIndex((candidate) => isObject(candidate) && stringAt(candidate, 'type') === condition.type);
  const existing = conditions[index];
  const since =
    isObject(existing) && stringAt(existing, 'status') === condition.status ? stringAt(existing, 'lastTransitionTime') : undefined;
  const next: JsonObject = { lastProbeTime: null, ...condition, lastTransitionTime: since ?? formatTimestamp(now) };
  status['conditions'] = index < 0 ? [...conditions, next] : conditions.with(index, next);
}
