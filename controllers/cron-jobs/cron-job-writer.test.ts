import type { BatchV1CronJob, BatchV1CronJobSpec, BatchV1CronJobStatus, BatchV1Job } from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import { jsonResponse, statusResponse } from '../../test/support/controllers/fake-api';
import { fakeClient } from '../../test/support/controllers/fake-client';
import { CronJobWriter } from './cron-job-writer';
import type { Job } from '../../shared/client/rest/typed-objects';
import { reconcileCronJob, type CronJobActions } from './reconcile';

const CRON_JOBS = '/apis/batch/v1/cronjobs';
const JOBS = '/apis/batch/v1/jobs';
/** The time of the run that is due, five seconds before `NOW`. */
const SCHEDULED_TIME = '2026-01-01T12:00:00Z';
const NOW = Date.UTC(2026, 0, 1, 12, 0, 5);
/** The name of the Job of this run: the CronJob's name and the minutes since 1970. */
const JOB_NAME = `c-${Date.UTC(2026, 0, 1, 12) / 60_000}`;
const JOBS_PATH = '/apis/batch/v1/namespaces/n/jobs';

/** A writer, and a stored CronJob with a run that is due. */
function setUp(spec: BatchV1CronJobSpec = {}, status: BatchV1CronJobStatus = {}) {
  const fake = fakeClient();
  const reasons: string[] = [];
  const events = { record: ({ reason }: { readonly reason: string }) => void reasons.push(reason) };
  const writer = new CronJobWriter({ client: fake.client, events, signal: new AbortController().signal });
  const metadata = { namespace: 'n', name: 'c', uid: 'cron', creationTimestamp: '2026-01-01T11:30:00Z' };
  const body = { metadata, spec: { schedule: '0 * * * *', jobTemplate: { spec: {} }, ...spec }, status };
  const cronJob = apiObject<BatchV1CronJob>(fake.api.put(CRON_JOBS, body));
  const reconcile = (jobs: readonly Job[] = []): CronJobActions => reconcileCronJob({ cronJob, jobs, missing: new Set(), now: NOW });
  const storedCronJob = () => fake.api.get(CRON_JOBS, 'n', 'c');
  const storedJob = (name: string) => fake.api.get(JOBS, 'n', name);
  return { ...fake, reasons, writer, cronJob, reconcile, storedCronJob, storedJob };
}

/** A Job with the name of the run that is due, controlled by the CronJob with this uid. */
const jobOfRun = (ownerUid: string): BatchV1Job => ({
  metadata: {
    namespace: 'n',
    name: JOB_NAME,
    uid: 'job',
    ownerReferences: [{ kind: 'CronJob', name: 'c', uid: ownerUid, controller: true }],
  },
});

/** A Job that `status.active` lists, and its reference there. */
const ACTIVE_JOB: BatchV1Job = { metadata: { namespace: 'n', name: 'a', uid: 'uid-a' } };
const ACTIVE_REFERENCE = { kind: 'Job', name: 'a', uid: 'uid-a' };

describe('CronJobWriter', () => {
  test('creates the Job of a run and records it in the status', async () => {
    const { writer, cronJob, reconcile, reasons, storedCronJob, storedJob } = setUp();
    expect(await writer.execute(cronJob, reconcile())).toMatchObject({ wasJobCreated: true });
    expect(storedJob(JOB_NAME)).toBeDefined();
    expect(storedCronJob()).toMatchObject({ status: { lastScheduleTime: SCHEDULED_TIME, active: [{ kind: 'Job', name: JOB_NAME }] } });
    expect(reasons).toEqual(['SuccessfulCreate']);
  });

  test('records the run in the newer version of a CronJob when the update conflicts', async () => {
    const { api, writer, cronJob, reconcile, storedCronJob } = setUp();
    api.put(CRON_JOBS, { ...cronJob.body, spec: { schedule: '@daily', jobTemplate: { spec: {} } } });
    await writer.execute(cronJob, reconcile());
    expect(storedCronJob()).toMatchObject({ spec: { schedule: '@daily' }, status: { lastScheduleTime: SCHEDULED_TIME } });
  });

  test('records an existing Job of the same CronJob as the run', async () => {
    const { api, writer, cronJob, reconcile, reasons, storedCronJob } = setUp();
    api.put(JOBS, jobOfRun('cron'));
    expect(await writer.execute(cronJob, reconcile())).toMatchObject({ wasJobCreated: false });
    expect(storedCronJob()).toMatchObject({ status: { lastScheduleTime: SCHEDULED_TIME, active: [{ uid: 'job' }] } });
    expect(reasons).toEqual([]);
  });

  test('fails and records no run when a Job of another owner has the name', async () => {
    const { api, writer, cronJob, reconcile, reasons, storedCronJob } = setUp();
    api.put(JOBS, jobOfRun('other'));
    await expect(writer.execute(cronJob, reconcile())).rejects.toMatchObject({ code: 409 });
    expect(reasons).toEqual(['FailedCreate']);
    expect(storedCronJob()).not.toHaveProperty('status.lastScheduleTime');
  });

  test('removes a finished Job from the status even when the Job of the run is forbidden', async () => {
    const { api, writer, cronJob, reconcile, reasons, storedCronJob } = setUp({}, { active: [ACTIVE_REFERENCE] });
    const finished = apiObject<BatchV1Job>({ ...ACTIVE_JOB, status: { conditions: [{ type: 'Failed', status: 'True' }] } });
    api.intercept = ({ method, path }) => (method === 'POST' && path === JOBS_PATH ? statusResponse(403, 'Forbidden') : undefined);
    await expect(writer.execute(cronJob, reconcile([finished]))).rejects.toMatchObject({ code: 403 });
    expect(reasons).toEqual(['SawCompletedJob', 'FailedCreate']);
    expect(storedCronJob()).not.toHaveProperty('status.active');
    expect(storedCronJob()).not.toHaveProperty('status.lastScheduleTime');
  });

  test('skips the run without an error while the namespace is being deleted', async () => {
    const { api, writer, cronJob, reconcile, reasons, storedCronJob } = setUp();
    const message = 'jobs.batch is forbidden: unable to create new content in namespace n because it is being terminated';
    const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Forbidden', message, code: 403 };
    api.intercept = ({ method, path }) => (method === 'POST' && path === JOBS_PATH ? jsonResponse(403, status) : undefined);
    expect(await writer.execute(cronJob, reconcile())).toMatchObject({ wasJobCreated: false });
    expect(reasons).toEqual([]);
    expect(storedCronJob()).not.toHaveProperty('status.lastScheduleTime');
  });

  test('deletes the replaced Job before it creates the next one', async () => {
    const { api, writer, cronJob, reconcile, reasons, storedCronJob, storedJob } = setUp(
      { concurrencyPolicy: 'Replace' },
      { active: [ACTIVE_REFERENCE] },
    );
    const replaced = apiObject<BatchV1Job>(api.put(JOBS, ACTIVE_JOB));
    await writer.execute(cronJob, reconcile([replaced]));
    expect(reasons).toEqual(['SuccessfulDelete', 'SuccessfulCreate']);
    expect(storedJob('a')).toBeUndefined();
    expect(storedCronJob()).toMatchObject({ status: { active: [{ name: JOB_NAME }] } });
  });
});
