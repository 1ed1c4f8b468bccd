/** What the rules of several kinds ask of members, and say when it is not so. */
import { invalidAs, invalidValue, required, type FieldError } from '../../../shared/api/field-error';
import { arrayAt, isObject, own, stringAt, type JsonObject } from '../../../shared/api/json';
import { pathSegment, type NameCheck } from '../../../shared/api/names';

/** Of ports, in the order in which messages list them. */
export const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

/** The objects of a list member; an absent list has none. */
export const listed = (object: JsonObject | undefined, member: string): readonly JsonObject[] =>
  (arrayAt(object, member) ?? []).filter(isObject);

/** A number member; absent = 0. */
export function numberAt(object: JsonObject, member: string): number {
  const value = own(object, member);
  return typeof value === 'number' ? value : 0;
}

export const misnamed = (value: string, field: string, check: NameCheck): readonly FieldError[] =>
  check(value).map((text) => invalidValue(field, value, text));

/** The member's text, when it has one, in the format of `check`; an empty text is one. */
export function misnamedMember(object: JsonObject, member: string, place: string, check: NameCheck): readonly FieldError[] {
  const value = stringAt(object, member);
  return value === undefined ? [] : misnamed(value, `${place}.${member}`, check);
}

export function portNumberErrors(value: number, field: string): readonly FieldError[] {
  const good = value >= 1 && value <= 65_535;
  return good ? [] : [invalidAs(field, String(value), 'must be between 1 and 65535, inclusive')];
}

/** `apiGroup`, `kind` and `name` of an object of any kind. */
export function objectNameErrors(reference: JsonObject, place: string, groupFormat: NameCheck): readonly FieldError[] {
  const errors = [...misnamedMember(reference, 'apiGroup', place, groupFormat)];
  for (const member of ['kind', 'name']) {
    const value = stringAt(reference, member) ?? '';
    if (value === '') errors.push(required(`${place}.${member}`, `${member} is required`));
    else errors.push(...misnamed(value, `${place}.${member}`, pathSegment));
  }
  return errors;
}
