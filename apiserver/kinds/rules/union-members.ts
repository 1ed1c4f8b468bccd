/** Objects that are one of several things: a member for each, and a rule for what stands in it. */
import { forbiddenField } from '../../../shared/api/errors/field-error';
import { objectAt, type JsonObject } from '../../../shared/values/json';
import type { Errors } from './checks';

/** Adds what is wrong with a value that stands at `place`. */
export type Rule<T> = (value: T, fieldPath: string, errors: Errors) => void;

interface UnionMemberNames {
  /** How messages call the member, where they call it otherwise; `secondAs` when it is one too many. */
  readonly field?: string;
  readonly nameWhenSecond?: string;
}

/** A member of a T that holds an object, and the rule of such an object. */
export type UnionMemberOf<T> = {
  [M in keyof T & string]-?: NonNullable<T[M]> extends JsonObject
    ? UnionMemberNames & { readonly member: M; readonly rule: Rule<NonNullable<T[M]>> }
    : never;
}[keyof T & string];

/** One of some PartOf: whose, its table knows. */
export interface UnionMember extends UnionMemberNames {
  readonly member: string;
  rule(value: JsonObject, fieldPath: string, errors: Errors): void;
}

/** Judges the first part that is there; of others it is said that they are too many (`text`). Returns how many there are. */
export function checkFirstUnionMember(
  union: JsonObject,
  fieldPath: string,
  members: readonly UnionMember[],
  text: string,
  errors: Errors,
): number {
  let count = 0;
  for (const part of members) {
    const { member, field = member, nameWhenSecond = field } = part;
    const value = objectAt(union, member);
    if (value === undefined) continue;
    count += 1;
    if (count > 1) errors.push(forbiddenField(`${fieldPath}.${nameWhenSecond}`, text));
    else part.rule(value, `${fieldPath}.${field}`, errors);
  }
  return count;
}

/** Judges every part that is there, and returns how many there are. */
export function checkUnionMembers(union: JsonObject, fieldPath: string, members: readonly UnionMember[], errors: Errors): number {
  let count = 0;
  for (const part of members) {
    const value = objectAt(union, part.member);
    if (value === undefined) continue;
    count += 1;
    part.rule(value, `${fieldPath}.${part.member}`, errors);
  }
  return count;
}
