import { timestamp } from '../../shared/api/metadata/object-meta';
import { apiObject, type ApiObject } from '../../shared/client/rest/api-object';
import { BackOffs, backOffMs } from './back-off';

const NOW = Date.UTC(2026, 0, 2);

function pod(uid: string, phase: string, endedAgo?: number): ApiObject {
  const terminated = endedAgo === undefined ? {} : { finishedAt: timestamp(NOW - endedAgo) };
  const containerStatuses = endedAgo === undefined ? [] : [{ state: { terminated } }];
  return apiObject({ metadata: { namespace: 'n', name: uid, uid }, status: { phase, containerStatuses } });
}

it('backOffMs doubles with each failure up to ten minutes', () => {
  expect([0, 1, 2, 3, 6, 7, 99].map(backOffMs)).toEqual([0, 10_000, 20_000, 40_000, 320_000, 600_000, 600_000]);
});

it('BackOffs counts the back-off from the end of the last failed pod', () => {
  const backOffs = new BackOffs();
  const wait = (pods: readonly ApiObject[], now = NOW): number => backOffs.look('n/j', pods, false, now).backOffMs;
  expect(wait([pod('a', 'Running')])).toBe(0);
  expect(wait([pod('a', 'Failed', 4_000)])).toBe(6_000);
  // It is counted once, whether it is still there or not.
  expect(wait([pod('a', 'Failed', 4_000)])).toBe(6_000);
  expect(wait([], NOW + 1_000)).toBe(5_000);
  expect(wait([pod('b', 'Failed', 1_000), pod('c', 'Failed', 2_000)])).toBe(39_000);
  expect(wait([pod('d', 'Succeeded', 500)])).toBe(0);
  expect(wait([pod('e', 'Failed', 0)])).toBe(10_000);
});

it('BackOffs counts the back-off from the first observation of a failed pod without a finish time', () => {
  const backOffs = new BackOffs();
  expect(backOffs.look('n/j', [pod('a', 'Failed')], false, NOW).backOffMs).toBe(10_000);
  expect(backOffs.look('n/j', [pod('a', 'Failed')], false, NOW + 9_000)).toMatchObject({ backOffMs: 1_000 });
  expect(backOffs.look('n/j', [pod('a', 'Failed')], false, NOW + 9_000).endedAt(pod('a', 'Failed'))).toBe(NOW);
});

it('BackOffs ignores a finish time in the future', () => {
  expect(new BackOffs().look('n/j', [pod('a', 'Failed', -3_600_000)], false, NOW).backOffMs).toBe(10_000);
});
