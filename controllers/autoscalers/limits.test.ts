import fc from 'fast-check';
import { ScalingHistory } from './history';
import { limit, type Wish } from './limits';
import type { Rules, ScalingPolicy } from './spec';

const NOW = 10_000_000;
const rules = (more: Partial<Rules> = {}): Rules => ({
  windowMs: 0,
  select: 'Max',
  policies: [{ type: 'Percent', value: 1000, periodMs: 15_000 }],
  ...more,
});
const wish = (more: Partial<Wish> = {}): Wish => ({
  spec: { min: 1, max: 10, behavior: undefined },
  current: 4,
  wished: 4,
  history: new ScalingHistory(),
  downscaleMs: 300_000,
  now: NOW,
  ...more,
});
const byRules = (up: Partial<Rules>, down: Partial<Rules>, more: Partial<Wish>): Wish =>
  wish({ spec: { min: 1, max: 10, behavior: { up: rules(up), down: rules(down) } }, ...more });

test.each<[string, Partial<Wish>, number, string, string]>([
  ['the current number', {}, 4, 'ReadyForNewScale', 'DesiredWithinRange'],
  ['a higher number', { wished: 7 }, 7, 'ReadyForNewScale', 'DesiredWithinRange'],
  ['more than twice the current number', { wished: 9 }, 8, 'ReadyForNewScale', 'ScaleUpLimit'],
  ['9 replicas when there is 1', { current: 1, wished: 9 }, 4, 'ReadyForNewScale', 'ScaleUpLimit'],
  ['more than maxReplicas', { current: 6, wished: 50 }, 10, 'ReadyForNewScale', 'TooManyReplicas'],
  ['none', { wished: 0 }, 1, 'ReadyForNewScale', 'TooFewReplicas'],
])('limit without behavior applies the default limits to a recommendation of %s', (_, more, replicas, able, limited) => {
  expect(limit(wish(more))).toMatchObject({ replicas, able: { reason: able }, limited: { reason: limited } });
});

test('limit scales down only when the stabilization window contains no higher recommendation', () => {
  const history = new ScalingHistory();
  history.wished(6, NOW - 300_000);
  history.wished(3, NOW - 200_000);
  expect(limit(wish({ history, wished: 2 }))).toMatchObject({ replicas: 3, able: { reason: 'ScaleDownStabilized' } });
  expect(limit(wish({ history, wished: 2, now: NOW + 100_000 }))).toMatchObject({ replicas: 2, able: { reason: 'ReadyForNewScale' } });
});

test('limit scales up only when the stabilization window of scaleUp contains no lower recommendation', () => {
  const history = new ScalingHistory();
  history.wished(5, NOW - 60_000);
  const seen = byRules({ windowMs: 120_000 }, {}, { history, wished: 9 });
  expect(limit(seen)).toMatchObject({ replicas: 5, able: { reason: 'ScaleUpStabilized' } });
  expect(limit({ ...seen, now: NOW + 60_000 })).toMatchObject({ replicas: 9, able: { reason: 'ReadyForNewScale' } });
});

test('limit applies a scaling policy to the number of replicas at the start of its period', () => {
  const history = new ScalingHistory();
  history.changed(2, 4, NOW - 10_000);
  const policies: readonly ScalingPolicy[] = [{ type: 'Pods', value: 3, periodMs: 15_000 }];
  const seen = byRules({ policies }, {}, { history, wished: 9 });
  expect(limit(seen)).toMatchObject({ replicas: 5, limited: { reason: 'ScaleUpLimit' } });
  expect(limit({ ...seen, now: NOW + 5_000 })).toMatchObject({ replicas: 7, limited: { reason: 'ScaleUpLimit' } });
});

const policy = fc.record({
  type: fc.constantFrom<'Pods' | 'Percent'>('Pods', 'Percent'),
  value: fc.integer({ min: 1, max: 200 }),
  periodMs: fc.integer({ min: 1_000, max: 1_800_000 }),
});
const anyRules = fc.record({
  windowMs: fc.option(fc.integer({ min: 0, max: 3_600_000 }), { nil: undefined }),
  select: fc.constantFrom<Rules['select']>('Max', 'Min', 'Disabled'),
  policies: fc.array(policy, { minLength: 1, maxLength: 4 }),
});
const past = fc.array(fc.record({ ago: fc.integer({ min: 0, max: 4_000_000 }), wished: fc.nat(60), to: fc.nat(60) }), { maxLength: 30 });
const anyWish = fc
  .record({
    min: fc.integer({ min: 1, max: 20 }),
    spread: fc.nat(30),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    wished: fc.nat(200),
    behavior: fc.option(fc.record({ up: anyRules, down: anyRules }), { nil: undefined }),
    past,
  })
  .map(({ min, spread, at, wished, behavior, past: times }): Wish => {
    const history = new ScalingHistory();
    let from = min;
    for (const { ago, wished: then, to } of [...times].sort((a, b) => b.ago - a.ago)) {
      history.wished(then, NOW - ago);
      if (to !== from) history.changed(from, to, NOW - ago);
      from = to;
    }
    return wish({ spec: { min, max: min + spread, behavior }, current: min + Math.round(at * spread), wished, history });
  });

test('limit stays between minReplicas and maxReplicas for any recommendation and history', () => {
  fc.assert(
    fc.property(anyWish, (seen) => {
      const { replicas } = limit(seen);
      expect(replicas).toBeGreaterThanOrEqual(seen.spec.min);
      expect(replicas).toBeLessThanOrEqual(seen.spec.max);
    }),
  );
});

test('limit stays within the scaling policies, and does not scale in a direction with selectPolicy Disabled', () => {
  fc.assert(
    fc.property(anyWish, (seen) => {
      const { behavior } = seen.spec;
      const { replicas } = limit(seen);
      if (behavior === undefined || replicas === seen.current) return;
      const { select, policies } = replicas > seen.current ? behavior.up : behavior.down;
      expect(select).not.toBe('Disabled');
      const allowed = policies.map(({ type, value, periodMs }) => {
        const then = seen.current - seen.history.addedIn(periodMs, NOW) + seen.history.removedIn(periodMs, NOW);
        const step = type === 'Pods' ? value : (then * value) / 100;
        return replicas > seen.current ? replicas <= Math.ceil(then + step + 1e-6) : replicas >= Math.trunc(then - step - 1e-6);
      });
      expect(select === 'Min' ? allowed.every(Boolean) : allowed.some(Boolean)).toBe(true);
    }),
  );
});

test('limit does not move past the recommendation or away from it', () => {
  fc.assert(
    fc.property(anyWish, (seen) => {
      const { replicas } = limit(seen);
      const between = [seen.current, seen.wished, seen.spec.min, seen.history.highestWish(3_600_000, NOW) ?? seen.current];
      expect(replicas).toBeLessThanOrEqual(Math.max(...between));
      expect(replicas).toBeGreaterThanOrEqual(Math.min(...between, seen.spec.max));
    }),
  );
});
