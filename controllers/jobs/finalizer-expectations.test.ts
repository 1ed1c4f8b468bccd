import { apiObject } from '../../shared/client/rest/api-object';
import { Untracked } from './untracked';

const pod = (uid: string, isTracked: boolean) =>
  apiObject({ metadata: { namespace: 'n', name: uid, uid, finalizers: isTracked ? ['batch.platform.io/job-tracking'] : [] } });

test('Untracked lists a pod until it is observed without its finalizer', () => {
  const untracked = new Untracked();
  untracked.freeing('n/j', pod('a', true), true);
  expect([...untracked.left('n/j', [pod('a', true)])]).toEqual(['a']);
  expect([...untracked.left('n/j', [pod('a', false)])]).toEqual([]);
  expect(untracked.size).toBe(0);
});

test('Untracked keeps a pod that the informer has not observed yet', () => {
  const untracked = new Untracked();
  untracked.freeing('n/j', pod('a', true), true);
  expect([...untracked.left('n/j', [])]).toEqual(['a']);
  expect([...untracked.left('n/j', [pod('a', true)])]).toEqual(['a']);
});

test('Untracked drops pods whose finalizer was not removed, deleted pods and the pods of a deleted Job', () => {
  const untracked = new Untracked();
  for (const name of ['a', 'b', 'c']) untracked.freeing('n/j', pod(name, true), true);
  untracked.freeing('n/j', pod('a', true), false);
  untracked.gone('n/j', 'b');
  expect([...untracked.left('n/j', [])]).toEqual(['c']);
  untracked.forget('n/j');
  expect(untracked.size).toBe(0);
});
