/**
 * Validates numbers: ranges, ports, ids, counts and percentages. 64-bit integers that a number cannot hold are
 * `bigint`.
 */
import { invalidShownValue, unsupportedValue } from '../../../shared/api/errors/field-error';
import { formatGoIntOrString } from '../../../shared/values/go-values';
import { ownMember, type JsonObject } from '../../../shared/values/json';
import { patternMessage } from '../../../shared/values/name-formats';
import type { Errors, MemberOf } from './checks';

/** Protocols of ports, in the order in which messages list them. */
export const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

export function checkProtocol(protocol: string, field: string, errors: Errors): void {
  if (!PROTOCOLS.includes(protocol)) errors.push(unsupportedValue(field, protocol, PROTOCOLS));
}

/** An integer of 64 bits; `bigint` when a number cannot hold it. */
export type Integer = number | bigint;

function integerAt(object: JsonObject, member: string): Integer | undefined {
  const value = ownMember(object, member);
  return typeof value === 'number' || typeof value === 'bigint' ? value : undefined;
}

/** `fieldPath` is empty at the top of an object. */
const joinFieldPath = (fieldPath: string, member: string): string => (fieldPath === '' ? member : `${fieldPath}.${member}`);

/** Requires a value from `min` to `max`. An absent value is valid. */
export function checkRange(value: Integer | undefined, field: string, min: number, max: number, errors: Errors): void {
  if (value === undefined || (value >= min && value <= max)) return;
  errors.push(invalidShownValue(field, String(value), `must be between ${min} and ${max}, inclusive`));
}

export function checkPort(value: Integer, field: string, errors: Errors): void {
  checkRange(value, field, 1, 65_535, errors);
}

const MAX_ID = 2_147_483_647;

/** Requires a valid numeric user or group id. An absent value is valid. */
export const checkUserOrGroupId = (value: Integer | undefined, field: string, errors: Errors): void =>
  checkRange(value, field, 0, MAX_ID, errors);

/** Rejects a negative number. An absent value is valid. */
export function checkNonNegative<T extends JsonObject>(object: T, member: MemberOf<T, Integer>, fieldPath: string, errors: Errors): void {
  const value = integerAt(object, member);
  if (value !== undefined && value < 0) {
    errors.push(invalidShownValue(joinFieldPath(fieldPath, member), String(value), 'must be greater than or equal to 0'));
  }
}

/** Requires valid file permissions. An absent value is valid. */
export function checkFileMode<T extends JsonObject>(object: T, member: MemberOf<T, Integer>, fieldPath: string, errors: Errors): void {
  const value = integerAt(object, member);
  if (value === undefined || (value >= 0 && value <= 0o777)) return;
  errors.push(invalidShownValue(`${fieldPath}.${member}`, String(value), 'must be a number between 0 and 0777 (octal), both inclusive'));
}

/** A number or a percentage such as `25%`. */
type IntOrPercent = number | string;

/** Matches a percentage such as `25%`. */
const PERCENT = /^[0-9]+%$/;
const PERCENT_TEXT = patternMessage("a valid percent string must be a numeric string followed by an ending '%'", '[0-9]+%', '1%', '93%');

/** Rejects negative numbers and texts that are no percentage. An absent value is valid. */
export function checkIntOrPercent<T extends JsonObject>(
  object: T,
  member: MemberOf<T, IntOrPercent>,
  fieldPath: string,
  errors: Errors,
): void {
  const field = `${fieldPath}.${member}`;
  const value = ownMember(object, member);
  if (typeof value === 'number' && value < 0) {
    errors.push(invalidShownValue(field, String(value), 'must be greater than or equal to 0'));
  }
  if (typeof value === 'string' && !PERCENT.test(value)) errors.push(invalidShownValue(field, formatGoIntOrString(value), PERCENT_TEXT));
}

/** 25 for `25%`; `undefined` for a number and for a text that is no percentage. */
export const parsePercent = (value: IntOrPercent | undefined): number | undefined =>
  typeof value === 'string' && PERCENT.test(value) ? Number(value.slice(0, -1)) : undefined;

/** A value that is no percentage is valid: it is checked by {@link checkIntOrPercent}. */
export function checkNotMoreThan100Percent(value: IntOrPercent | undefined, field: string, errors: Errors): void {
  const percent = parsePercent(value);
  if (value === undefined || percent === undefined || percent <= 100) return;
  errors.push(invalidShownValue(field, formatGoIntOrString(value), 'must not be greater than 100%'));
}

/** The number itself, or the number before the percent sign; 0 for an absent value and for any other text. */
export function intOrPercentValue(value: IntOrPercent | undefined): number {
  if (typeof value !== 'string') return value ?? 0;
  const number = Number(value.endsWith('%') ? value.slice(0, -1) : value);
  return Number.isNaN(number) ? 0 : number;
}
