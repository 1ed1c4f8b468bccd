import type { CoreV1Pod } from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import { FinalizerExpectations } from './finalizer-expectations';

const podWith = (uid: string, finalizers: string[]) => apiObject<CoreV1Pod>({ metadata: { namespace: 'n', name: uid, uid, finalizers } });
const trackedPod = (uid: string) => podWith(uid, ['batch.platform.io/job-tracking']);
const untrackedPod = (uid: string) => podWith(uid, []);

test('FinalizerExpectations lists a pod until it is observed without its finalizer', () => {
  const expectations = new FinalizerExpectations();
  expectations.expectRemoved('n/j', 'a');
  expect([...expectations.outstanding('n/j', [trackedPod('a')])]).toEqual(['a']);
  expect([...expectations.outstanding('n/j', [untrackedPod('a')])]).toEqual([]);
  expect(expectations.size).toBe(0);
});

test('FinalizerExpectations lists a pod that the informer has not observed yet', () => {
  const expectations = new FinalizerExpectations();
  expectations.expectRemoved('n/j', 'a');
  expect([...expectations.outstanding('n/j', [])]).toEqual(['a']);
  expect([...expectations.outstanding('n/j', [trackedPod('a')])]).toEqual(['a']);
});

test('FinalizerExpectations drops deleted pods, pods whose finalizer was not removed, and the pods of a deleted Job', () => {
  const expectations = new FinalizerExpectations();
  for (const uid of ['a', 'b', 'c']) expectations.expectRemoved('n/j', uid);
  expectations.removalObserved('n/j', 'a');
  expectations.removalObserved('n/j', 'b');
  expect([...expectations.outstanding('n/j', [])]).toEqual(['c']);
  expectations.delete('n/j');
  expect(expectations.size).toBe(0);
});
