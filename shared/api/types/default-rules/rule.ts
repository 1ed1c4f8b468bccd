/** The type of a default rule, and helpers for its conditions. */
import { arrayAt, isObject, type JsonObject } from '../../../values/json';

export type DefaultRule = (object: JsonObject) => void;

export function objectsAt(object: JsonObject | undefined, member: string): JsonObject[] {
  return (arrayAt(object, member) ?? []).filter(isObject);
}

export function isZero(value: unknown): boolean {
  return value === undefined || value === null || value === '' || value === 0;
}

export function isEmpty(object: JsonObject | undefined): boolean {
  return object === undefined || Object.keys(object).length === 0;
}
