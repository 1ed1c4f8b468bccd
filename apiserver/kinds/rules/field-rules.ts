/**
 * The vocabulary of rules about objects whose type the compiler does not know: wrappers that return what the checks of checks.ts, numbers.ts and
 * addresses.ts add. Rules that read typed members use those themselves.
 */
import type { FieldError } from '../../../shared/api/errors/field-error';
import { arrayAt, isObject, own, type JsonObject } from '../../../shared/values/json';
import type { NameCheck } from '../../../shared/values/name-formats';
import { checkCidr, checkIp, checkReachable } from './addresses';
import { checkFormat, checkGiven, type Errors } from './checks';
import { checkPort } from './numbers';

export { PROTOCOLS } from './numbers';

function collected(check: (errors: Errors) => void): readonly FieldError[] {
  const errors: Errors = [];
  check(errors);
  return errors;
}

/** The objects of a list member; an absent list has none. */
export const listed = (object: JsonObject | undefined, member: string): readonly JsonObject[] =>
  (arrayAt(object, member) ?? []).filter(isObject);

/** A number member; absent = 0. */
export function numberAt(object: JsonObject, member: string): number {
  const value = own(object, member);
  return typeof value === 'number' ? value : 0;
}

export const misnamed = (value: string, field: string, check: NameCheck): readonly FieldError[] =>
  collected((errors) => checkFormat(value, field, check, errors));

/** The member's text, when it has one, in the format of `check`; an empty text is one. */
export const misnamedMember = (object: JsonObject, member: string, place: string, check: NameCheck): readonly FieldError[] =>
  collected((errors) => checkGiven(object, member, place, errors, check));

export const portNumberErrors = (value: number, field: string): readonly FieldError[] =>
  collected((errors) => checkPort(value, field, errors));

export const ipErrors = (text: string, field: string): readonly FieldError[] => collected((errors) => checkIp(text, field, errors));

export const cidrErrors = (text: string, field: string): readonly FieldError[] => collected((errors) => checkCidr(text, field, errors));

export const unreachableErrors = (text: string, field: string, wanted?: 4 | 6): readonly FieldError[] =>
  collected((errors) => checkReachable(text, field, errors, wanted));
