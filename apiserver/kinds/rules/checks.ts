/**
 * What rules ask again and again of texts, and of members whatever they hold; numbers.ts, selectors.ts, references.ts and parts.ts have the rest of the
 * vocabulary. Each check adds what it finds wrong to `errors` and builds nothing for what is good; none changes the object. `place` is where the object
 * stands, `field` where the value does.
 */
import {
  duplicateValue,
  forbiddenField,
  invalidValue,
  unsupportedValue,
  requiredValue,
  type FieldError,
} from '../../../shared/api/errors/field-error';
import { own, stringAt, type JsonObject } from '../../../shared/values/json';
import { checkQualifiedName, type NameCheck } from '../../../shared/values/name-formats';

export type Errors = FieldError[];

/** What a condition may be, in the order in which most messages list it. */
export const CONDITION_STATUSES: readonly string[] = ['False', 'True', 'Unknown'];

/** The members of a T that hold a V, if they are there. An object of no known type has none. */
export type MemberOf<T, V> = {
  [M in keyof T]-?: T[M] extends V | null | undefined ? (string extends M ? never : M & string) : never;
}[keyof T];

export type AnyMemberOf<T> = keyof T & string;

const textAt = (object: JsonObject, member: string): string => stringAt(object, member) ?? '';

export const isSet = <T extends JsonObject>(object: T, member: AnyMemberOf<T>): boolean => (own(object, member) ?? null) !== null;

export function checkFormat(value: string, field: string, check: NameCheck, errors: Errors): void {
  for (const text of check(value)) errors.push(invalidValue(field, value, text));
}

/** A text that has to be there; `absent` says so when it is not. */
export function checkRequired<T extends JsonObject>(
  object: T,
  member: MemberOf<T, string>,
  fieldPath: string,
  errors: Errors,
  check?: NameCheck,
  missingText = '',
): void {
  const value = textAt(object, member);
  if (value === '') errors.push(requiredValue(`${fieldPath}.${member}`, missingText));
  else if (check !== undefined) checkFormat(value, `${fieldPath}.${member}`, check, errors);
}

/** A text whose format counts when it is there, empty or not. */
export function checkIfPresent<T extends JsonObject>(
  object: T,
  member: MemberOf<T, string>,
  fieldPath: string,
  errors: Errors,
  check: NameCheck,
): void {
  const value = stringAt(object, member);
  if (value !== undefined) checkFormat(value, `${fieldPath}.${member}`, check, errors);
}

/** A text whose format counts when it is not empty. */
export function checkIfNotEmpty<T extends JsonObject>(
  object: T,
  member: MemberOf<T, string>,
  fieldPath: string,
  errors: Errors,
  check: NameCheck,
): void {
  const value = textAt(object, member);
  if (value !== '') checkFormat(value, `${fieldPath}.${member}`, check, errors);
}

/** One of the supported texts, when the member is there at all. */
export function checkEnum<T extends JsonObject>(
  object: T,
  member: MemberOf<T, string>,
  fieldPath: string,
  supported: readonly string[],
  errors: Errors,
): void {
  const value = stringAt(object, member);
  if (value !== undefined && !supported.includes(value)) errors.push(unsupportedValue(`${fieldPath}.${member}`, value, supported));
}

/** One of the supported texts, which has to be there. */
export function checkRequiredEnum<T extends JsonObject>(
  object: T,
  member: MemberOf<T, string>,
  fieldPath: string,
  supported: readonly string[],
  errors: Errors,
  missingText = '',
): void {
  if (textAt(object, member) === '') errors.push(requiredValue(`${fieldPath}.${member}`, missingText));
  else checkEnum(object, member, fieldPath, supported, errors);
}

/** None of the texts stands there twice. */
export function checkDistinct(texts: readonly string[], field: string, errors: Errors): void {
  const seen = new Set<string>();
  texts.forEach((text, index) => {
    if (seen.has(text)) errors.push(duplicateValue(`${field}[${index}]`, text));
    seen.add(text);
  });
}

/** `..` is no part of the path. */
export function checkNoBacksteps(path: string, field: string, errors: Errors): void {
  if (path.includes('..') && path.split('/').includes('..')) errors.push(invalidValue(field, path, "must not contain '..'"));
}

/** A path that stays below where it begins. */
export function checkLocalPath(path: string, field: string, errors: Errors): void {
  if (path.startsWith('/')) errors.push(invalidValue(field, path, 'must be a relative path'));
  checkNoBacksteps(path, field, errors);
}

/** A path in a volume of files, where names that begin with two dots are taken. */
export function checkFilePath<T extends JsonObject>(object: T, member: MemberOf<T, string>, fieldPath: string, errors: Errors): void {
  const path = textAt(object, member);
  const field = `${fieldPath}.${member}`;
  if (path === '') {
    errors.push(requiredValue(field));
    return;
  }
  checkLocalPath(path, field, errors);
  if (path.startsWith('..') && !path.startsWith('../')) errors.push(invalidValue(field, path, "must not start with '..'"));
}

/** Keys of labels, in the order given. */
export function checkLabelKey(key: string, field: string, errors: Errors): void {
  checkFormat(key, field, checkQualifiedName, errors);
}

/** Members that may not be there. */
export function forbidMembers<T extends JsonObject>(
  object: T,
  members: readonly AnyMemberOf<T>[],
  fieldPath: string,
  text: string,
  errors: Errors,
): void {
  for (const member of members) if (isSet(object, member)) errors.push(forbiddenField(`${fieldPath}.${member}`, text));
}
