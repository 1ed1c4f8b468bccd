import type { BatchV1Job, BatchV1JobStatus, CoreV1Pod } from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import { fakeClient } from '../../test/support/controllers/fake-client';
import { Expectations } from '../workload/expectations';
import { FinalizerExpectations } from './finalizer-expectations';
import { LiveJobReader } from './live-job-reader';

const JOBS = '/apis/batch/v1/jobs';
const PODS = '/api/v1/pods';
const STARTED = { startTime: '2026-01-01T00:00:00Z' };

function setUp() {
  const fake = fakeClient();
  const expectations = new Expectations(fake.clock);
  const finalizerExpectations = new FinalizerExpectations();
  const { signal } = new AbortController();
  const reader = new LiveJobReader({ client: fake.client, expectations, finalizerExpectations, signal });
  return { ...fake, expectations, finalizerExpectations, reader };
}

const jobBody = (status: BatchV1JobStatus): BatchV1Job => ({ metadata: { namespace: 'n', name: 'j', uid: 'job' }, spec: {}, status });
const podBody = (name: string, finalizers: string[] = []): CoreV1Pod => {
  const ownerReferences = [{ kind: 'Job', name: 'j', uid: 'job', controller: true }];
  return { metadata: { namespace: 'n', name, uid: name, finalizers, ownerReferences } };
};

test('LiveJobReader sends no request for a Job without a status and without pods', async () => {
  const { reader, api } = setUp();
  expect(await reader.readOnce(apiObject(jobBody({})), () => [])).toBeUndefined();
  expect(api.requests).toEqual([]);
});

test('LiveJobReader lists the pods of a started Job from the server once', async () => {
  const { reader, api } = setUp();
  api.put(JOBS, jobBody(STARTED));
  const job = apiObject(jobBody(STARTED));
  api.put(PODS, podBody('a'));
  api.put(PODS, { metadata: { namespace: 'n', name: 'other', uid: 'other' } });
  expect((await reader.readOnce(job, () => []))?.pods.map(({ name }) => name)).toEqual(['a']);
  expect(await reader.readOnce(job, () => [])).toBeUndefined();
});

test('LiveJobReader sets expectations until the informer has caught up with the listed pods', async () => {
  const { reader, api, expectations, finalizerExpectations } = setUp();
  api.put(JOBS, jobBody(STARTED));
  api.put(PODS, podBody('unseen'));
  api.put(PODS, podBody('counted'));
  const observed = [apiObject(podBody('counted', ['batch.platform.io/job-tracking'])), apiObject(podBody('deleted'))];
  await reader.readOnce(apiObject(jobBody(STARTED)), () => observed);
  expect([...finalizerExpectations.outstanding('n/j', [])]).toEqual(['counted']);
  expect(expectations.areSatisfied('n/j')).toBe(false);
  expectations.creationObserved('n/j');
  expect(expectations.areSatisfied('n/j')).toBe(false);
  expectations.deletionObserved('n/j', 'n/deleted');
  expect(expectations.areSatisfied('n/j')).toBe(true);
});

test('LiveJobReader ignores a Job that does not exist or has another uid on the server', async () => {
  const { reader, api } = setUp();
  const job = jobBody(STARTED);
  expect(await reader.readOnce(apiObject(job), () => [])).toBeUndefined();
  api.put(JOBS, { ...jobBody({}), metadata: { namespace: 'n', name: 'j', uid: 'new' } });
  const replaced = apiObject<BatchV1Job>({ ...job, metadata: { namespace: 'n', name: 'j', uid: 'old' } });
  expect(await reader.readOnce(replaced, () => [])).toBeUndefined();
});
