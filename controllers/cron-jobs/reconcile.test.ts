import { timestamp } from '../../shared/api/metadata/object-meta';
import { apiObject, type ApiObject } from '../../shared/client/rest/api-object';
import type { JsonObject } from '../../shared/values/json';
import { jobFor } from './job-for-schedule';
import { planCron, type CronPlan } from './reconcile';

const NOW = Date.UTC(2026, 10, 23, 12, 30, 15);
const HOUR = 3_600_000;

function cron(spec: JsonObject, status: JsonObject = {}): ApiObject {
  const metadata = { namespace: 'n', name: 'c', uid: 'cron', creationTimestamp: timestamp(NOW - 2 * HOUR) };
  return apiObject({ metadata, spec: { schedule: '0 * * * *', concurrencyPolicy: 'Allow', jobTemplate: { spec: {} }, ...spec }, status });
}

const reference = (name: string): JsonObject => ({ apiVersion: 'batch/v1', kind: 'Job', namespace: 'n', name, uid: `uid-${name}` });

function job(name: string, end?: 'Complete' | 'Failed', startedAt = 0): ApiObject {
  const conditions = end === undefined ? [] : [{ type: end, status: 'True' }];
  const status = {
    startTime: timestamp(startedAt),
    ...(end === 'Complete' ? { completionTime: timestamp(startedAt + 1_000) } : {}),
    conditions,
  };
  return apiObject({ metadata: { namespace: 'n', name, uid: `uid-${name}` }, status });
}

const plan = (of: ApiObject, jobs: readonly ApiObject[] = [], missing: readonly string[] = [], now = NOW): CronPlan =>
  planCron({ cron: of, jobs, missing: new Set(missing), now });

const reasons = ({ told }: CronPlan): string[] => told.map(({ reason }) => reason);

describe('a run of a CronJob', () => {
  it('is due at the latest scheduled time, and the next reconcile is at the following one', () => {
    const { run, againMs } = plan(cron({}));
    expect(run?.scheduledAt).toBe(Date.UTC(2026, 10, 23, 12));
    expect(againMs).toBe(Date.UTC(2026, 10, 23, 13) - NOW);
  });

  it('is not due again after lastScheduleTime, nor before the creation of the CronJob', () => {
    expect(plan(cron({}, { lastScheduleTime: '2026-11-23T12:00:00Z' })).run).toBeUndefined();
    expect(plan(cron({ schedule: '0 9 * * *' })).run).toBeUndefined();
  });

  it('is not due one millisecond before its scheduled time', () => {
    const due = Date.UTC(2026, 10, 23, 13);
    const known = cron({}, { lastScheduleTime: '2026-11-23T12:00:00Z' });
    expect(plan(known, [], [], due - 1)).toMatchObject({ run: undefined, againMs: 1 });
    expect(plan(known, [], [], due)).toMatchObject({ run: { scheduledAt: due }, againMs: HOUR });
  });

  it('is skipped after startingDeadlineSeconds', () => {
    expect(plan(cron({ startingDeadlineSeconds: 1800 })).run).toBeUndefined();
    expect(plan(cron({ startingDeadlineSeconds: 1900 })).run).toBeDefined();
  });

  it('does not start while the CronJob is suspended or being deleted', () => {
    expect(plan(cron({ suspend: true }))).toMatchObject({ run: undefined, againMs: undefined });
    const going = cron({});
    const metadata = { namespace: 'n', name: 'c', uid: 'cron', deletionTimestamp: timestamp(NOW) };
    expect(plan(apiObject({ ...going.body, metadata })).run).toBeUndefined();
  });

  it('is skipped with Forbid, replaces the active Job with Replace, and runs concurrently with Allow', () => {
    const status = { active: [reference('a')] };
    const jobs = [job('a')];
    expect(plan(cron({ concurrencyPolicy: 'Forbid' }, status), jobs)).toMatchObject({
      run: undefined,
      told: [{ reason: 'JobAlreadyActive' }],
    });
    expect(plan(cron({ concurrencyPolicy: 'Replace' }, status), jobs).run?.replaced).toEqual([reference('a')]);
    expect(plan(cron({}, status), jobs).run?.replaced).toEqual([]);
  });

  it('follows the clock when it jumps backward or forward', () => {
    const known = cron({}, { lastScheduleTime: '2026-11-23T12:00:00Z' });
    expect(plan(known, [], [], NOW - 5 * HOUR).run).toBeUndefined();
    expect(plan(known, [], [], NOW + 5 * HOUR).run?.scheduledAt).toBe(Date.UTC(2026, 10, 23, 17));
  });

  it('is started once, with a TooManyMissedTimes event, when more than 100 runs were missed', () => {
    const late = plan(cron({ schedule: '* * * * *' }));
    expect(reasons(late)).toEqual(['TooManyMissedTimes']);
    expect(late.run?.scheduledAt).toBe(Date.UTC(2026, 10, 23, 12, 30));
    expect(reasons(plan(cron({ schedule: '*/2 * * * *' })))).toEqual([]);
  });
});

describe('a CronJob with an invalid schedule or time zone', () => {
  it('records an event and is not requeued', () => {
    expect(plan(cron({ schedule: 'often' }))).toMatchObject({ told: [{ reason: 'UnparseableSchedule' }], againMs: undefined });
    expect(plan(cron({ timeZone: 'Nowhere/Land' }))).toMatchObject({ told: [{ reason: 'UnknownTimeZone' }], againMs: undefined });
    expect(plan(cron({ schedule: '0 0 31 2 *' }))).toMatchObject({ told: [{ reason: 'InvalidSchedule' }], againMs: undefined });
  });
});

describe('the Jobs of a CronJob', () => {
  it('are removed from status.active when they have finished or are missing', () => {
    const status = { active: [reference('a'), reference('b'), reference('c')], lastScheduleTime: timestamp(NOW) };
    const seen = plan(cron({}, status), [job('a', 'Complete', NOW), job('b')], ['uid-c']);
    expect(seen.status).toEqual({ active: [reference('b')], lastScheduleTime: timestamp(NOW), lastSuccessfulTime: timestamp(NOW + 1_000) });
    expect(reasons(seen)).toEqual(['SawCompletedJob', 'MissingJob']);
  });

  it('cause an UnexpectedJob event when they are active but not in status.active', () => {
    expect(reasons(plan(cron({ suspend: true }), [job('a'), job('b', 'Failed')]))).toEqual(['UnexpectedJob']);
  });

  it('are kept up to the history limits, the latest ones of each outcome', () => {
    const jobs = [
      job('a', 'Complete', 3_000),
      job('b', 'Complete', 1_000),
      job('c', 'Complete', 2_000),
      job('d', 'Failed', 1_000),
      job('e'),
    ];
    const outdated = (limits: JsonObject) => plan(cron({ suspend: true, ...limits }), jobs).outdated.map(({ name }) => name);
    expect(outdated({ successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 1 })).toEqual(['b', 'c']);
    expect(outdated({ successfulJobsHistoryLimit: 5, failedJobsHistoryLimit: 0 })).toEqual(['d']);
    expect(outdated({})).toEqual([]);
  });

  it('have the scheduled minute in their names and the scheduled time in an annotation', () => {
    const made = jobFor('platform', cron({}), Date.UTC(2026, 0, 1, 5), 'America/New_York');
    expect(made['metadata']).toMatchObject({
      name: 'c-29454060',
      annotations: { 'batch.platform.io/cronjob-scheduled-timestamp': '2026-01-01T00:00:00-05:00' },
    });
  });
});
