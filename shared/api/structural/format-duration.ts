/** Durations as upstream takes them in custom resources: Go's (`1h30m`), or any text with a number and the name of a unit somewhere (`3 days`). */

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
const PART = /([0-9]*)(?:\.([0-9]*))?([a-zµμ]+)/y;
const MOST_NANOS = 2n ** 63n;
const MOST_FACTOR = 2n ** 63n - 1n;

/** Units by their short names, and what longer names begin with. */
const SHORT = new Set(['ns', 'us', 'µs', 'ms', 's', 'm', 'h', 'hr', 'd', 'w', 'wk']);
const LONG = ['nano', 'micro', 'milli', 'sec', 'min', 'hour', 'day', 'week'];

export function isDuration(text: string): boolean {
  return isGoDuration(text) || isSpelledOut(text);
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
    if (scale === undefined || whole + fraction === '' || whole.length > 40) return false;
    nanos += BigInt(whole) * scale + BigInt(Math.trunc(Number(`0.${fraction}0`) * Number(scale)));
    if (nanos > MOST_NANOS) return false;
  }
  return isNegative || nanos < MOST_NANOS;
}

function isSpelledOut(text: string): boolean {
  let isGood = false;
  for (const [, factor = '', unit = ''] of text.matchAll(/(?<![0-9])([0-9]+)[ \t\n\f\r]*([A-Za-zµ]+)/g)) {
    if (factor.length > 40 || BigInt(factor) > MOST_FACTOR) return false;
    const name = unit.toLowerCase();
    if (SHORT.has(name) || LONG.some((beginning) => name.startsWith(beginning))) isGood = true;
  }
  return isGood;
}
