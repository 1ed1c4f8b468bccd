/**
 * Fields of a timestamp in a time zone, and units of a duration. A zone is an IANA name (`Asia/Tokyo`) or an offset
 * (`-02:30`); by default it is UTC.
 */
import type { WorkContext } from '../values/equality';
import { ErrorValue, type Timestamp, type Value } from '../values/value';
import { binary, isDuration, isString, isTimestamp, unary, type FunctionOverload } from './function';

const NANOS_PER_MILLISECOND = 1_000_000n;
/** Rounds down, also for negative values. */
const floorDivide = (value: bigint, divisor: bigint): bigint => (value - (((value % divisor) + divisor) % divisor)) / divisor;

/** The local time as a Date with this time in UTC, or the error of an unknown zone. */
type LocalTime = Date | ErrorValue;

/** A time zone as an offset: `-02:30`. */
const OFFSET = /^([+-]?)(\d\d?):(\d\d)$/;

/** Formats by time zone, and the errors of unknown zones. Creating a format takes long. */
const formatCache = new Map<string, Intl.DateTimeFormat | ErrorValue>();
/** Limit of the cache, which is cleared when it is full: zones may come from objects. */
const MAX_CACHED_FORMATS = 100;

/** Steps of work (run/meter.ts) for loading the rules of a time zone. */
const ZONE_WORK = 5000;
/** Steps of work for converting a timestamp. */
const FORMAT_WORK = 100;

function timeZoneFormat(zone: string, work: WorkContext): Intl.DateTimeFormat | ErrorValue {
  const known = formatCache.get(zone);
  if (known !== undefined) return known;
  work.spend(ZONE_WORK);
  const format = createTimeZoneFormat(zone);
  if (formatCache.size >= MAX_CACHED_FORMATS) formatCache.clear();
  formatCache.set(zone, format);
  return format;
}

function createTimeZoneFormat(zone: string): Intl.DateTimeFormat | ErrorValue {
  try {
    // Zone names are case-sensitive upstream and begin with a capital letter; Intl ignores case.
    if (!/^[A-Z]/.test(zone)) return new ErrorValue(`unknown time zone ${zone}`);
    return new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'gregory',
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    return new ErrorValue(`unknown time zone ${zone}`);
  }
}

function localTime({ nanos }: Timestamp, zone: string, work: WorkContext): LocalTime {
  const millis = Number(floorDivide(nanos, NANOS_PER_MILLISECOND));
  if (zone === '' || zone === 'UTC' || zone === 'Local') return new Date(millis);
  const offset = OFFSET.exec(zone);
  if (offset !== null) {
    const minutes = Number(offset[2]) * 60 + Number(offset[3]);
    return new Date(millis + (offset[1] === '-' ? -minutes : minutes) * 60_000);
  }
  work.spend(FORMAT_WORK);
  const format = timeZoneFormat(zone, work);
  if (format instanceof ErrorValue) return format;
  const parts = new Map(format.formatToParts(new Date(millis)).map(({ type, value }) => [type, value]));
  const part = (name: Intl.DateTimeFormatPartTypes): number => Number(parts.get(name));
  const local = new Date(0);
  // The year before 1 is 1 BC, which ISO 8601 calls 0.
  const year = parts.get('era') === 'BC' ? 1 - part('year') : part('year');
  local.setUTCFullYear(year, part('month') - 1, part('day'));
  local.setUTCHours(part('hour'), part('minute'), part('second'), ((millis % 1000) + 1000) % 1000);
  return local;
}

const DAY_MS = 86_400_000;

/** The methods of timestamps. Months and days count from 0, except that `getDate` counts from 1. */
const ACCESSORS: Readonly<Record<string, (local: Date) => number>> = {
  getFullYear: (local) => local.getUTCFullYear(),
  getMonth: (local) => local.getUTCMonth(),
  getDate: (local) => local.getUTCDate(),
  getDayOfMonth: (local) => local.getUTCDate() - 1,
  getDayOfWeek: (local) => local.getUTCDay(),
  getDayOfYear: (local) => {
    const start = new Date(0);
    start.setUTCFullYear(local.getUTCFullYear(), 0, 1);
    return Math.floor((local.getTime() - start.getTime()) / DAY_MS);
  },
  getHours: (local) => local.getUTCHours(),
  getMinutes: (local) => local.getUTCMinutes(),
  getSeconds: (local) => local.getUTCSeconds(),
  getMilliseconds: (local) => local.getUTCMilliseconds(),
};

/** The methods of durations, with the nanoseconds of the unit that each counts. */
const DURATION_UNITS: Readonly<Record<string, bigint>> = {
  getHours: 3600n * 1000n * NANOS_PER_MILLISECOND,
  getMinutes: 60n * 1000n * NANOS_PER_MILLISECOND,
  getSeconds: 1000n * NANOS_PER_MILLISECOND,
  getMilliseconds: NANOS_PER_MILLISECOND,
};

/** The overloads, each with its signature, its checks of arguments, its function and its costs. */
export const TIME_FUNCTIONS: readonly FunctionOverload[] = [
  ...Object.entries(ACCESSORS).flatMap(([name, read]) => {
    const readField = (time: Timestamp, zone: string, work: WorkContext): Value => {
      const local = localTime(time, zone, work);
      return local instanceof ErrorValue ? local : BigInt(read(local));
    };
    return [
      unary(`timestamp.${name}(): int`, isTimestamp, (time, work) => readField(time, '', work)),
      binary(`timestamp.${name}(string): int`, [isTimestamp, isString], readField),
    ];
  }),
  ...Object.entries(DURATION_UNITS).map(([name, unit]) => unary(`duration.${name}(): int`, isDuration, ({ nanos }) => nanos / unit)),
];
