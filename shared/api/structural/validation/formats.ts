/**
 * The string formats that upstream checks (`format: date-time`). Each accepts the texts that upstream accepts, as recorded
 * (test/replay/answers/custom/formats.jsonl), also where that differs from the format's specification. Other formats are
 * ignored.
 */
import { parseIpAddress, parseIpRange } from '../../../values/network/ip-address';
import { shownValue } from '../shown-value';
import type { SchemaCheck } from './check-context';
import { isIpv6 } from './format-address';
import { isMailAddress } from './format-email';
import { isDuration } from './format-duration';
import { isRequestUri } from './format-uri';

type Format = (text: string) => boolean;

const matching =
  (pattern: RegExp): Format =>
  (text) =>
    pattern.test(text);

/** `version` and `variant` are patterns of the digits that state these properties of a UUID. Hyphens are optional. */
const uuidFormat = (version: string, variant = '[0-9a-f]'): Format =>
  matching(new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?${variant}[0-9a-f]{3}-?[0-9a-f]{12}$`, 'i'));

/** A letter or symbol of any script, or a digit from 0 to 9. */
const HOST_CHARACTER = 'a-zA-Z0-9\\p{S}\\p{L}';
/** One label (with at most one hyphen, after its first character), or labels that end with a top-level domain of letters. */
const HOST_NAME = new RegExp(
  `^(?:[${HOST_CHARACTER}](?:-?[${HOST_CHARACTER}]{0,62})?|(?:[${HOST_CHARACTER}](?:[-${HOST_CHARACTER}]{0,61}[${HOST_CHARACTER}])?\\.)+[a-zA-Z\\p{L}]{2,63})$`,
  'u',
);
/** The prefixes and lengths of Visa, MasterCard, Discover, American Express, Diners Club and JCB, in this order. */
const CREDIT_CARD =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35[0-9]{3})[0-9]{11})$/;
/** A number up to 255 without leading zeros, and blanks around it. */
const COLOUR_COMPONENT = '[ \\t\\n\\f\\r]*(?:0|[1-9][0-9]?|1[0-9][0-9]?|2[0-4][0-9]|25[0-5])[ \\t\\n\\f\\r]*';

/** By name without hyphens, which upstream ignores: `date-time` and `datetime` are the same format. */
const FORMATS: ReadonlyMap<string, Format> = new Map<string, Format>([
  ['bsonobjectid', matching(/^[0-9a-f]{24}$/i)],
  ['uri', isRequestUri],
  ['email', isMailAddress],
  ['hostname', isHostName],
  ['ipv4', (text) => text.includes('.') && parseIpAddress(text) !== undefined],
  ['ipv6', isIpv6],
  ['cidr', (text) => parseIpRange(text) !== undefined],
  ['mac', isHardwareAddress],
  ['uuid', uuidFormat('[0-9a-f]')],
  ['uuid3', uuidFormat('3')],
  ['uuid4', uuidFormat('4', '[89ab]')],
  ['uuid5', uuidFormat('5', '[89ab]')],
  ['isbn', (text) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['creditcard', isCreditCard],
  ['ssn', matching(/^[0-9]{3}[- ][0-9]{2}[- ][0-9]{4}$/)],
  ['hexcolor', matching(/^#?(?:[0-9a-f]{3}|[0-9a-f]{6})$/i)],
  ['rgbcolor', matching(new RegExp(`^rgb\\(${COLOUR_COMPONENT},${COLOUR_COMPONENT},${COLOUR_COMPONENT}\\)$`))],
  ['byte', matching(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/)],
  ['password', () => true],
  ['date', isDate],
  ['duration', isDuration],
  ['datetime', isDateTime],
]);

function findFormat(name: string): Format | undefined {
  return FORMATS.get(name.replaceAll('-', ''));
}

/** The name as it is when the format is known, otherwise an empty text. */
export function knownFormatName(name: string): string {
  return findFormat(name) === undefined ? '' : name;
}

/** The check of strings against a format; `undefined` when the format is not known. */
export function compileFormatCheck(name: string): SchemaCheck | undefined {
  const format = findFormat(name);
  if (format === undefined) return undefined;
  return (value, context) => {
    if (typeof value === 'string' && !format(value)) {
      const shown = shownValue(value);
      context.fail('FieldValueTypeInvalid', shown, `in body must be of type ${name}: ${shown}`);
    }
    return 0;
  };
}

function isHostName(text: string): boolean {
  if (text.length > 255 || Buffer.byteLength(text) > 255 || !HOST_NAME.test(text)) return false;
  return text.split('.').every((label) => Buffer.byteLength(label) <= 63);
}

/** Bytes or pairs of bytes: `00:1b:63:84:45:e6`, `00-1b-63-84-45-e6`, `001b638445e6`, `001b.6384.45e6`. */
const HARDWARE_ADDRESS = /^(?:[0-9a-f]{2}(?:(?::[0-9a-f]{2})+|(?:-[0-9a-f]{2})+|(?:[0-9a-f]{2})+)|[0-9a-f]{4}(?:\.[0-9a-f]{4})+)$/i;

/** Whether the text is a hardware address of 6, 8 or 20 bytes, which is at most 59 characters long. */
function isHardwareAddress(text: string): boolean {
  if (text.length > 59 || !HARDWARE_ADDRESS.test(text)) return false;
  const bytes = text.replace(/[:.-]/g, '').length / 2;
  return bytes === 6 || bytes === 8 || bytes === 20;
}

/** The digits, weighted by their positions, add up to a multiple of 11. The last one may be `X`, which means ten. */
function isIsbn10(text: string): boolean {
  const digits = withoutSeparators(text);
  if (!/^[0-9]{9}[0-9X]$/.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < 10; i += 1) sum += (i + 1) * (digits[i] === 'X' ? 10 : Number(digits[i]));
  return sum % 11 === 0;
}

/** The digits, weighted alternately by 1 and 3, add up to a multiple of ten. */
function isIsbn13(text: string): boolean {
  const digits = withoutSeparators(text);
  if (!/^[0-9]{13}$/.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < 13; i += 1) sum += (i % 2 === 0 ? 1 : 3) * Number(digits[i]);
  return sum % 10 === 0;
}

/** Without blanks and hyphens. */
function withoutSeparators(text: string): string {
  return text.replace(/[ \t\n\f\r-]+/g, '');
}

/** The number has a known prefix and length, and a valid Luhn checksum. Characters other than digits are ignored. */
function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, '');
  if (!CREDIT_CARD.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < digits.length; i += 1) {
    const digit = Number(digits[digits.length - 1 - i]);
    sum += i % 2 === 0 ? digit : Math.floor((digit * 2) / 10) + ((digit * 2) % 10);
  }
  return sum % 10 === 0;
}

const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isDate(text: string): boolean {
  const [, year = '', month = '', day = ''] = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/.exec(text) ?? [];
  if (year === '') return false;
  const isLeap = Number(year) % 4 === 0 && (Number(year) % 100 !== 0 || Number(year) % 400 === 0);
  const days = month === '02' && isLeap ? 29 : (MONTH_DAYS[Number(month) - 1] ?? 0);
  return Number(day) >= 1 && Number(day) <= days;
}

/** In lower case: `10:20:30.5z`, `10:20:30+02:00`. */
const TIME_OF_DAY = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(?:.[0-9]+)?(?:z|[+-][0-9]{2}:[0-9]{2})$/u;

/**
 * Looser than RFC 3339: any character may precede a fraction, zone offsets are not range-checked, and text after a
 * second `t` is ignored.
 */
function isDateTime(text: string): boolean {
  const [date = '', time = ''] = text.toLowerCase().split('t', 2);
  if (!isDate(date)) return false;
  const [, hour = '', minute = '', second = ''] = TIME_OF_DAY.exec(time) ?? [];
  return hour !== '' && hour <= '23' && minute <= '59' && second <= '59';
}
