/** Conditions in an object's status: finding one, and putting one in its type's place. */
import type { ApiObject } from '../../shared/client/rest/api-object';
import { arrayAt, isObject, objectAt, stringAt, type JsonObject } from '../../shared/values/json';

export function conditionsOf(object: JsonObject): readonly JsonObject[] {
  return (arrayAt(objectAt(object, 'status'), 'conditions') ?? []).filter(isObject);
}

export function conditionOf(object: JsonObject, type: string): JsonObject | undefined {
  return conditionsOf(object).find((condition) => stringAt(condition, 'type') === type);
}

/** '' where there is no such condition. */
export function conditionStatus(object: JsonObject, type: string): string {
  const condition = conditionOf(object, type);
  return condition === undefined ? '' : (stringAt(condition, 'status') ?? '');
}

/** The list with the condition in the place of the one of its type, or at its end. */
export function withCondition(conditions: readonly JsonObject[], made: JsonObject): JsonObject[] {
  const index = conditions.findIndex((condition) => condition['type'] === made['type']);
  return index < 0 ? [...conditions, made] : conditions.with(index, made);
}

/** The time at which a condition got its status: it stays while the status does. */
export function transitionTime(conditions: readonly JsonObject[], type: string, status: string, now: string): string {
  const found = conditions.find((condition) => condition['type'] === type);
  return found !== undefined && stringAt(found, 'status') === status ? (stringAt(found, 'lastTransitionTime') ?? now) : now;
}

/** A change of an object's conditions that fails where somebody has written the object meanwhile. */
export function conditionsPatch({ uid, resourceVersion }: ApiObject, conditions: readonly JsonObject[]): JsonObject {
  return { metadata: { uid, resourceVersion }, status: { conditions: [...conditions] } };
}
