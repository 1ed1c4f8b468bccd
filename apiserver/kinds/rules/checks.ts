/**
 * Checks of strings and of members of any type; the other files of this folder hold those of particular values, such as
 * numbers, addresses and references. Each check appends its errors to `errors` and never changes the object. `fieldPath`
 * is the field path of the object (upstream's `fldPath`), `field` that of the value.
 */
import {
  duplicateValue,
  forbiddenField,
  invalidValue,
  unsupportedValue,
  requiredValue,
  type FieldError,
} from '../../../shared/api/errors/field-error';
import { ownMember, stringAt, type JsonObject } from '../../../shared/values/json';
import { checkQualifiedName, type NameCheck } from '../../../shared/values/name-formats';

/** The errors of an object so far, in the order in which they are reported. */
export type Errors = FieldError[];

/** Values of a condition's status, in the order in which most messages list them; those about APIServices differ. */
export const CONDITION_STATUSES: readonly string[] = ['False', 'True', 'Unknown'];

/** The members of T that hold a V, null or nothing. An object of an unknown type has none. */
export type MemberOf<T, V> = {
  [M in keyof T]-?: T[M] extends V | null | undefined ? (string extends M ? never : M & string) : never;
}[keyof T];

/** The members of T, whatever they hold. */
export type AnyMemberOf<T> = keyof T & string;

const textAt = (object: JsonObject, member: string): string => stringAt(object, member) ?? '';

/** Whether the object has the member with another value than null. */
export const isSet = <T extends JsonObject>(object: T, member: AnyMemberOf<T>): boolean => (ownMember(object, member) ?? null) !== null;

/** Adds an error for each text that `check` returns. */
export function checkFormat(value: string, field: string, check: NameCheck, errors: Errors): void {
  for (const text of check(value)) errors.push(invalidValue(field, value, text));
}

/** Requires a non-empty string. `missingText` is the detail of the error when it is missing. */
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

/** Checks the format of a string that is present, even if it is empty. */
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

/** Checks the format of a string that is not empty. */
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

/** Requires one of the supported values, if the member is present. */
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

/** Requires one of the supported values. */
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

/** Reports each text that an earlier one equals. */
export function checkDistinct(texts: readonly string[], field: string, errors: Errors): void {
  const seen = new Set<string>();
  texts.forEach((text, index) => {
    if (seen.has(text)) errors.push(duplicateValue(`${field}[${index}]`, text));
    seen.add(text);
  });
}

/** Rejects a path with a segment `..`. */
export function checkNoBacksteps(path: string, field: string, errors: Errors): void {
  if (path.includes('..') && path.split('/').includes('..')) errors.push(invalidValue(field, path, "must not contain '..'"));
}

/** Requires a relative path without `..`. */
export function checkLocalPath(path: string, field: string, errors: Errors): void {
  if (path.startsWith('/')) errors.push(invalidValue(field, path, 'must be a relative path'));
  checkNoBacksteps(path, field, errors);
}

/**
 * Requires the path of a file in a volume that the kubelet writes: ConfigMap, Secret, downward API or projected. Such
 * volumes reserve names that begin with two dots.
 */
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

/** Requires a key that a label may have. */
export function checkLabelKey(key: string, field: string, errors: Errors): void {
  checkFormat(key, field, checkQualifiedName, errors);
}

/** Reports each of the members that is set. */
export function forbidMembers<T extends JsonObject>(
  object: T,
  members: readonly AnyMemberOf<T>[],
  fieldPath: string,
  text: string,
  errors: Errors,
): void {
  for (const member of members) {
    if (isSet(object, member)) errors.push(forbiddenField(`${fieldPath}.${member}`, text));
  }
}
