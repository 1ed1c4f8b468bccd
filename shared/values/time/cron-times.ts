/**
 * Computes the times of a cron schedule: the instants at which the local time of its zone matches. A local time that is
 * skipped when clocks go forward never matches, one that occurs twice when clocks go back matches twice. Instants are
 * milliseconds since 1970; a local day (`day`) is the midnight that the same date has in UTC, in milliseconds since 1970.
 */
import type { CronField, CronSchedule } from './cron-schedule';
import { zoneOffsetMs } from './zone-offset';

type Fields = Extract<CronSchedule, { readonly type: 'fields' }>;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** As in upstream, a date that does not occur in five years (31 February) counts as one that never occurs. */
const MAX_DAYS = 5 * 366;

/** The first time after `since`; `undefined` when there is none in the next five years. */
export function nextCronTime(schedule: CronSchedule, zone: string | undefined, since: number): number | undefined {
  if (schedule.type === 'every') return Math.floor(since / 1_000) * 1_000 + schedule.ms;
  for (let day = dayAt(zone, since), left = MAX_DAYS; left >= 0; day += DAY_MS, left -= 1) {
    if (!matchesDay(schedule, day)) continue;
    for (const time of timesOn(schedule, zone, day, since)) if (time > since) return time;
  }
  return undefined;
}

/** The instants after `since` and not after `until`. */
export interface CronPeriod {
  readonly since: number;
  readonly until: number;
}

/** The last time in the period; `undefined` when there is none. */
export function lastCronTime(schedule: CronSchedule, zone: string | undefined, { since, until }: CronPeriod): number | undefined {
  if (schedule.type === 'every') {
    const start = Math.floor(since / 1_000) * 1_000;
    const times = Math.floor((until - start) / schedule.ms);
    return times < 1 ? undefined : start + times * schedule.ms;
  }
  const firstDay = dayAt(zone, since);
  for (let day = dayAt(zone, until), left = MAX_DAYS; day >= firstDay && left >= 0; day -= DAY_MS, left -= 1) {
    if (!matchesDay(schedule, day)) continue;
    let last: number | undefined;
    for (const time of timesOn(schedule, zone, day, since)) {
      if (time > until) break;
      last = time;
    }
    if (last !== undefined) return last > since ? last : undefined;
  }
  return undefined;
}

/** The number of times in the period, up to `limit`. */
export function countCronTimes(schedule: CronSchedule, zone: string | undefined, { since, until }: CronPeriod, limit: number): number {
  if (schedule.type === 'every') return Math.max(0, Math.min(limit, Math.floor((until - since) / schedule.ms)));
  let count = 0;
  for (let time = nextCronTime(schedule, zone, since); time !== undefined && time <= until; time = nextCronTime(schedule, zone, time)) {
    count += 1;
    if (count === limit) break;
  }
  return count;
}

/** The local day of an instant. */
const dayAt = (zone: string | undefined, instant: number): number => Math.floor((instant + zoneOffsetMs(zone, instant)) / DAY_MS) * DAY_MS;

function matchesDay({ days, months, weekdays }: Fields, day: number): boolean {
  const date = new Date(day);
  if (!months.values.has(date.getUTCMonth() + 1)) return false;
  const isOfMonth = days.values.has(date.getUTCDate());
  const isOfWeek = weekdays.values.has(date.getUTCDay());
  return days.isWildcard || weekdays.isWildcard ? isOfMonth && isOfWeek : isOfMonth || isOfWeek;
}

/**
 * The times on a local day in ascending order; those in hours that end before `since` may be omitted. Around a change of
 * the zone's offset each local time is tried with both offsets.
 */
function timesOn({ hours, minutes }: Fields, zone: string | undefined, day: number, since: number): Iterable<number> {
  // Offsets are less than a day, so the local day lies between these two instants.
  const before = zoneOffsetMs(zone, day - DAY_MS);
  const after = zoneOffsetMs(zone, day + 2 * DAY_MS);
  if (before === after) return timesAt(hours, minutes, day - before, since);
  const times = [before, after].flatMap((offset) =>
    [...timesAt(hours, minutes, day - offset, since)].filter((time) => zoneOffsetMs(zone, time) === offset),
  );
  return times.sort((a, b) => a - b);
}

/** @param midnight the instant of the local midnight */
function* timesAt(hours: CronField, minutes: CronField, midnight: number, since: number): Iterable<number> {
  for (const hour of hours.values) {
    const start = midnight + hour * HOUR_MS;
    if (start + HOUR_MS <= since) continue;
    for (const minute of minutes.values) yield start + minute * MINUTE_MS;
  }
}
