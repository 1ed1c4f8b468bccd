/** Comparison of a timeline of changes with that of the reference. The times are seconds since the first step. */
import { compareTimelines, CONTROLLER_TOLERANCE, TOLERANCE } from './compare-timelines';
import type { ProbeReport, Timeline } from './timeline';

const NO_OUTAGE: ProbeReport = { sent: 10, failed: 0, longestOutage: 0 };
const outage = (seconds: number): ProbeReport => ({ sent: 10, failed: 9, longestOutage: seconds });

interface NodeChange {
  /** Seconds since the first step. */
  readonly at: number;
  readonly change: string;
}

const timeline = (changes: readonly NodeChange[], requests = NO_OUTAGE): Timeline => ({
  steps: [{ at: 0, name: 'pause the kubelet' }],
  events: changes.map((change) => ({ subject: 'node n', ...change })),
  requests,
  service: NO_OUTAGE,
});

test('compareTimelines accepts the same changes within the tolerance, in any order', () => {
  const reference = timeline([
    { at: 40, change: 'Ready True' },
    { at: 40, change: 'removed' },
  ]);
  const actual = timeline([
    { at: 40 - TOLERANCE, change: 'removed' },
    { at: 40 + TOLERANCE, change: 'Ready True' },
  ]);
  expect(compareTimelines(actual, reference)).toEqual([]);
});

test('compareTimelines reports a change that is missing', () =>
  expect(compareTimelines(timeline([]), timeline([{ at: 40, change: 'removed' }]))).toEqual([
    'node n: removed: 0 times instead of 1 40.0 s',
  ]));

test('compareTimelines reports a change that the reference does not have', () =>
  expect(compareTimelines(timeline([{ at: 3, change: 'removed' }]), timeline([]))).toEqual([
    'node n: removed: 1 times 3.0 s instead of 0',
  ]));

test('compareTimelines reports a change that is later than the tolerance allows', () => {
  const actual = timeline([{ at: 41 + TOLERANCE, change: 'removed' }]);
  expect(compareTimelines(actual, timeline([{ at: 40, change: 'removed' }]))).toEqual([
    `node n: removed: after ${(41 + TOLERANCE).toFixed(1)} s instead of 40.0 s`,
  ]);
});

test('compareTimelines reports an outage that is longer than the tolerance allows', () => {
  const actual = timeline([], outage(21 + TOLERANCE));
  expect(compareTimelines(actual, timeline([], outage(20)))).toEqual([
    `requests of the API failed for ${21 + TOLERANCE} s instead of 20 s`,
  ]);
});

test('compareTimelines accepts a shorter outage', () => expect(compareTimelines(timeline([]), timeline([], outage(20)))).toEqual([]));

/** The timeline of a node that becomes unreachable, and of a pod deletion `after` seconds later. */
const eviction = ({ unreachableAt, after }: { readonly unreachableAt: number; readonly after: number }): Timeline =>
  timeline([
    { at: unreachableAt, change: 'Ready Unknown' },
    { at: unreachableAt + after, change: 'deletion requested' },
  ]);

test('compareTimelines accepts an eviction that is as late as its node is unreachable later', () => {
  const reference = eviction({ unreachableAt: 40, after: 20 });
  expect(compareTimelines(eviction({ unreachableAt: 40 + TOLERANCE, after: 20 }), reference)).toEqual([]);
});

test('compareTimelines reports an eviction with another delay after its node became unreachable', () => {
  const referenceDelay = 21 + CONTROLLER_TOLERANCE;
  const reference = eviction({ unreachableAt: 40, after: referenceDelay });
  expect(compareTimelines(eviction({ unreachableAt: 40, after: 20 }), reference)).toEqual([
    `node n: deletion requested: after 20.0 s instead of ${referenceDelay.toFixed(1)} s`,
  ]);
});

test('compareTimelines ignores that a kubelet reports itself not ready, and the taints that follow', () => {
  const actual = timeline([
    { at: 40, change: 'Ready False' },
    { at: 40, change: 'taint node.kubernetes.io/not-ready:NoSchedule' },
    { at: 50, change: 'no taint node.kubernetes.io/not-ready:NoSchedule' },
  ]);
  expect(compareTimelines(actual, timeline([]))).toEqual([]);
});
