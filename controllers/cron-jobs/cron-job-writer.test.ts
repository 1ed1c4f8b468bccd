import { apiObject, type ApiObject } from '../../shared/client/rest/api-object';
import { arrayAt, objectAt, type JsonObject } from '../../shared/values/json';
import { status as answer } from '../../test/support/fake-api';
import { fakeClient } from '../../test/support/fake-client';
import { planCron, type CronPlan } from './reconcile';
import { CronWrites } from './cron-job-writer';

const CRONS = '/apis/batch/v1/cronjobs';
const JOBS = '/apis/batch/v1/jobs';
const NOW = Date.UTC(2026, 0, 1, 12, 0, 5);
const NAME = `c-${Date.UTC(2026, 0, 1, 12) / 60_000}`;

function world(spec: JsonObject = {}, status: JsonObject = {}) {
  const fake = fakeClient();
  const told: string[] = [];
  const events = { record: ({ reason }: { readonly reason: string }) => void told.push(reason) };
  const writes = new CronWrites({ client: fake.client, events, signal: new AbortController().signal });
  const metadata = { namespace: 'n', name: 'c', uid: 'cron', creationTimestamp: '2026-01-01T11:30:00Z' };
  const cron = apiObject(fake.api.put(CRONS, { metadata, spec: { schedule: '0 * * * *', jobTemplate: { spec: {} }, ...spec }, status }));
  const plan = (jobs: readonly ApiObject[] = []): CronPlan => planCron({ cron, jobs, missing: new Set(), now: NOW });
  const written = (): JsonObject => objectAt(fake.api.get(CRONS, 'n', 'c'), 'status') ?? {};
  return { ...fake, told, writes, cron, plan, written };
}

const owned = (uid: string): JsonObject => ({
  metadata: { namespace: 'n', name: NAME, uid: 'job', ownerReferences: [{ kind: 'CronJob', name: 'c', uid, controller: true }] },
});

test('CronWrites creates a Job and records it in the status', async () => {
  const { api, writes, cron, plan, told, written } = world();
  expect(await writes.carryOut(cron, plan())).toMatchObject({ hasRun: true });
  expect(api.get(JOBS, 'n', NAME)).toBeDefined();
  expect(written()).toMatchObject({ lastScheduleTime: '2026-01-01T12:00:00Z', active: [{ kind: 'Job', name: NAME }] });
  expect(told).toEqual(['SuccessfulCreate']);
});

test('CronWrites records the run even if the CronJob has changed in the meantime', async () => {
  const { api, writes, cron, plan, written } = world();
  api.put(CRONS, { ...cron.body, spec: { schedule: '@daily', jobTemplate: { spec: {} } } });
  await writes.carryOut(cron, plan());
  expect(written()).toMatchObject({ lastScheduleTime: '2026-01-01T12:00:00Z' });
  expect(objectAt(api.get(CRONS, 'n', 'c'), 'spec')?.['schedule']).toBe('@daily');
});

test('CronWrites records an existing Job of the same CronJob as the run', async () => {
  const { api, writes, cron, plan, told, written } = world();
  api.put(JOBS, owned('cron'));
  expect(await writes.carryOut(cron, plan())).toMatchObject({ hasRun: false });
  expect(written()).toMatchObject({ lastScheduleTime: '2026-01-01T12:00:00Z' });
  expect(told).toEqual([]);
});

test('CronWrites records a FailedCreate event and fails when the name is taken by a Job of another owner', async () => {
  const { api, writes, cron, plan, told, written } = world();
  api.put(JOBS, owned('other'));
  await expect(writes.carryOut(cron, plan())).rejects.toMatchObject({ code: 409 });
  expect(told).toEqual(['FailedCreate']);
  expect(written()['lastScheduleTime']).toBeUndefined();
});

test('CronWrites records a FailedCreate event when the Job is forbidden, and still writes the other status fields', async () => {
  const active = [{ kind: 'Job', name: 'a', uid: 'uid-a' }];
  const { api, writes, cron, plan, told, written } = world({}, { active });
  const ended = apiObject({
    metadata: { namespace: 'n', name: 'a', uid: 'uid-a' },
    status: { conditions: [{ type: 'Failed', status: 'True' }] },
  });
  api.intercept = ({ method, path }) => (method === 'POST' && path.includes('/jobs') ? answer(403, 'Forbidden') : undefined);
  await expect(writes.carryOut(cron, plan([ended]))).rejects.toMatchObject({ code: 403 });
  expect(told).toEqual(['SawCompletedJob', 'FailedCreate']);
  expect(arrayAt(written(), 'active')).toBeUndefined();
});

test('CronWrites deletes the replaced Job before it creates the next one', async () => {
  const active = [{ kind: 'Job', name: 'a', uid: 'uid-a' }];
  const { api, writes, cron, plan, told, written } = world({ concurrencyPolicy: 'Replace' }, { active });
  const a = api.put(JOBS, { metadata: { namespace: 'n', name: 'a', uid: 'uid-a' } });
  await writes.carryOut(cron, plan([apiObject(a)]));
  expect(api.get(JOBS, 'n', 'a')).toBeUndefined();
  expect(written()['active']).toMatchObject([{ name: NAME }]);
  expect(told).toEqual(['SuccessfulDelete', 'SuccessfulCreate']);
});
