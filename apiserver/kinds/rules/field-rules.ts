/** What the rules of several kinds ask of members, and say when it is not so. */
import { append } from '../../../shared/values/append';
import { invalidAs, invalidValue, required, type FieldError } from '../../../shared/api/errors/field-error';
import { goIntOrString } from '../../../shared/values/go-values';
import { arrayAt, isObject, objectAt, own, stringAt, type JsonObject } from '../../../shared/values/json';
import { pathSegment, patternMessage, type NameCheck } from '../../../shared/values/name-formats';
import { labelSelectorErrors, type SelectorRules } from '../../../shared/api/selectors/label-selector-rules';

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
    else append(errors, misnamed(value, `${place}.${member}`, pathSegment));
  }
  return errors;
}

/** A text that has to be there, in the format of `check`; `text` says so when it is not. */
export function wanting(object: JsonObject, member: string, place: string, text = '', check?: NameCheck): readonly FieldError[] {
  const value = stringAt(object, member) ?? '';
  const field = `${place}.${member}`;
  if (value === '') return [required(field, text)];
  return check === undefined ? [] : misnamed(value, field, check);
}

/** `kind` and `name` of an object in the same namespace. */
export const referenceErrors = (reference: JsonObject, place: string): readonly FieldError[] =>
  ['kind', 'name'].flatMap((member) => wanting(reference, member, place, '', pathSegment));

/** Of numbers that count something; an absent one is none. */
export function negativeErrors(object: JsonObject, place: string, members: readonly string[]): readonly FieldError[] {
  return members.flatMap((member) => {
    const value = numberAt(object, member);
    return value < 0 ? [invalidAs(place === '' ? member : `${place}.${member}`, String(value), 'must be greater than or equal to 0')] : [];
  });
}

const SHARE = /^[0-9]+%$/;
const SHARE_TEXT = patternMessage("a valid percent string must be a numeric string followed by an ending '%'", '[0-9]+%', '1%', '93%');

/** Of a member that is a count or a share in percent; an absent one is no error. */
export function countOrShareErrors(object: JsonObject, member: string, place: string): readonly FieldError[] {
  const value = own(object, member);
  if (typeof value === 'number') return negativeErrors(object, place, [member]);
  if (typeof value !== 'string' || SHARE.test(value)) return [];
  return [invalidAs(`${place}.${member}`, goIntOrString(value), SHARE_TEXT)];
}

/** The share that a text names, in percent; undefined when it names none. */
export function shareAt(object: JsonObject, member: string): number | undefined {
  const value = stringAt(object, member);
  return value !== undefined && SHARE.test(value) ? Number(value.slice(0, -1)) : undefined;
}

export function notMoreThanAll(object: JsonObject, member: string, place: string): readonly FieldError[] {
  const share = shareAt(object, member);
  if (share === undefined || share <= 100) return [];
  return [invalidAs(`${place}.${member}`, goIntOrString(stringAt(object, member) ?? ''), 'must not be greater than 100%')];
}

const STRICT: SelectorRules = { anyValue: false };

/** Of `selector`. Who has a wrong one from the days before its values were checked need not mend it. */
export function selectorErrors(spec: JsonObject, old: JsonObject | undefined, place: string): readonly FieldError[] {
  const errors = labelSelectorErrors(objectAt(spec, 'selector'), `${place}.selector`, STRICT);
  if (errors.length === 0 || old === undefined) return errors;
  const anyValue = labelSelectorErrors(objectAt(old, 'selector'), '', STRICT).length > 0;
  return anyValue ? labelSelectorErrors(objectAt(spec, 'selector'), `${place}.selector`, { anyValue }) : errors;
}

/** What a count or share comes to: the number, whether or not it is a share; nothing that can be read = 0. */
export function amountAt(object: JsonObject, member: string): number {
  const value = own(object, member);
  if (typeof value !== 'string') return numberAt(object, member);
  const amount = Number(value.replace(/%$/, ''));
  return Number.isNaN(amount) ? 0 : amount;
}
