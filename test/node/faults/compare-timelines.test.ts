/** Comparison of a timeline of changes with that of the reference. The times are seconds since the first step. */
import { compareTimelines, CONTROLLER_TOLERANCE, TOLERANCE } from './compare-timelines';
import type { ProbeReport, Timeline } from './timeline';

const NO_OUTAGE: ProbeReport = { sent: 10, failed: 0, longestOutage: 0 };

const timeline = (events: readonly (readonly [number, string])[], requests = NO_OUTAGE): Timeline => ({
  steps: [{ at: 0, name: 'pause the kubelet' }],
  events: events.map(([at, change]) => ({ at, subject: 'node n', change })),
  requests,
  service: NO_OUTAGE,
});

test('compareTimelines accepts the same changes within the tolerance, in any order', () => {
  const reference = timeline([
    [40, 'Ready True'],
    [40, 'removed'],
  ]);
  const actual = timeline([
    [40 - TOLERANCE, 'removed'],
    [40 + TOLERANCE, 'Ready True'],
  ]);
  expect(compareTimelines(actual, reference)).toEqual([]);
});

test.each<[string, Timeline, Timeline, string]>([
  ['a change that is missing', timeline([]), timeline([[40, 'removed']]), 'node n: removed: 0 times instead of 1 40.0 s'],
  ['a change that is new', timeline([[3, 'removed']]), timeline([]), 'node n: removed: 1 times 3.0 s instead of 0'],
  [
    'a change that is late',
    timeline([[41 + TOLERANCE, 'removed']]),
    timeline([[40, 'removed']]),
    `node n: removed: after ${(41 + TOLERANCE).toFixed(1)} s instead of 40.0 s`,
  ],
  [
    'a longer outage',
    timeline([], { sent: 10, failed: 9, longestOutage: 33 }),
    timeline([], { sent: 10, failed: 9, longestOutage: 20 }),
    'requests of the API failed for 33 s instead of 20 s',
  ],
])('compareTimelines reports %s', (_, actual, reference, difference) => expect(compareTimelines(actual, reference)).toEqual([difference]));

test('compareTimelines counts the time of an eviction from the moment when the node became unreachable', () => {
  const evicted = (unreachableAt: number, after: number): Timeline =>
    timeline([
      [unreachableAt, 'Ready Unknown'],
      [unreachableAt + after, 'deletion requested'],
    ]);
  expect(compareTimelines(evicted(49, 20), evicted(40, 20))).toEqual([]);
  expect(compareTimelines(evicted(40, 20), evicted(40, 21 + CONTROLLER_TOLERANCE))).toEqual([
    `node n: deletion requested: after 20.0 s instead of ${(21 + CONTROLLER_TOLERANCE).toFixed(1)} s`,
  ]);
});

test('compareTimelines ignores that a resumed kubelet is not ready for a moment', () => {
  const actual = timeline([
    [40, 'Ready False'],
    [40, 'taint node.kubernetes.io/not-ready:NoSchedule'],
    [50, 'no taint node.kubernetes.io/not-ready:NoSchedule'],
  ]);
  expect(compareTimelines(actual, timeline([]))).toEqual([]);
});

test('compareTimelines accepts a shorter outage', () =>
  expect(compareTimelines(timeline([]), timeline([], { sent: 10, failed: 9, longestOutage: 20 }))).toEqual([]));
