/**
 * The type of a default rule, and helpers for its conditions. The rules themselves are in the other files of this
 * folder; `defaults.ts` applies them.
 */
import { arrayAt, isObject, type JsonObject } from '../../../values/json';

/** Sets defaults of an object of the type, in place. */
export type DefaultRule = (object: JsonObject) => void;

/** The objects in the list of that name; empty when it is absent. */
export function objectsAt(object: JsonObject | undefined, member: string): JsonObject[] {
  return (arrayAt(object, member) ?? []).filter(isObject);
}

/** Whether a scalar is unset; `false` counts as set. */
export function isZero(value: unknown): boolean {
  return value === undefined || value === null || value === '' || value === 0;
}

/** Whether an object is absent or has no members. */
export function isEmpty(object: JsonObject | undefined): boolean {
  return object === undefined || Object.keys(object).length === 0;
}
