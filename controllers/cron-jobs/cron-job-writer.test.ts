import type { BatchV1CronJob, BatchV1CronJobSpec, BatchV1CronJobStatus, BatchV1Job } from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import { statusResponse } from '../../test/support/controllers/fake-api';
import { fakeClient } from '../../test/support/controllers/fake-client';
import { CronJobWriter } from './cron-job-writer';
import type { Job } from '../../shared/client/rest/typed-objects';
import { reconcileCronJob, type CronJobActions } from './reconcile';

const CRON_JOBS = '/apis/batch/v1/cronjobs';
const JOBS = '/apis/batch/v1/jobs';
const NOW = Date.UTC(2026, 0, 1, 12, 0, 5);
/** The name of the Job that runs at 12:00: the CronJob's name and the minutes since 1970. */
const NAME = `c-${Date.UTC(2026, 0, 1, 12) / 60_000}`;

function setUp(spec: BatchV1CronJobSpec = {}, status: BatchV1CronJobStatus = {}) {
  const fake = fakeClient();
  const reasons: string[] = [];
  const events = { record: ({ reason }: { readonly reason: string }) => void reasons.push(reason) };
  const writer = new CronJobWriter({ client: fake.client, events, signal: new AbortController().signal });
  const metadata = { namespace: 'n', name: 'c', uid: 'cron', creationTimestamp: '2026-01-01T11:30:00Z' };
  const body = { metadata, spec: { schedule: '0 * * * *', jobTemplate: { spec: {} }, ...spec }, status };
  const cronJob = apiObject<BatchV1CronJob>(fake.api.put(CRON_JOBS, body));
  const reconcile = (jobs: readonly Job[] = []): CronJobActions => reconcileCronJob({ cronJob, jobs, missing: new Set(), now: NOW });
  const stored = () => fake.api.get(CRON_JOBS, 'n', 'c');
  return { ...fake, reasons, writer, cronJob, reconcile, stored };
}

const jobOwnedBy = (uid: string): BatchV1Job => ({
  metadata: { namespace: 'n', name: NAME, uid: 'job', ownerReferences: [{ kind: 'CronJob', name: 'c', uid, controller: true }] },
});

test('CronJobWriter creates a Job and records it in the status', async () => {
  const { api, writer, cronJob, reconcile, reasons, stored } = setUp();
  expect(await writer.execute(cronJob, reconcile())).toMatchObject({ wasJobCreated: true });
  expect(api.get(JOBS, 'n', NAME)).toBeDefined();
  expect(stored()).toMatchObject({ status: { lastScheduleTime: '2026-01-01T12:00:00Z', active: [{ kind: 'Job', name: NAME }] } });
  expect(reasons).toEqual(['SuccessfulCreate']);
});

test('CronJobWriter records the run even if the CronJob has changed in the meantime', async () => {
  const { api, writer, cronJob, reconcile, stored } = setUp();
  api.put(CRON_JOBS, { ...cronJob.body, spec: { schedule: '@daily', jobTemplate: { spec: {} } } });
  await writer.execute(cronJob, reconcile());
  expect(stored()).toMatchObject({ status: { lastScheduleTime: '2026-01-01T12:00:00Z' } });
  expect(stored()).toMatchObject({ spec: { schedule: '@daily' } });
});

test('CronJobWriter records an existing Job of the same CronJob as the run', async () => {
  const { api, writer, cronJob, reconcile, reasons, stored } = setUp();
  api.put(JOBS, jobOwnedBy('cron'));
  expect(await writer.execute(cronJob, reconcile())).toMatchObject({ wasJobCreated: false });
  expect(stored()).toMatchObject({ status: { lastScheduleTime: '2026-01-01T12:00:00Z' } });
  expect(reasons).toEqual([]);
});

test('CronJobWriter records a FailedCreate event and fails when the name is taken by a Job of another owner', async () => {
  const { api, writer, cronJob, reconcile, reasons, stored } = setUp();
  api.put(JOBS, jobOwnedBy('other'));
  await expect(writer.execute(cronJob, reconcile())).rejects.toMatchObject({ code: 409 });
  expect(reasons).toEqual(['FailedCreate']);
  expect(stored()).not.toHaveProperty('status.lastScheduleTime');
});

test('CronJobWriter records a FailedCreate event when the Job is forbidden, and still writes the other status fields', async () => {
  const active = [{ kind: 'Job', name: 'a', uid: 'uid-a' }];
  const { api, writer, cronJob, reconcile, reasons, stored } = setUp({}, { active });
  const finished = apiObject<BatchV1Job>({
    metadata: { namespace: 'n', name: 'a', uid: 'uid-a' },
    status: { conditions: [{ type: 'Failed', status: 'True' }] },
  });
  api.intercept = ({ method, path }) => (method === 'POST' && path.includes('/jobs') ? statusResponse(403, 'Forbidden') : undefined);
  await expect(writer.execute(cronJob, reconcile([finished]))).rejects.toMatchObject({ code: 403 });
  expect(reasons).toEqual(['SawCompletedJob', 'FailedCreate']);
  expect(stored()).not.toHaveProperty('status.active');
});

test('CronJobWriter deletes the replaced Job before it creates the next one', async () => {
  const active = [{ kind: 'Job', name: 'a', uid: 'uid-a' }];
  const { api, writer, cronJob, reconcile, reasons, stored } = setUp({ concurrencyPolicy: 'Replace' }, { active });
  const a = api.put(JOBS, { metadata: { namespace: 'n', name: 'a', uid: 'uid-a' } });
  await writer.execute(cronJob, reconcile([apiObject<BatchV1Job>(a)]));
  expect(api.get(JOBS, 'n', 'a')).toBeUndefined();
  expect(stored()).toMatchObject({ status: { active: [{ name: NAME }] } });
  expect(reasons).toEqual(['SuccessfulDelete', 'SuccessfulCreate']);
});
