/**
 * What time a timestamp shows in a zone, and how long a duration is. The zone is UTC where none is given; zones are IANA names or offsets.
 */
import type { Work } from '../values/equality';
import { Failure, type Timestamp, type Value } from '../values/value';
import { binary, isDuration, isString, isTimestamp, unary, type FunctionRow } from './function';

const MILLION = 1_000_000n;
const floorDivide = (value: bigint, by: bigint): bigint => (value - (((value % by) + by) % by)) / by;

/** The local time as if it were UTC. */
type Local = Date | Failure;

const OFFSET = /^([+-]?)(\d\d?):(\d\d)$/;

const formats = new Map<string, Intl.DateTimeFormat | Failure>();

/** What a zone's rules take to be found, and a time to be told by them: units of work as the meter counts them. */
const ZONE_WORK = 5000;
const TELLING_WORK = 100;

function formatOf(zone: string, work: Work): Intl.DateTimeFormat | Failure {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  work.spend(ZONE_WORK);
  const made = makeFormat(zone);
  if (formats.size >= 100) formats.clear();
  formats.set(zone, made);
  return made;
}

function makeFormat(zone: string): Intl.DateTimeFormat | Failure {
  try {
    // Names differ by case, which this runtime would overlook.
    if (!/^[A-Z]/.test(zone)) return new Failure(`unknown time zone ${zone}`);
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
    return new Failure(`unknown time zone ${zone}`);
  }
}

function localTime({ nanos }: Timestamp, zone: string, work: Work): Local {
  const millis = Number(floorDivide(nanos, MILLION));
  if (zone === '' || zone === 'UTC' || zone === 'Local') return new Date(millis);
  const offset = OFFSET.exec(zone);
  if (offset !== null) {
    const minutes = Number(offset[2]) * 60 + Number(offset[3]);
    return new Date(millis + (offset[1] === '-' ? -minutes : minutes) * 60_000);
  }
  work.spend(TELLING_WORK);
  const format = formatOf(zone, work);
  if (format instanceof Failure) return format;
  const parts = new Map(format.formatToParts(new Date(millis)).map(({ type, value }) => [type, value]));
  const part = (name: Intl.DateTimeFormatPartTypes): number => Number(parts.get(name));
  const local = new Date(0);
  const year = parts.get('era') === 'BC' ? 1 - part('year') : part('year');
  local.setUTCFullYear(year, part('month') - 1, part('day'));
  local.setUTCHours(part('hour'), part('minute'), part('second'), ((millis % 1000) + 1000) % 1000);
  return local;
}

const DAY = 86_400_000;

const ACCESSORS: Readonly<Record<string, (local: Date) => number>> = {
  getFullYear: (local) => local.getUTCFullYear(),
  getMonth: (local) => local.getUTCMonth(),
  getDate: (local) => local.getUTCDate(),
  getDayOfMonth: (local) => local.getUTCDate() - 1,
  getDayOfWeek: (local) => local.getUTCDay(),
  getDayOfYear: (local) => {
    const start = new Date(0);
    start.setUTCFullYear(local.getUTCFullYear(), 0, 1);
    return Math.floor((local.getTime() - start.getTime()) / DAY);
  },
  getHours: (local) => local.getUTCHours(),
  getMinutes: (local) => local.getUTCMinutes(),
  getSeconds: (local) => local.getUTCSeconds(),
  getMilliseconds: (local) => local.getUTCMilliseconds(),
};

const LENGTHS: readonly (readonly [string, bigint])[] = [
  ['getHours', 3600n * 1000n * MILLION],
  ['getMinutes', 60n * 1000n * MILLION],
  ['getSeconds', 1000n * MILLION],
  ['getMilliseconds', MILLION],
];

export const TIME_ROWS: readonly FunctionRow[] = [
  ...Object.entries(ACCESSORS).flatMap(([name, read]) => {
    const at = (time: Timestamp, zone: string, work: Work): Value => {
      const local = localTime(time, zone, work);
      return local instanceof Failure ? local : BigInt(read(local));
    };
    return [
      unary(`timestamp.${name}(): int`, isTimestamp, (time, work) => at(time, '', work)),
      binary(`timestamp.${name}(string): int`, isTimestamp, isString, at),
    ];
  }),
  ...LENGTHS.map(([name, unit]) => unary(`duration.${name}(): int`, isDuration, ({ nanos }) => nanos / unit)),
];
