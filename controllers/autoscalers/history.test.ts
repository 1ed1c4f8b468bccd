import fc from 'fast-check';
import { ScalingHistory } from './history';

test('ScalingHistory returns the highest and the lowest recommendation in any window', () => {
  const wishes = fc.array(fc.record({ after: fc.nat(600_000), replicas: fc.nat(50) }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(wishes, fc.nat(3_600_000), (made, windowMs) => {
      const history = new ScalingHistory();
      const all: { readonly at: number; readonly replicas: number }[] = [];
      let at = 0;
      for (const { after, replicas } of made) {
        at += after;
        all.push({ at, replicas });
        history.wished(replicas, at);
      }
      const within = all.filter((one) => one.at > at - windowMs).map(({ replicas }) => replicas);
      expect(history.highestWish(windowMs, at)).toBe(within.length === 0 ? undefined : Math.max(...within));
      expect(history.lowestWish(windowMs, at)).toBe(within.length === 0 ? undefined : Math.min(...within));
    }),
  );
});

test('ScalingHistory stays bounded and merges old changes into later ones without losing any', () => {
  const history = new ScalingHistory();
  for (let at = 0; at < 20_000; at += 1) {
    history.wished(at % 7, at * 10);
    history.changed(at % 2, (at + 1) % 2, at * 10);
  }
  expect(history.size).toBeLessThanOrEqual(2_014);
  expect(history.addedIn(1_800_000, 200_000)).toBe(10_000);
  expect(history.removedIn(1_000, 199_990)).toBe(50);
});

test('ScalingHistory counts a change until its period ends', () => {
  const history = new ScalingHistory();
  history.changed(2, 5, 1_000);
  history.changed(5, 4, 2_000);
  expect([history.addedIn(1_000, 1_999), history.addedIn(1_000, 2_000), history.removedIn(500, 2_400)]).toEqual([3, 0, 1]);
  expect(new ScalingHistory().isEmpty).toBe(true);
});
