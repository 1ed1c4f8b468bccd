import { apiObject } from '../../shared/client/rest/api-object';
import { jsonResponse, type FakeApi } from '../../test/support/controllers/fake-api';
import { fakeClient } from '../../test/support/controllers/fake-client';
import { fakeContext } from '../../test/support/controllers/fake-context';
import { ManualClock } from '../../test/support/clock/manual-clock';
import { runCronJobs } from './controller';

const CRON_JOBS = '/apis/batch/v1/cronjobs';
const JOBS = '/apis/batch/v1/jobs';
const MINUTE_MS = 60_000;
const jobNameAt = (hour: number): string => `c-${Date.UTC(2026, 0, 1, hour) / MINUTE_MS}`;

async function startController(startsAt = '2026-01-01T00:00:30Z', prepare: (api: FakeApi) => void = () => undefined) {
  const fake = fakeClient({ clock: new ManualClock(Date.parse(startsAt)) });
  const { clock, api } = fake;
  const metadata = { namespace: 'n', name: 'c', uid: 'cron', creationTimestamp: '2026-01-01T00:00:10Z' };
  api.put(CRON_JOBS, { metadata, spec: { schedule: '0 * * * *', jobTemplate: { spec: {} } } });
  prepare(api);
  const abort = new AbortController();
  const stopped = runCronJobs({
    ...fakeContext(fake, abort.signal),
    events: { record: () => undefined },
    settings: { concurrentCronJobSyncs: 2 },
  });
  await clock.advanceAsync(0);
  const jobs = (): string[] => api.objectsIn(JOBS).map((job) => apiObject(job).name);
  const stop = async (): Promise<void> => {
    abort.abort();
    await clock.advanceAsync(0);
    await stopped;
  };
  return { ...fake, jobs, stop };
}

test('the CronJob controller creates a Job at the scheduled time and sends no request before', async () => {
  const { api, clock, jobs, stop } = await startController();
  const before = api.requests.length;
  await clock.advanceAsync(59 * MINUTE_MS + 29_999);
  expect(jobs()).toEqual([]);
  expect(api.requests.slice(before).filter((request) => !request.includes('watch=1'))).toEqual([]);
  await clock.advanceAsync(1);
  expect(jobs()).toEqual([jobNameAt(1)]);
  await clock.advanceAsync(60 * MINUTE_MS);
  expect(jobs()).toEqual([jobNameAt(1), jobNameAt(2)]);
  await stop();
});

test('the CronJob controller starts a run when the clock jumps forward', async () => {
  const { clock, jobs, stop } = await startController();
  const now = clock.now.bind(clock);
  clock.now = () => now() + 60 * MINUTE_MS;
  await clock.advanceAsync(10 * MINUTE_MS);
  expect(jobs()).toEqual([jobNameAt(1)]);
  await stop();
});

test('the CronJob controller starts a run that was missed before its start at once', async () => {
  const { jobs, stop } = await startController('2026-01-01T01:20:00Z');
  expect(jobs()).toEqual([jobNameAt(1)]);
  await stop();
});

test('the CronJob controller does not repeat a run whose Job was deleted while its informer is behind', async () => {
  const { api, clock, jobs, stop } = await startController('2026-01-01T00:59:59Z');
  // The informer of CronJobs watches again after the cut, and gets no response.
  api.intercept = ({ path }) => (path.startsWith(`${CRON_JOBS}?`) ? new Promise(() => undefined) : undefined);
  api.cutWatches();
  await clock.advanceAsync(1_000);
  expect(jobs()).toEqual([jobNameAt(1)]);
  for (const name of jobs()) api.remove(JOBS, 'n', name);
  await clock.advanceAsync(10 * MINUTE_MS);
  expect(jobs()).toEqual([]);
  await stop();
});

test('the CronJob controller does not repeat a run that another process has recorded in the status', async () => {
  const { jobs, stop } = await startController('2026-01-01T01:20:00Z', (api) => {
    const metadata = { namespace: 'n', name: 'c', uid: 'cron', resourceVersion: '9999' };
    const status = { lastScheduleTime: '2026-01-01T01:00:00Z' };
    const newer = jsonResponse(200, { metadata, spec: { schedule: '0 * * * *', jobTemplate: { spec: {} } }, status });
    api.intercept = ({ path }) => (path === '/apis/batch/v1/namespaces/n/cronjobs/c' ? newer : undefined);
  });
  expect(jobs()).toEqual([]);
  await stop();
});
