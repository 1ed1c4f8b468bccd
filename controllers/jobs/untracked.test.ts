import { apiObject } from '../../shared/client/rest/api-object';
import { Untracked } from './untracked';

const pod = (uid: string, isTracked: boolean) =>
  apiObject({ metadata: { namespace: 'n', name: uid, uid, finalizers: isTracked ? ['batch.platform.io/job-tracking'] : [] } });

test('a pod counts as free until it is seen without its finalizer', () => {
  const untracked = new Untracked();
  untracked.freeing('n/j', pod('a', true), true);
  expect([...untracked.left('n/j', [pod('a', true)])]).toEqual(['a']);
  expect([...untracked.left('n/j', [pod('a', false)])]).toEqual([]);
  expect(untracked.size).toBe(0);
});

test('one that is not followed yet may come as it was', () => {
  const untracked = new Untracked();
  untracked.freeing('n/j', pod('a', true), true);
  expect([...untracked.left('n/j', [])]).toEqual(['a']);
  expect([...untracked.left('n/j', [pod('a', true)])]).toEqual(['a']);
});

test('nothing is remembered of pods that could not be freed, are gone, or whose Job is', () => {
  const untracked = new Untracked();
  for (const name of ['a', 'b', 'c']) untracked.freeing('n/j', pod(name, true), true);
  untracked.freeing('n/j', pod('a', true), false);
  untracked.gone('n/j', 'b');
  expect([...untracked.left('n/j', [])]).toEqual(['c']);
  untracked.forget('n/j');
  expect(untracked.size).toBe(0);
});
