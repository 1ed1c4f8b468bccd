/** What upstream says of a text that should be a duration (`1h30m`, `1.5s`). Only judges; shared/runtime/duration.ts reads durations. */
import { quote } from './quote';

const UNITS: Readonly<Record<string, number>> = { ns: 1, us: 1e3, µs: 1e3, μs: 1e3, ms: 1e6, s: 1e9, m: 60e9, h: 3600e9 };
const PART = /^(\d*)(\.\d*)?([^.\d]*)/;
const MOST_NANOSECONDS = 2n ** 63n;

/** Undefined when it is one. */
export function durationFault(text: string): string | undefined {
  const invalid = `time: invalid duration ${quote(text)}`;
  let rest = text.replace(/^[+-]/, '');
  if (rest === '0') return undefined;
  if (rest === '') return invalid;
  let total = 0n;
  while (rest !== '') {
    const [part = '', whole = '', fraction = '', unit = ''] = PART.exec(rest) ?? [];
    if (`${whole}${fraction.slice(1)}` === '') return invalid;
    if (unit === '') return `time: missing unit in duration ${quote(text)}`;
    const factor = UNITS[unit];
    if (factor === undefined) return `time: unknown unit ${quote(unit)} in duration ${quote(text)}`;
    total += BigInt(whole || '0') * BigInt(factor) + BigInt(Math.floor(Number(`0${fraction}`) * factor));
    if (total >= MOST_NANOSECONDS) return invalid;
    rest = rest.slice(part.length);
  }
  return undefined;
}
