import { apiObject, type ApiObject } from '../../shared/client/rest/api-object';
import type { JsonObject } from '../../shared/values/json';
import { fakeClient } from '../../test/support/fake-client';
import { Expectations } from '../workload/expectations';
import { Begun } from './begun';

const JOBS = '/apis/batch/v1/jobs';
const PODS = '/api/v1/pods';

function world() {
  const fake = fakeClient();
  const expectations = new Expectations(fake.clock);
  const freed: string[] = [];
  const onFreeing = (_: ApiObject, { name }: ApiObject): void => void freed.push(name);
  const begun = new Begun({ client: fake.client, expectations, onFreeing, signal: new AbortController().signal });
  return { ...fake, expectations, freed, begun };
}

const job = (status: JsonObject): JsonObject => ({ metadata: { namespace: 'n', name: 'j', uid: 'job' }, spec: {}, status });
const pod = (name: string, finalizers: string[] = []): JsonObject => {
  const ownerReferences = [{ kind: 'Job', name: 'j', uid: 'job', controller: true }];
  return { metadata: { namespace: 'n', name, uid: name, finalizers, ownerReferences } };
};

test('Begun sends no request for a Job without a startTime', async () => {
  const { begun, api } = world();
  expect(await begun.lookAt(apiObject(job({})), () => [])).toBeUndefined();
  expect(api.requests).toEqual([]);
});

test('Begun lists the pods of a started Job from the server once', async () => {
  const { begun, api } = world();
  const known = apiObject(api.put(JOBS, job({ startTime: '2026-01-01T00:00:00Z' })));
  api.put(PODS, pod('a'));
  api.put(PODS, { metadata: { namespace: 'n', name: 'other', uid: 'other' } });
  expect((await begun.lookAt(known, () => []))?.pods.map(({ name }) => name)).toEqual(['a']);
  expect(await begun.lookAt(known, () => [])).toBeUndefined();
});

test('Begun sets expectations until the informer has caught up with the listed pods', async () => {
  const { begun, api, expectations, freed } = world();
  const known = apiObject(api.put(JOBS, job({ startTime: '2026-01-01T00:00:00Z' })));
  api.put(PODS, pod('unseen'));
  api.put(PODS, pod('counted'));
  const seen = [apiObject(pod('counted', ['batch.platform.io/job-tracking'])), apiObject(pod('gone'))];
  await begun.lookAt(known, () => seen);
  expect(freed).toEqual(['counted']);
  expect(expectations.areSatisfied('n/j')).toBe(false);
  expectations.creationObserved('n/j');
  expect(expectations.areSatisfied('n/j')).toBe(false);
  expectations.deletionObserved('n/j', 'n/gone');
  expect(expectations.areSatisfied('n/j')).toBe(true);
});

test('Begun ignores a Job that does not exist or has another uid on the server', async () => {
  const { begun, api } = world();
  const known = apiObject(job({ startTime: '2026-01-01T00:00:00Z' }));
  expect(await begun.lookAt(known, () => [])).toBeUndefined();
  api.put(JOBS, { ...job({}), metadata: { namespace: 'n', name: 'j', uid: 'new' } });
  expect(await begun.lookAt(apiObject({ ...known.body, metadata: { namespace: 'n', name: 'j', uid: 'old' } }), () => [])).toBeUndefined();
});
