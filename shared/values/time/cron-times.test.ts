/** The next times of cron schedules, across changes of daylight saving time. */
import { parseCronSchedule, type CronSchedule } from './cron-schedule';
import { lastCronTime, nextCronTime, countCronTimes } from './cron-times';
import { formatZonedTime } from './zone-offset';

const at = (text: string): number => Date.parse(text);
const format = (ms: number | undefined): string | undefined => (ms === undefined ? undefined : new Date(ms).toISOString());

function schedule(text: string): CronSchedule {
  const parsed = parseCronSchedule(text);
  if (typeof parsed === 'string') throw new Error(parsed);
  return parsed;
}

/** The next `count` times. */
function times(text: string, since: string, count: number, zone?: string): (string | undefined)[] {
  const result: (string | undefined)[] = [];
  let last: number | undefined = at(since);
  for (; result.length < count && last !== undefined; result.push(format(last))) last = nextCronTime(schedule(text), zone, last);
  return result;
}

it.each([
  ['* * * * *', '2026-11-23T10:00:00Z', ['2026-11-23T10:01:00.000Z', '2026-11-23T10:02:00.000Z']],
  ['* * * * *', '2026-12-31T23:59:30Z', ['2027-01-01T00:00:00.000Z']],
  ['*/20 3-5/2 * * *', '2026-11-23T03:30:00Z', ['2026-11-23T03:40:00.000Z', '2026-11-23T05:00:00.000Z']],
  ['5,1 0 * * MON', '2026-11-23T00:01:00Z', ['2026-11-23T00:05:00.000Z', '2026-11-30T00:01:00.000Z']],
  ['0 0 29 2 *', '2026-01-01T00:00:00Z', ['2028-02-29T00:00:00.000Z']],
  ['0 0 31 2 *', '2026-01-01T00:00:00Z', [undefined]],
  // Days of the month and days of the week are alternatives when neither is a wildcard; `*` with a step is no wildcard.
  ['0 0 13 * 5', '2026-11-01T00:00:00Z', ['2026-11-06T00:00:00.000Z', '2026-11-13T00:00:00.000Z']],
  ['0 0 1 * 5', '2026-11-01T00:00:00Z', ['2026-11-06T00:00:00.000Z']],
  ['0 0 */10 * 5', '2026-11-01T00:00:00Z', ['2026-11-06T00:00:00.000Z', '2026-11-11T00:00:00.000Z']],
  ['0 0 * * 5', '2026-11-01T00:00:00Z', ['2026-11-06T00:00:00.000Z', '2026-11-13T00:00:00.000Z']],
  ['@monthly', '2026-11-01T00:00:00Z', ['2026-12-01T00:00:00.000Z']],
  ['@every 90s', '2026-11-01T00:00:00.400Z', ['2026-11-01T00:01:30.000Z', '2026-11-01T00:03:00.000Z']],
])('nextCronTime of the schedule %s after %s gives the expected times', (text, since, expected) => {
  expect(times(text, since, expected.length)).toEqual(expected);
});

describe('nextCronTime in a time zone', () => {
  it('skips times that do not exist when clocks go forward', () => {
    expect(times('30 2 * * *', '2026-03-07T12:00:00Z', 2, 'America/New_York')).toEqual([
      '2026-03-09T06:30:00.000Z',
      '2026-03-10T06:30:00.000Z',
    ]);
    expect(times('0 * * * *', '2026-03-08T06:30:00Z', 2, 'America/New_York')).toEqual([
      '2026-03-08T07:00:00.000Z',
      '2026-03-08T08:00:00.000Z',
    ]);
  });

  it('returns times twice that occur twice when clocks go back', () => {
    const expected = ['2026-11-01T05:30:00.000Z', '2026-11-01T06:30:00.000Z', '2026-11-02T06:30:00.000Z'];
    expect(times('30 1 * * *', '2026-11-01T00:00:00Z', 3, 'America/New_York')).toEqual(expected);
  });

  it('supports time zones with large or fractional offsets', () => {
    expect(times('30 12 * * *', '2026-11-23T00:00:00Z', 1, 'Asia/Kathmandu')).toEqual(['2026-11-23T06:45:00.000Z']);
    expect(times('0 1 * * *', '2026-11-23T00:00:00Z', 1, 'Pacific/Kiritimati')).toEqual(['2026-11-23T11:00:00.000Z']);
  });
});

describe('lastCronTime', () => {
  const last = (text: string, since: string, until: string, zone?: string) =>
    format(lastCronTime(schedule(text), zone, { since: at(since), until: at(until) }));

  it('returns the last time after the start and not after the end', () => {
    expect(last('0 0 1 1 *', '2024-05-01T00:00:00Z', '2026-11-23T00:00:00Z')).toBe('2026-01-01T00:00:00.000Z');
    expect(last('0 0 1 1 *', '2026-01-01T00:00:00Z', '2026-11-23T00:00:00Z')).toBeUndefined();
    expect(last('*/5 * * * *', '2026-11-23T10:00:00Z', '2026-11-23T10:25:00Z')).toBe('2026-11-23T10:25:00.000Z');
    expect(last('0 0 31 2 *', '1970-01-01T00:00:00Z', '2026-11-23T10:25:00Z')).toBeUndefined();
    expect(last('30 1 * * *', '2026-10-30T00:00:00Z', '2026-11-01T12:00:00Z', 'America/New_York')).toBe('2026-11-01T06:30:00.000Z');
    expect(last('@every 10m', '2026-11-23T10:00:00Z', '2026-11-23T10:25:00Z')).toBe('2026-11-23T10:20:00.000Z');
    expect(last('@every 10m', '2026-11-23T10:00:00Z', '2026-11-23T10:09:00Z')).toBeUndefined();
  });

  it('agrees with the last of the times that nextCronTime returns', () => {
    for (const text of ['*/7 1,13 * * *', '0 0 */9 * 2', '59 23 31 * *']) {
      const since = at('2026-09-20T11:11:11Z');
      for (let until = since; until < since + 45 * 86_400_000; until += 53_000_000) {
        let expected: number | undefined;
        for (let time = nextCronTime(schedule(text), 'Europe/Berlin', since); time !== undefined && time <= until;) {
          expected = time;
          time = nextCronTime(schedule(text), 'Europe/Berlin', time);
        }
        expect(format(lastCronTime(schedule(text), 'Europe/Berlin', { since, until }))).toBe(format(expected));
      }
    }
  });
});

it('countCronTimes counts the due times up to a limit', () => {
  const hour = { since: at('2026-11-23T10:00:00Z'), until: at('2026-11-23T11:00:00Z') };
  const count = (text: string, limit: number) => countCronTimes(schedule(text), undefined, hour, limit);
  expect(count('*/20 * * * *', 100)).toBe(3);
  expect(count('* * * * *', 10)).toBe(10);
  expect(count('@every 7m', 100)).toBe(8);
});

it('formatZonedTime formats a time with the offset of the zone', () => {
  const time = at('2026-01-01T05:00:00Z');
  expect(formatZonedTime(undefined, time)).toBe('2026-01-01T05:00:00Z');
  expect(formatZonedTime('Etc/UTC', time)).toBe('2026-01-01T05:00:00Z');
  expect(formatZonedTime('America/New_York', time)).toBe('2026-01-01T00:00:00-05:00');
  expect(formatZonedTime('Asia/Kathmandu', time)).toBe('2026-01-01T10:45:00+05:45');
});
