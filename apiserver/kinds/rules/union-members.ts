/**
 * Validates unions: objects with one member for each variant, such as volume sources and probe handlers. Whether none
 * or several may be set is left to the callers, which get the number.
 */
import { forbiddenField } from '../../../shared/api/errors/field-error';
import { objectAt, type JsonObject } from '../../../shared/values/json';
import type { Errors } from './checks';

/** Adds the errors of the value at `fieldPath` to `errors`. */
export type Rule<T> = (value: T, fieldPath: string, errors: Errors) => void;

interface UnionMemberNames {
  /** The member's name in field paths, when it differs. */
  readonly field?: string;
  /** The member's name in the error about a further member, when that differs. */
  readonly nameWhenSecond?: string;
}

/** An object member of the union T with the rule for its value. */
export type UnionMemberOf<T> = {
  [M in keyof T & string]-?: NonNullable<T[M]> extends JsonObject
    ? UnionMemberNames & { readonly member: M; readonly rule: Rule<NonNullable<T[M]>> }
    : never;
}[keyof T & string];

/** A {@link UnionMemberOf} of any union. */
export interface UnionMember extends UnionMemberNames {
  readonly member: string;
  rule(value: JsonObject, fieldPath: string, errors: Errors): void;
}

/**
 * Validates the first member that is set and reports every further one with `text` as forbidden. Returns how many are
 * set.
 */
export function checkFirstUnionMember(
  union: JsonObject,
  fieldPath: string,
  members: readonly UnionMember[],
  text: string,
  errors: Errors,
): number {
  let count = 0;
  for (const unionMember of members) {
    const { member, field = member, nameWhenSecond = field } = unionMember;
    const value = objectAt(union, member);
    if (value === undefined) continue;
    count += 1;
    if (count > 1) errors.push(forbiddenField(`${fieldPath}.${nameWhenSecond}`, text));
    else unionMember.rule(value, `${fieldPath}.${field}`, errors);
  }
  return count;
}

/** Validates every member that is set. Returns how many are set. */
export function checkUnionMembers(union: JsonObject, fieldPath: string, members: readonly UnionMember[], errors: Errors): number {
  let count = 0;
  for (const unionMember of members) {
    const value = objectAt(union, unionMember.member);
    if (value === undefined) continue;
    count += 1;
    unionMember.rule(value, `${fieldPath}.${unionMember.member}`, errors);
  }
  return count;
}
