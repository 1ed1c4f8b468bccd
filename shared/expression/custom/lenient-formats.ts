/**
 * Reads timestamps and durations that the formats of schemas accept although CEL's conversions (library/printing.ts) do
 * not: timestamps without seconds or zone, and durations in days and weeks or with spelled-out units.
 */
import { INT_MAX } from '../syntax/literals';
import { readTimestamp } from '../library/printing';
import { Duration, type Timestamp } from '../values/value';

/** Groups: day, hour and minute, second, zone: `2024-05-01`, `10:20`, `:30.5` and `+0200`. */
const LENIENT_TIME = /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d)(:\d\d(?:\.\d+)?)?([Zz]|[+-]\d\d:?\d\d)?$/;

/**
 * Reads a timestamp that may lack its seconds, its zone, which is then UTC, or the colon in the zone:
 * `2024-05-01T10:20+0200`. `undefined` when the text has another form.
 */
export function readLenientTime(text: string): Timestamp | undefined {
  const match = LENIENT_TIME.exec(text);
  if (match === null) return undefined;
  const [, day = '', minute = '', second = ':00', zone = 'Z'] = match;
  const lacksColon = zone.length === '+0200'.length;
  const zoneWithColon = lacksColon ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone;
  return readTimestamp(`${day}T${minute}${second}${zoneWithColon}`);
}

/** In nanoseconds. */
const SECOND = 1_000_000_000n;
/** Nanoseconds per unit, and the names of the unit. */
const UNITS: readonly (readonly [nanos: bigint, names: string])[] = [
  [1n, 'ns nano nanosecond nanoseconds'],
  [1_000n, 'us µs μs micro microsecond microseconds'],
  [1_000_000n, 'ms milli millisecond milliseconds'],
  [SECOND, 's sec second seconds'],
  [60n * SECOND, 'm min minute minutes'],
  [3600n * SECOND, 'h hr hour hours'],
  [86_400n * SECOND, 'd day days'],
  [604_800n * SECOND, 'w wk week weeks'],
];
const NANOS_BY_UNIT = new Map(UNITS.flatMap(([nanos, names]) => names.split(' ').map((name): [string, bigint] => [name, nanos])));

/** A count with its unit: `2` and `days` of `2 days`. */
const COUNT_WITH_UNIT = /(?<!\d)(\d+)\s*([A-Za-zµμ]+)/gu;

/**
 * Reads a sum of counts with units: `3 d`, `1 week 2 days`. Text between them is ignored (upstream behaviour).
 * `undefined` when there is none, for an unknown unit, and when the sum is out of range.
 */
export function readLongDuration(text: string): Duration | undefined {
  if (text.length > 1000) return undefined;
  let nanos = 0n;
  let hasUnit = false;
  for (const [, count = '', unit = ''] of text.matchAll(COUNT_WITH_UNIT)) {
    const scale = NANOS_BY_UNIT.get(unit);
    if (scale === undefined) return undefined;
    nanos += BigInt(count) * scale;
    hasUnit = true;
  }
  return !hasUnit || nanos > INT_MAX ? undefined : new Duration(nanos);
}
