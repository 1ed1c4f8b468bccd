/**
 * The type of a default rule, and helpers for its conditions. The rules themselves are in the other files of this
 * folder and in `default-rules.ts`, which joins them; `defaults.ts` applies them.
 */
import { arrayAt, isObject, type JsonObject } from '../../../values/json';

/** Sets defaults of an object of the type under which it is registered, in place. */
export type DefaultRule = (object: JsonObject) => void;

/** The items of the list `member` that are objects; empty when the member is no list. */
export function objectsAt(object: JsonObject | undefined, member: string): JsonObject[] {
  return (arrayAt(object, member) ?? []).filter(isObject);
}

/** Whether a scalar is absent or has the zero value of Go's strings and numbers; `false` counts as set. */
export function isZero(value: unknown): boolean {
  return value === undefined || value === null || value === '' || value === 0;
}

/** Whether an object is absent or has no members. */
export function isEmpty(object: JsonObject | undefined): boolean {
  return object === undefined || Object.keys(object).length === 0;
}
