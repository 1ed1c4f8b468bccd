import fc from 'fast-check';
import { formatTimestamp } from '../../shared/api/metadata/object-meta';
import { apiObject, type ApiObject } from '../../shared/client/rest/api-object';
import type { JsonObject } from '../../shared/values/json';
import type { PodValue, PodValues } from './pods';
import { byAverage, byShare, byUtilization, byValue, NoWish, type PodSight } from './usage';

const NOW = Date.UTC(2026, 0, 1);
const HOUR = 3_600_000;
const pod = (name: string, status: JsonObject = {}, metadata: JsonObject = {}): ApiObject => {
  const since = formatTimestamp(NOW - HOUR);
  const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: since }];
  return apiObject({
    metadata: { name, ...metadata },
    spec: { containers: [{ name: 'c', resources: { requests: { cpu: '100m' } } }] },
    status: { phase: 'Running', startTime: since, conditions, ...status },
  });
};
const named = (count: number): readonly ApiObject[] => Array.from({ length: count }, (_, at) => pod(`p${at}`));
const value = (milli: number): PodValue => ({ milli: BigInt(milli), at: NOW, windowMs: 30_000 });
const values = (...amounts: readonly number[]): PodValues => new Map(amounts.map((amount, at) => [`p${at}`, value(amount)]));
const sight = (pods: readonly ApiObject[], replicas = pods.length): PodSight => ({
  pods,
  replicas,
  tolerance: 0.1,
  readiness: { cpuInitializationMs: 300_000, readinessDelayMs: 30_000 },
  now: NOW,
});
const half = { resource: 'cpu', container: undefined, percent: 50 };

test.each<[string, number, readonly number[], number]>([
  ['scales 2 pods at twice the target to 4', 2, [100, 100], 4],
  ['keeps 2 pods at the target', 2, [50, 50], 2],
  ['keeps 2 pods within the tolerance below the target', 2, [45, 46], 2],
  ['scales 4 pods at half of the target to 2', 4, [25, 25, 25, 25], 2],
  ['scales 4 pods without usage to 0', 4, [0, 0, 0, 0], 0],
  ['scales 3 pods to 4 when one has no metric and the others exceed the target', 3, [100, 100], 4],
  ['keeps 4 pods when one has no metric and the others are below the target', 4, [20, 20, 20], 4],
])('byUtilization %s', (_, count, amounts, replicas) => {
  expect(byUtilization(sight(named(count)), values(...amounts), half).replicas).toBe(replicas);
});

test('byUtilization ignores pods that are unready, terminating or failed', () => {
  const starting = pod('p2', {
    startTime: formatTimestamp(NOW - 1_000),
    conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: formatTimestamp(NOW) }],
  });
  const going = pod('p2', {}, { deletionTimestamp: formatTimestamp(NOW) });
  const tooMuch = values(100, 100, 100);
  expect(byUtilization(sight([...named(2), starting], 3), tooMuch, half).replicas).toBe(4);
  expect(byUtilization(sight([...named(2), going], 3), tooMuch, half).replicas).toBe(4);
  expect(byUtilization(sight([...named(2), pod('p2', { phase: 'Failed' })], 3), tooMuch, half)).toMatchObject({
    replicas: 4,
    percent: 100,
  });
});

test('byUtilization counts a starting pod once its metric window begins after it became ready', () => {
  const since = (ms: number) => ({
    startTime: formatTimestamp(NOW - 100_000),
    conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: formatTimestamp(NOW - ms) }],
  });
  const seen = (ms: number) => byUtilization(sight([pod('p0'), pod('p1', since(ms))], 2), values(100, 100), half).replicas;
  expect([seen(31_000), seen(29_000)]).toEqual([4, 2]);
});

test.each<[string, () => unknown, string]>([
  ['without pods', () => byAverage(sight([]), values(1), undefined, 1n), 'no pods returned by selector while calculating replica count'],
  [
    'without a running pod',
    () => byAverage(sight([pod('p0', { phase: 'Pending' })]), values(1), undefined, 1n),
    'did not receive metrics for targeted pods (pods might be unready)',
  ],
  [
    'with metrics of unknown pods only',
    () => byUtilization(sight(named(1)), new Map([['x', value(1)]]), half),
    'no metrics returned matched known pods',
  ],
  [
    'without a request for the resource',
    () => byUtilization(sight(named(1)), values(1), { ...half, resource: 'memory' }),
    'missing request for memory in container c of Pod p0',
  ],
  [
    'without a ready pod',
    () => byValue(sight([], 2), 9n, 1n),
    'unable to calculate ready pods: no pods returned by selector while calculating replica count',
  ],
])('the calculation throws NoWish %s', (_, ask, message) => expect(ask).toThrow(new NoWish(message)));

test('byValue scales the ready pods in proportion to the value; byShare divides the value among all pods', () => {
  expect([byValue(sight(named(2)), 20n, 10n), byValue(sight(named(2)), 11n, 11n), byValue(sight([], 0), 25n, 10n)]).toEqual([4, 2, 3]);
  expect([byShare(sight([]), 2, 50n, 10n), byShare(sight([]), 5, 50n, 10n), byShare(sight([]), 0, 20n, 10n)]).toEqual([5, 5, 2]);
});

test('byAverage does not change the direction of scaling because of pods without metrics', () => {
  const amounts = fc.array(fc.nat(400), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(amounts, fc.nat(6), (measured, unknown) => {
      const count = measured.length + unknown;
      const { replicas, average } = byAverage(sight(named(count)), values(...measured), 'cpu', 50n);
      if (average > 50n) expect(replicas).toBeGreaterThanOrEqual(count);
      if (average < 50n) expect(replicas).toBeLessThanOrEqual(count);
    }),
  );
});
