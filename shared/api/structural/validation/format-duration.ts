/**
 * The `duration` format of upstream. It accepts a Go duration (`1h30m`), and any text that contains a number with a known
 * unit (`3 days`), unless a number in front of a word exceeds an int64.
 */

/** Of the two spellings of microseconds, one has the micro sign and one the Greek letter; Go accepts both. */
const UNIT_NANOS: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['µs', 1_000n],
  ['μs', 1_000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
]);
/** A number with a unit: `1.5h` of `1.5h30m`. */
const PART = /([0-9]*)(?:\.([0-9]*))?([a-zµμ]+)/y;
/** The largest absolute value of a Go duration, which only a negative one reaches. */
const MAX_NANOS = 2n ** 63n;
const MAX_INT64 = 2n ** 63n - 1n;
/**
 * Longer numbers are rejected without converting them, because converting a very long number is slow. An int64 has at
 * most 19 digits; the other ones may be leading zeros.
 */
const MAX_DIGITS = 40;

/** Short unit names, and the prefixes of longer ones. */
const SHORT_UNITS = new Set(['ns', 'us', 'µs', 'ms', 's', 'm', 'h', 'hr', 'd', 'w', 'wk']);
const LONG_UNIT_PREFIXES = ['nano', 'micro', 'milli', 'sec', 'min', 'hour', 'day', 'week'];

/** Whether the text has the `duration` format. */
export function isDuration(text: string): boolean {
  return isGoDuration(text) || isVerboseDuration(text);
}

function isGoDuration(text: string): boolean {
  const isNegative = text.startsWith('-');
  const unsigned = text.replace(/^[-+]/, '');
  if (unsigned === '0') return true;
  if (unsigned === '') return false;
  let nanos = 0n;
  PART.lastIndex = 0;
  while (PART.lastIndex < unsigned.length) {
    const [, whole = '', fraction = '', unit = ''] = PART.exec(unsigned) ?? [];
    const scale = UNIT_NANOS.get(unit);
    if (scale === undefined || whole + fraction === '' || whole.length > MAX_DIGITS) return false;
    nanos += BigInt(whole) * scale + BigInt(Math.trunc(Number(`0.${fraction}0`) * Number(scale)));
    if (nanos > MAX_NANOS) return false;
  }
  return isNegative || nanos < MAX_NANOS;
}

/** For example `3 days` of `in 3 days`. */
const AMOUNT_AND_WORD = /(?<![0-9])([0-9]+)[ \t\n\f\r]*([A-Za-zµ]+)/g;

function isVerboseDuration(text: string): boolean {
  let hasUnit = false;
  for (const [, amount = '', unit = ''] of text.matchAll(AMOUNT_AND_WORD)) {
    if (amount.length > MAX_DIGITS || BigInt(amount) > MAX_INT64) return false;
    const name = unit.toLowerCase();
    if (SHORT_UNITS.has(name) || LONG_UNIT_PREFIXES.some((prefix) => name.startsWith(prefix))) hasUnit = true;
  }
  return hasUnit;
}
