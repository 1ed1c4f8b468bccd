/** What rules ask of numbers: ranges, ports, ids, counts, and shares in percent. Integers of 64 bits are `bigint` where no number holds them. */
import { invalidShownValue, unsupportedValue } from '../../../shared/api/errors/field-error';
import { formatGoIntOrString } from '../../../shared/values/go-values';
import { own, type JsonObject } from '../../../shared/values/json';
import { patternMessage } from '../../../shared/values/name-formats';
import type { Errors, MemberOf } from './checks';

/** Of ports, in the order in which messages list them. */
export const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

export function checkProtocol(protocol: string, field: string, errors: Errors): void {
  if (!PROTOCOLS.includes(protocol)) errors.push(unsupportedValue(field, protocol, PROTOCOLS));
}

export type Integer = number | bigint;

function integerAt(object: JsonObject, member: string): Integer | undefined {
  const value = own(object, member);
  return typeof value === 'number' || typeof value === 'bigint' ? value : undefined;
}

/** `place` is empty at the top of an object. */
const pathOf = (place: string, member: string): string => (place === '' ? member : `${place}.${member}`);

export function checkRange(value: Integer | undefined, field: string, least: number, most: number, errors: Errors): void {
  if (value === undefined || (value >= least && value <= most)) return;
  errors.push(invalidShownValue(field, String(value), `must be between ${least} and ${most}, inclusive`));
}

export function checkPort(value: Integer, field: string, errors: Errors): void {
  checkRange(value, field, 1, 65_535, errors);
}

const LARGEST_ID = 2_147_483_647;

/** The number of a user or group. */
export const checkId = (value: Integer | undefined, field: string, errors: Errors): void => checkRange(value, field, 0, LARGEST_ID, errors);

/** Of what counts something; an absent one is none. */
export function checkNotNegative<T extends JsonObject>(object: T, member: MemberOf<T, Integer>, place: string, errors: Errors): void {
  const value = integerAt(object, member);
  if (value !== undefined && value < 0)
    errors.push(invalidShownValue(pathOf(place, member), String(value), 'must be greater than or equal to 0'));
}

/** The permissions of a file. */
export function checkMode<T extends JsonObject>(object: T, member: MemberOf<T, Integer>, place: string, errors: Errors): void {
  const value = integerAt(object, member);
  if (value === undefined || (value >= 0 && value <= 0o777)) return;
  errors.push(invalidShownValue(`${place}.${member}`, String(value), 'must be a number between 0 and 0777 (octal), both inclusive'));
}

/** A number, or a share in percent. */
type CountOrShare = number | string;

const SHARE = /^[0-9]+%$/;
const SHARE_TEXT = patternMessage("a valid percent string must be a numeric string followed by an ending '%'", '[0-9]+%', '1%', '93%');

/** Of a member that is a count or a share; an absent one is no error. */
export function checkCountOrShare<T extends JsonObject>(object: T, member: MemberOf<T, CountOrShare>, place: string, errors: Errors): void {
  const value = own(object, member);
  if (typeof value !== 'string') {
    if (typeof value === 'number' && value < 0)
      errors.push(invalidShownValue(`${place}.${member}`, String(value), 'must be greater than or equal to 0'));
  } else if (!SHARE.test(value)) errors.push(invalidShownValue(`${place}.${member}`, formatGoIntOrString(value), SHARE_TEXT));
}

/** The share that a text names, in percent; undefined when it names none. */
export const shareOf = (value: CountOrShare | undefined): number | undefined =>
  typeof value === 'string' && SHARE.test(value) ? Number(value.slice(0, -1)) : undefined;

export function checkNotMoreThanAll(value: CountOrShare | undefined, field: string, errors: Errors): void {
  const share = shareOf(value);
  if (value === undefined || share === undefined || share <= 100) return;
  errors.push(invalidShownValue(field, formatGoIntOrString(value), 'must not be greater than 100%'));
}

/** What a count or share comes to: the number, whether or not it is a share; nothing that can be read = 0. */
export function amountOf(value: CountOrShare | undefined): number {
  if (typeof value !== 'string') return value ?? 0;
  const amount = Number(value.replace(/%$/, ''));
  return Number.isNaN(amount) ? 0 : amount;
}
