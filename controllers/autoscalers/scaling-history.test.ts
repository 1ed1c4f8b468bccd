import fc from 'fast-check';
import { ScalingHistory } from './scaling-history';

test('ScalingHistory returns the highest and the lowest recommendation in any window', () => {
  const recommendations = fc.array(fc.record({ after: fc.nat(600_000), replicas: fc.nat(50) }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(recommendations, fc.nat(3_600_000), (sequence, windowMs) => {
      const history = new ScalingHistory();
      const recorded: { readonly at: number; readonly replicas: number }[] = [];
      let at = 0;
      for (const { after, replicas } of sequence) {
        at += after;
        recorded.push({ at, replicas });
        history.recordRecommendation(replicas, at);
      }
      const within = recorded.filter((entry) => entry.at > at - windowMs).map(({ replicas }) => replicas);
      expect(history.highestRecommendation(windowMs, at)).toBe(within.length === 0 ? undefined : Math.max(...within));
      expect(history.lowestRecommendation(windowMs, at)).toBe(within.length === 0 ? undefined : Math.min(...within));
    }),
  );
});

test('ScalingHistory stays bounded and merges old scale events into later ones without losing replicas', () => {
  const history = new ScalingHistory();
  for (let at = 0; at < 20_000; at += 1) {
    history.recordRecommendation(at % 7, at * 10);
    history.recordScaleEvent({ from: at % 2, to: (at + 1) % 2, at: at * 10 });
  }
  // 1,000 scale events of each direction, and at most one entry of each of the 7 recommended values in each of 2 lists.
  expect(history.size).toBeLessThanOrEqual(2 * 1_000 + 2 * 7);
  // Every second event adds a pod.
  expect(history.replicasAdded(1_800_000, 200_000)).toBe(20_000 / 2);
  // Of the 100 events in the last second half remove a pod.
  expect(history.replicasRemoved(1_000, 199_990)).toBe(100 / 2);
});

test('ScalingHistory counts a scale event until its period ends', () => {
  const history = new ScalingHistory();
  history.recordScaleEvent({ from: 2, to: 5, at: 1_000 });
  history.recordScaleEvent({ from: 5, to: 4, at: 2_000 });
  expect(history.replicasAdded(1_000, 1_999)).toBe(3);
  expect(history.replicasAdded(1_000, 2_000)).toBe(0);
  expect(history.replicasRemoved(500, 2_400)).toBe(1);
});

test('ScalingHistory is empty before the first recommendation', () => {
  const history = new ScalingHistory();
  expect(history.isEmpty).toBe(true);
  history.recordRecommendation(1, 0);
  expect(history.isEmpty).toBe(false);
});
