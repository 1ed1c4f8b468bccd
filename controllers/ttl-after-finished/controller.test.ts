import { EventRecorder } from '../../shared/client/events/event-recorder';
import { GENERATED_NAMES } from '../../shared/names/dialect';
import { WORKLOAD_NAMES } from '../../shared/names/workload';
import { parseFlags } from '../../shared/cli/flags';
import { createLogger } from '../../shared/runtime/logger';
import { statusResponse } from '../../test/support/controllers/fake-api';
import { fakeClient } from '../../test/support/controllers/fake-client';
import { fakeContext } from '../../test/support/controllers/fake-context';
import { flags } from '../flags';
import { settingsFromFlags } from '../settings-from-flags';
import { ttlAfterFinishedController } from './controller';

const JOBS = '/apis/batch/v1/jobs';

function settings() {
  const parsed = parseFlags({ name: 'test', description: '' }, flags, ['--master=http://127.0.0.1:1']);
  if (parsed.kind !== 'values') throw new Error(JSON.stringify(parsed));
  return settingsFromFlags(parsed.values).settings;
}

/** Runs the controller with one expired Job. The API server responds to the first deletion with `refusal`. */
async function deleteExpiredJob(refusal: ReturnType<typeof statusResponse>) {
  const fake = fakeClient();
  const { api, clock } = fake;
  const conditions = [{ type: 'Complete', status: 'True', lastTransitionTime: new Date(clock.now() - 60_000).toISOString() }];
  api.put(JOBS, { metadata: { namespace: 'n', name: 'j' }, spec: { ttlSecondsAfterFinished: 1 }, status: { conditions } });
  const responses = [refusal];
  api.intercept = ({ method }) => (method === 'DELETE' ? responses.shift() : undefined);
  const lines: string[] = [];
  const logger = createLogger({ level: 'warn', clock, destination: { write: (line) => void lines.push(line) } });
  const end = new AbortController();
  const context = fakeContext(fake, end.signal);
  const finished = ttlAfterFinishedController.run({
    ...context,
    logger,
    events: new EventRecorder({ ...context, component: 'test' }),
    names: GENERATED_NAMES.platform,
    workload: WORKLOAD_NAMES.platform,
    settings: settings(),
  });
  await clock.advanceAsync(1_000);
  end.abort();
  // Lets the controller end.
  await clock.advanceAsync(0);
  await finished;
  return { attempts: api.requests.filter((request) => request.startsWith('DELETE')).length, remainingJobs: api.objectsIn(JOBS), lines };
}

test('the TTL controller logs a deletion that fails and repeats it', async () => {
  const { attempts, remainingJobs, lines } = await deleteExpiredJob(statusResponse(500, 'InternalError'));
  expect(attempts).toBe(2);
  expect(remainingJobs).toEqual([]);
  expect(lines).toEqual([expect.stringContaining('reconciling failed, trying again')]);
});

test('the TTL controller repeats a deletion that conflicts with a change of the Job, and does not log it', async () => {
  expect(await deleteExpiredJob(statusResponse(409, 'Conflict'))).toEqual({ attempts: 2, remainingJobs: [], lines: [] });
});
