import type {
  BatchV1CronJob,
  BatchV1CronJobSpec,
  BatchV1CronJobStatus,
  BatchV1Job,
  CoreV1ObjectReference,
} from '../../shared/api/types/generated/members';
import { formatTimestamp } from '../../shared/api/metadata/object-meta';
import { apiObject } from '../../shared/client/rest/api-object';
import { jobFromTemplate, type CronJob } from './job-from-template';
import type { Job } from '../../shared/client/rest/typed-objects';
import { reconcileCronJob, type CronJobActions } from './reconcile';

const NOW = Date.UTC(2026, 10, 23, 12, 30, 15);
const HOUR = 3_600_000;

function cronJob(spec: BatchV1CronJobSpec, status: BatchV1CronJobStatus = {}): CronJob {
  const metadata = { namespace: 'n', name: 'c', uid: 'cron', creationTimestamp: formatTimestamp(NOW - 2 * HOUR) };
  return apiObject<BatchV1CronJob>({
    metadata,
    spec: { schedule: '0 * * * *', concurrencyPolicy: 'Allow', jobTemplate: { spec: {} }, ...spec },
    status,
  });
}

const reference = (name: string): CoreV1ObjectReference => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  namespace: 'n',
  name,
  uid: `uid-${name}`,
});

function job(name: string, condition?: 'Complete' | 'Failed', startedAt = 0): Job {
  const conditions = condition === undefined ? [] : [{ type: condition, status: 'True' }];
  const status = {
    startTime: formatTimestamp(startedAt),
    ...(condition === 'Complete' ? { completionTime: formatTimestamp(startedAt + 1_000) } : {}),
    conditions,
  };
  return apiObject<BatchV1Job>({ metadata: { namespace: 'n', name, uid: `uid-${name}` }, status });
}

/** `missing`: uids of Jobs in `status.active` that do not exist. */
interface Observed {
  readonly jobs?: readonly Job[];
  readonly missing?: readonly string[];
  readonly now?: number;
}

const reconcile = (object: CronJob, { jobs = [], missing = [], now = NOW }: Observed = {}): CronJobActions =>
  reconcileCronJob({ cronJob: object, jobs, missing: new Set(missing), now });

const reasons = ({ events }: CronJobActions): string[] => events.map(({ reason }) => reason);

describe('a run of a CronJob', () => {
  it('is due at the latest scheduled time, and the next reconcile is at the following one', () => {
    const { run, requeueAfterMs } = reconcile(cronJob({}));
    expect(run?.scheduledTime).toBe(Date.UTC(2026, 10, 23, 12));
    expect(requeueAfterMs).toBe(Date.UTC(2026, 10, 23, 13) - NOW);
  });

  it('is not due again after lastScheduleTime, nor before the creation of the CronJob', () => {
    expect(reconcile(cronJob({}, { lastScheduleTime: '2026-11-23T12:00:00Z' })).run).toBeUndefined();
    expect(reconcile(cronJob({ schedule: '0 9 * * *' })).run).toBeUndefined();
  });

  it('is not due one millisecond before its scheduled time', () => {
    const due = Date.UTC(2026, 10, 23, 13);
    const scheduled = cronJob({}, { lastScheduleTime: '2026-11-23T12:00:00Z' });
    expect(reconcile(scheduled, { now: due - 1 })).toMatchObject({ run: undefined, requeueAfterMs: 1 });
    expect(reconcile(scheduled, { now: due })).toMatchObject({ run: { scheduledTime: due }, requeueAfterMs: HOUR });
  });

  it('is skipped after startingDeadlineSeconds', () => {
    // The run of 12:00:00 is 1,815 seconds late at 12:30:15.
    expect(reconcile(cronJob({ startingDeadlineSeconds: 1800 })).run).toBeUndefined();
    expect(reconcile(cronJob({ startingDeadlineSeconds: 1900 })).run).toBeDefined();
  });

  it('does not start while the CronJob is suspended or being deleted', () => {
    expect(reconcile(cronJob({ suspend: true }))).toMatchObject({ run: undefined, requeueAfterMs: undefined });
    const metadata = { namespace: 'n', name: 'c', uid: 'cron', deletionTimestamp: formatTimestamp(NOW) };
    expect(reconcile(apiObject<BatchV1CronJob>({ ...cronJob({}).body, metadata })).run).toBeUndefined();
  });

  it('is skipped with Forbid, replaces the active Job with Replace, and runs concurrently with Allow', () => {
    const status = { active: [reference('a')] };
    const jobs = [job('a')];
    expect(reconcile(cronJob({ concurrencyPolicy: 'Forbid' }, status), { jobs })).toMatchObject({
      run: undefined,
      events: [{ reason: 'JobAlreadyActive' }],
    });
    expect(reconcile(cronJob({ concurrencyPolicy: 'Replace' }, status), { jobs }).run?.jobsToReplace).toEqual([reference('a')]);
    expect(reconcile(cronJob({}, status), { jobs }).run?.jobsToReplace).toEqual([]);
  });

  it('follows the clock when it jumps backward or forward', () => {
    const scheduled = cronJob({}, { lastScheduleTime: '2026-11-23T12:00:00Z' });
    expect(reconcile(scheduled, { now: NOW - 5 * HOUR }).run).toBeUndefined();
    expect(reconcile(scheduled, { now: NOW + 5 * HOUR }).run?.scheduledTime).toBe(Date.UTC(2026, 10, 23, 17));
  });

  it('is started once, with a TooManyMissedTimes event, when more than 100 runs were missed', () => {
    // 150 minutes have passed since the creation: 150 runs of every minute, 75 of every second minute.
    const late = reconcile(cronJob({ schedule: '* * * * *' }));
    expect(reasons(late)).toEqual(['TooManyMissedTimes']);
    expect(late.run?.scheduledTime).toBe(Date.UTC(2026, 10, 23, 12, 30));
    expect(reasons(reconcile(cronJob({ schedule: '*/2 * * * *' })))).toEqual([]);
  });
});

describe('a CronJob with an invalid schedule or time zone', () => {
  it('records an event and is not requeued', () => {
    expect(reconcile(cronJob({ schedule: 'often' }))).toMatchObject({
      events: [{ reason: 'UnparseableSchedule' }],
      requeueAfterMs: undefined,
    });
    expect(reconcile(cronJob({ timeZone: 'Nowhere/Land' }))).toMatchObject({
      events: [{ reason: 'UnknownTimeZone' }],
      requeueAfterMs: undefined,
    });
    expect(reconcile(cronJob({ schedule: '0 0 31 2 *' }))).toMatchObject({
      events: [{ reason: 'InvalidSchedule' }],
      requeueAfterMs: undefined,
    });
  });
});

describe('the Jobs of a CronJob', () => {
  it('are removed from status.active when they have finished or are missing', () => {
    const status = { active: [reference('a'), reference('b'), reference('c')], lastScheduleTime: formatTimestamp(NOW) };
    const actions = reconcile(cronJob({}, status), { jobs: [job('a', 'Complete', NOW), job('b')], missing: ['uid-c'] });
    expect(actions.status).toEqual({
      active: [reference('b')],
      lastScheduleTime: formatTimestamp(NOW),
      lastSuccessfulTime: formatTimestamp(NOW + 1_000),
    });
    expect(reasons(actions)).toEqual(['SawCompletedJob', 'MissingJob']);
  });

  it('cause an UnexpectedJob event when they are active but not in status.active', () => {
    expect(reasons(reconcile(cronJob({ suspend: true }), { jobs: [job('a'), job('b', 'Failed')] }))).toEqual(['UnexpectedJob']);
  });

  it('are kept up to the history limits, the latest ones of each outcome', () => {
    const jobs = [
      job('a', 'Complete', 3_000),
      job('b', 'Complete', 1_000),
      job('c', 'Complete', 2_000),
      job('d', 'Failed', 1_000),
      job('e'),
    ];
    const deleted = (limits: BatchV1CronJobSpec) =>
      reconcile(cronJob({ suspend: true, ...limits }), { jobs }).jobsToDelete.map(({ name }) => name);
    expect(deleted({ successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 1 })).toEqual(['b', 'c']);
    expect(deleted({ successfulJobsHistoryLimit: 5, failedJobsHistoryLimit: 0 })).toEqual(['d']);
    expect(deleted({})).toEqual([]);
  });

  it('have the scheduled minute in their names and the scheduled time in an annotation', () => {
    const { metadata } = jobFromTemplate('platform', cronJob({}), Date.UTC(2026, 0, 1, 5), 'America/New_York');
    expect(metadata).toMatchObject({
      name: 'c-29454060',
      annotations: { 'batch.platform.io/cronjob-scheduled-timestamp': '2026-01-01T00:00:00-05:00' },
    });
  });
});
