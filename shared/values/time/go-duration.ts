/**
 * Parses durations in API objects (`1h30m`, `1.5s`) like Go's `time.ParseDuration`: with its limit of an int64, whole
 * nanoseconds and its error messages. Flags and configuration files need none of these and use shared/cli/duration.ts.
 *
 * A message differs when an amount exceeds 2^63 and its unit is missing or unknown: Go reports the amount (`invalid
 * duration`), this parser the unit.
 */
import { quote } from '../text/quote';

/** Nanoseconds in each unit. */
const UNITS: ReadonlyMap<string, number> = new Map([
  ['ns', 1],
  ['us', 1e3],
  // U+00B5, the micro sign, and U+03BC, the Greek letter.
  ['\u00B5s', 1e3],
  ['\u03BCs', 1e3],
  ['ms', 1e6],
  ['s', 1e9],
  ['m', 60e9],
  ['h', 3600e9],
]);
/** Whole part without leading zeros, fraction and unit: `1`, `.5` and `h` of `01.5h`. */
const PART = /0*(\d*)(\.\d*)?([^.\d]*)/y;
/** More digits exceed 2^63 nanoseconds in any unit. */
const MAX_DIGITS = 19;
/** A Go duration is an int64 of nanoseconds: sums from this one on are refused. Go accepts -2^63 itself. */
const NANOSECONDS_LIMIT = 2n ** 63n;

/** Milliseconds with a fraction (`1.5us` is 0.0015), negative for `-1s`; an error message when the text is no duration. */
export function parseGoDuration(text: string): number | string {
  const invalid = `time: invalid duration ${quote(text)}`;
  const amount = text.replace(/^[+-]/, '');
  if (amount === '0') return 0;
  if (amount === '') return invalid;
  let total = 0n;
  PART.lastIndex = 0;
  while (PART.lastIndex < amount.length) {
    const [part = '', whole = '', fraction = '', unit = ''] = PART.exec(amount) ?? [];
    if (!/^\.?\d/.test(part)) return invalid;
    if (unit === '') return `time: missing unit in duration ${quote(text)}`;
    const factor = UNITS.get(unit);
    if (factor === undefined) return `time: unknown unit ${quote(unit)} in duration ${quote(text)}`;
    if (whole.length > MAX_DIGITS) return invalid;
    total += BigInt(whole || '0') * BigInt(factor) + BigInt(Math.floor(Number(`0${fraction}`) * factor));
    if (total >= NANOSECONDS_LIMIT) return invalid;
  }
  return (text.startsWith('-') ? -1 : 1) * (Number(total) / 1e6);
}
