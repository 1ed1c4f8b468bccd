/** Prints doubles, timestamps and durations, and reads timestamps and durations, in upstream's formats. */
import { Duration, Timestamp } from '../values/value';
import { INT_MAX, INT_MIN, MAX_TIMESTAMP, MIN_TIMESTAMP } from '../syntax/literals';

export const NANOS_PER_SECOND = 1_000_000_000n;

/** The shortest digits, as Go's `%g` prints them with an exponent (`1e+06`) below 1e-4 and from 1e6. */
export function printDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const [mantissa = '', power = '0'] = value.toExponential().split('e');
  const exponent = Number(power);
  if (exponent < -4 || exponent >= 6) {
    return `${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
  }
  return String(value);
}

/** A decimal point and the fraction of a second without trailing zeros; empty for 0. */
function printFraction(nanos: bigint): string {
  if (nanos === 0n) return '';
  const digits = String(nanos).padStart(9, '0');
  return `.${digits.replace(/(?<!0)0+$/, '')}`;
}

/** RFC 3339 in UTC, with the fraction of a second when it is not zero. */
export function printTimestamp({ nanos }: Timestamp): string {
  const fraction = ((nanos % NANOS_PER_SECOND) + NANOS_PER_SECOND) % NANOS_PER_SECOND;
  const date = new Date(Number((nanos - fraction) / 1_000_000n));
  const year = date.getUTCFullYear();
  const yearDigits = String(Math.abs(year)).padStart(4, '0');
  // `-01-02T03:04:05` of `2006-01-02T03:04:05.000Z`. Beyond four digits toISOString prints the year in another form.
  const monthToSecond = date.toISOString().slice(-20, -5);
  return `${year < 0 ? '-' : ''}${yearDigits}${monthToSecond}${printFraction(fraction)}Z`;
}

/** The seconds with the precision of a double, so a long duration loses its last digits: `5400.5s`. */
export function printDuration({ nanos }: Duration): string {
  const seconds = Number(nanos / NANOS_PER_SECOND) + Number(nanos % NANOS_PER_SECOND) / 1e9;
  if (Math.abs(seconds) >= 1e-6) return `${seconds}s`;
  const size = nanos < 0n ? -nanos : nanos;
  return `${nanos < 0n ? '-' : ''}${size / NANOS_PER_SECOND}${printFraction(size % NANOS_PER_SECOND)}s`;
}

/** RFC 3339 with any number of fraction digits: `2024-05-01T10:20:30.5+02:00`. */
const TIME = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:[.,](\d+))?([Zz]|([+-])(\d\d):(\d\d))$/;
/** The days of each month, of February in a year that is no leap year. */
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

const isLeapYear = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
const daysIn = (year: number, month: number): number => (month === 2 && isLeapYear(year) ? 29 : (DAYS[month - 1] ?? 0));

/** Reads RFC 3339; `undefined` when the text is malformed or the time outside the years 1 to 9999. */
export function readTimestamp(text: string): Timestamp | undefined {
  const match = text.length > 1000 ? null : TIME.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  const isDate = month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
  const isTimeOfDay = hour <= 23 && minute <= 59 && second <= 59;
  if (!isDate || !isTimeOfDay) return undefined;
  const [, , , , , , , digits = '', , sign, zoneHours = '0', zoneMinutes = '0'] = match;
  if (Number(zoneHours) > 24 || Number(zoneMinutes) > 60) return undefined;
  const offset = (Number(zoneHours) * 60 + Number(zoneMinutes)) * (sign === '-' ? -1 : 1);
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  const millis = BigInt(date.getTime()) - BigInt(offset) * 60_000n;
  const nanos = millis * 1_000_000n + BigInt(digits.slice(0, 9).padEnd(9, '0'));
  return nanos < MIN_TIMESTAMP || nanos > MAX_TIMESTAMP ? undefined : new Timestamp(nanos);
}

/** The nanoseconds of each unit. Micro has two spellings: with the micro sign and with the Greek letter. */
const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: NANOS_PER_SECOND,
  m: 60n * NANOS_PER_SECOND,
  h: 3600n * NANOS_PER_SECOND,
};
/** One amount with its unit: `1.5h` of `1.5h30m`. */
const PART = /(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/y;

/** Reads `1h30m`, `1.5s` or `-2ms`; `undefined` when the text is malformed or the duration out of range. */
export function readDuration(text: string): Duration | undefined {
  const sign = /^[+-]/.exec(text)?.[0] ?? '';
  const rest = text.slice(sign.length);
  if (rest === '0') return new Duration(0n);
  if (rest === '' || rest.length > 200) return undefined;
  let nanos = 0n;
  PART.lastIndex = 0;
  while (PART.lastIndex < rest.length) {
    const match = PART.exec(rest);
    if (match === null) return undefined;
    const [, whole = '', part = '', unit = ''] = match;
    if (whole === '' && part === '') return undefined;
    const scale = UNITS[unit] ?? 0n;
    nanos += BigInt(whole === '' ? '0' : whole) * scale + (BigInt(part === '' ? '0' : part) * scale) / 10n ** BigInt(part.length);
  }
  const signed = sign === '-' ? -nanos : nanos;
  return signed < INT_MIN || signed > INT_MAX ? undefined : new Duration(signed);
}
