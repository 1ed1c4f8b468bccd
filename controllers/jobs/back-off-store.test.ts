import type { CoreV1Pod } from '../../shared/api/types/generated/members';
import { formatTimestamp } from '../../shared/api/metadata/object-meta';
import { apiObject } from '../../shared/client/rest/api-object';
import type { Pod } from '../../shared/client/rest/typed-objects';
import { BackOffStore, backOffMs } from './back-off-store';

const NOW = Date.UTC(2026, 0, 2);

function pod(uid: string, phase: string, finishedMsAgo?: number): Pod {
  const terminated = finishedMsAgo === undefined ? {} : { finishedAt: formatTimestamp(NOW - finishedMsAgo) };
  const containerStatuses = finishedMsAgo === undefined ? [] : [{ state: { terminated } }];
  return apiObject<CoreV1Pod>({ metadata: { namespace: 'n', name: uid, uid }, status: { phase, containerStatuses } });
}

it('backOffMs doubles with each failure up to ten minutes', () => {
  expect([0, 1, 2, 3, 6, 7, 99].map(backOffMs)).toEqual([0, 10_000, 20_000, 40_000, 320_000, 600_000, 600_000]);
});

it('BackOffStore measures the back-off from the finish time of the last failed pod', () => {
  const store = new BackOffStore();
  const remaining = (pods: readonly Pod[], now = NOW): number =>
    store.update('n/j', pods, { onlyReplacesFailedPods: false, now }).backOffMs;
  expect(remaining([pod('a', 'Running')])).toBe(0);
  expect(remaining([pod('a', 'Failed', 4_000)])).toBe(6_000);
  // A failure is counted once, whether or not the pod still exists.
  expect(remaining([pod('a', 'Failed', 4_000)])).toBe(6_000);
  expect(remaining([], NOW + 1_000)).toBe(5_000);
  // The back-off of three failures, 40 s, from the latest of them.
  expect(remaining([pod('b', 'Failed', 1_000), pod('c', 'Failed', 2_000)])).toBe(39_000);
  expect(remaining([pod('d', 'Succeeded', 500)])).toBe(0);
  expect(remaining([pod('e', 'Failed', 0)])).toBe(10_000);
});

it('BackOffStore measures the back-off from the first observation of a failed pod without a finish time', () => {
  const store = new BackOffStore();
  const update = (now: number) => store.update('n/j', [pod('a', 'Failed')], { onlyReplacesFailedPods: false, now });
  expect(update(NOW).backOffMs).toBe(10_000);
  expect(update(NOW + 9_000)).toMatchObject({ backOffMs: 1_000 });
  expect(update(NOW + 9_000).finishTime(pod('a', 'Failed'))).toBe(NOW);
});

it('BackOffStore replaces a finish time in the future by the present time', () => {
  expect(new BackOffStore().update('n/j', [pod('a', 'Failed', -3_600_000)], { onlyReplacesFailedPods: false, now: NOW }).backOffMs).toBe(
    10_000,
  );
});
