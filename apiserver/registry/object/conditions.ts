/** Sets conditions in the status of an object. Does not decide whether a condition holds. */
import { arrayAt, isObject, objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { formatTimestamp } from '../../../shared/api/metadata/object-meta';

/** A condition without its `lastTransitionTime`. */
type Condition = JsonObject & { readonly type: string; readonly status: 'True' | 'False' };

/**
 * The status with the condition, which replaces one of the same type. `lastTransitionTime` is kept when the replaced
 * condition has one and its status stays the same; otherwise it is `now`, in ms since 1970.
 */
export function withCondition(status: JsonObject, condition: Condition, now: number): JsonObject {
  const conditions = arrayAt(status, 'conditions') ?? [];
  const index = conditions.findIndex((candidate) => isObject(candidate) && stringAt(candidate, 'type') === condition.type);
  const existing = conditions[index];
  const isSame = isObject(existing) && stringAt(existing, 'status') === condition.status;
  const since = isSame ? stringAt(existing, 'lastTransitionTime') : undefined;
  const next: JsonObject = { ...condition, lastTransitionTime: since ?? formatTimestamp(now) };
  return { ...status, conditions: index < 0 ? [...conditions, next] : conditions.with(index, next) };
}

/** Sets a condition of a pod, in place. See {@link withCondition}. */
export function setPodCondition(pod: JsonObject, condition: Condition, now: number): void {
  pod['status'] = withCondition(objectAt(pod, 'status') ?? {}, { lastProbeTime: null, ...condition }, now);
}
