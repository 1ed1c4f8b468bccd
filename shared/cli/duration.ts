/**
 * Durations in flags and query parameters, in Go's notation: `300ms`, `5m0s`, `1h30m`, `1.5s`, `0`. Values are in
 * milliseconds.
 */

/** Of the two spellings of microseconds, one has the micro sign and one the Greek letter; Go accepts both. */
const UNIT_MILLISECONDS: ReadonlyMap<string, number> = new Map([
  ['ns', 1e-6],
  ['us', 1e-3],
  ['µs', 1e-3],
  ['μs', 1e-3],
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
]);

/** One amount with its unit: `1.5h` of `1.5h30m`. */
const PART = /(\d+(?:\.\d*)?|\.\d+)([a-zµμ]+)/y;

/** In milliseconds; `undefined` when the text is not a duration. Of numbers without a unit only 0 is a duration. */
export function parseDuration(text: string): number | undefined {
  if (/^[+-]?0$/.test(text)) return 0;
  PART.lastIndex = /^[+-]/.test(text) ? 1 : 0;
  if (PART.lastIndex === text.length) return undefined;
  let total = 0;
  while (PART.lastIndex < text.length) {
    const [, amount, unit = ''] = PART.exec(text) ?? [];
    const factor = UNIT_MILLISECONDS.get(unit);
    if (factor === undefined) return undefined;
    total += Number(amount) * factor;
  }
  return text.startsWith('-') ? -total : total;
}

/**
 * The spelling of Go's `Duration.String`: `0s`, `250ms`, `1.5s`, `5m0s`, `1h0m0s`; except below a millisecond, where Go
 * prints `500µs` and this `0.5ms`.
 */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 0) return `-${formatDuration(-milliseconds)}`;
  if (milliseconds === 0) return '0s';
  if (milliseconds < 1_000) return `${formatDecimal(milliseconds)}ms`;
  const hours = Math.floor(milliseconds / 3_600_000);
  const minutes = Math.floor((milliseconds % 3_600_000) / 60_000);
  const seconds = formatDecimal((milliseconds % 60_000) / 1_000);
  if (hours > 0) return `${hours}h${minutes}m${seconds}s`;
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`;
}

/** With at most six decimal places. */
function formatDecimal(value: number): string {
  return String(Math.round(value * 1e6) / 1e6);
}
