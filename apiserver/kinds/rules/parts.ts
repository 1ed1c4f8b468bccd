/** Objects that are one of several things: a member for each, and a rule for what stands in it. */
import { forbiddenField } from '../../../shared/api/errors/field-error';
import { objectAt, type JsonObject } from '../../../shared/values/json';
import type { Errors } from './checks';

/** Adds what is wrong with a value that stands at `place`. */
export type Rule<T> = (value: T, place: string, errors: Errors) => void;

interface Names {
  /** How messages call the member, where they call it otherwise; `secondAs` when it is one too many. */
  readonly field?: string;
  readonly secondAs?: string;
}

/** A member of a T that holds an object, and the rule of such an object. */
export type PartOf<T> = {
  [M in keyof T & string]-?: NonNullable<T[M]> extends JsonObject
    ? Names & { readonly member: M; readonly rule: Rule<NonNullable<T[M]>> }
    : never;
}[keyof T & string];

/** One of some PartOf: whose, its table knows. */
export interface Part extends Names {
  readonly member: string;
  rule(value: JsonObject, place: string, errors: Errors): void;
}

/** Judges the first part that is there; of others it is said that they are too many (`text`). Returns how many there are. */
export function checkFirstPart(whole: JsonObject, place: string, parts: readonly Part[], text: string, errors: Errors): number {
  let found = 0;
  for (const part of parts) {
    const { member, field = member, secondAs = field } = part;
    const value = objectAt(whole, member);
    if (value === undefined) continue;
    found += 1;
    if (found > 1) errors.push(forbiddenField(`${place}.${secondAs}`, text));
    else part.rule(value, `${place}.${field}`, errors);
  }
  return found;
}

/** Judges every part that is there, and returns how many there are. */
export function checkParts(whole: JsonObject, place: string, parts: readonly Part[], errors: Errors): number {
  let found = 0;
  for (const part of parts) {
    const value = objectAt(whole, part.member);
    if (value === undefined) continue;
    found += 1;
    part.rule(value, `${place}.${part.member}`, errors);
  }
  return found;
}
