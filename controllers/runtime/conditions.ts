/**
 * Reads and replaces the conditions in an object's status, for every kind that has them. Pure: storing the result is
 * left to the callers, most of which send it as the patch of {@link conditionsPatch}.
 */
import type { ApiObject } from '../../shared/client/rest/api-object';

/** The members that the conditions of all kinds share. */
export interface Condition {
  readonly type?: string;
  readonly status?: string;
  readonly lastTransitionTime?: string | null;
}

/** The part of an object that holds its conditions. */
export interface HasConditions<C extends Condition> {
  readonly status?: { readonly conditions?: readonly C[] | null };
}

/** The conditions in the order of the status; empty when the status has none. */
export const conditionsOf = <C extends Condition>({ status }: HasConditions<C>): readonly C[] => status?.conditions ?? [];

/** `undefined` when the object has no condition of the type. */
export const conditionOf = <C extends Condition>(object: HasConditions<C>, type: string): C | undefined =>
  conditionsOf(object).find((condition) => condition.type === type);

/** '' when the object has no such condition. */
export const conditionStatus = (object: HasConditions<Condition>, type: string): string => conditionOf(object, type)?.status ?? '';

/** The list with the condition in place of the one of its type, or at its end. */
export function withCondition<C extends Condition>(conditions: readonly C[], condition: NoInfer<C>): C[] {
  const index = conditions.findIndex(({ type }) => type === condition.type);
  return index < 0 ? [...conditions, condition] : conditions.with(index, condition);
}

/**
 * The `lastTransitionTime` of a condition that is written with this status: that of the existing condition while the
 * status does not change, otherwise `now` (a timestamp).
 */
export function transitionTime(conditions: readonly Condition[], type: string, status: string, now: string): string {
  const previous = conditions.find((condition) => condition.type === type);
  return previous?.status === status ? (previous.lastTransitionTime ?? now) : now;
}

/** A merge patch of an object's conditions. The server refuses it with 409 when the object has changed. */
export function conditionsPatch<C extends Condition>({ uid, resourceVersion }: ApiObject, conditions: readonly C[]) {
  return { metadata: { uid, resourceVersion }, status: { conditions: [...conditions] } };
}
