import fc from 'fast-check';
import { formatTimestamp } from '../../shared/api/metadata/object-meta';
import type { CoreV1PodStatus, MetaV1ObjectMeta } from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import type { Pod } from '../../shared/client/rest/typed-objects';
import type { PodMetric, PodMetrics } from './pod-groups';
import {
  replicasForAverageValue,
  replicasForPerPodValue,
  replicasForUtilization,
  replicasForValue,
  CalculationError,
  type CalculatorInput,
} from './replica-calculator';

const NOW = Date.UTC(2026, 0, 1);
const HOUR = 3_600_000;
const pod = (name: string, status: CoreV1PodStatus = {}, metadata: MetaV1ObjectMeta = {}): Pod => {
  const since = formatTimestamp(NOW - HOUR);
  const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: since }];
  return apiObject({
    metadata: { name, ...metadata },
    spec: { containers: [{ name: 'c', resources: { requests: { cpu: '100m' } } }] },
    status: { phase: 'Running', startTime: since, conditions, ...status },
  });
};
const podsOf = (count: number): readonly Pod[] => Array.from({ length: count }, (_, index) => pod(`p${index}`));
const metric = (milli: number): PodMetric => ({ milli: BigInt(milli), timestamp: NOW, windowMs: 30_000 });
const metricsOf = (...amounts: readonly number[]): PodMetrics => new Map(amounts.map((amount, index) => [`p${index}`, metric(amount)]));
const inputOf = (pods: readonly Pod[], currentReplicas = pods.length): CalculatorInput => ({
  pods,
  currentReplicas,
  tolerance: 0.1,
  readiness: { cpuInitializationMs: 300_000, readinessDelayMs: 30_000 },
  now: NOW,
});
const halfCpu = { resource: 'cpu', container: undefined, percent: 50 };

test.each<[string, number, readonly number[], number]>([
  ['scales 2 pods at twice the target to 4', 2, [100, 100], 4],
  ['keeps 2 pods at the target', 2, [50, 50], 2],
  ['keeps 2 pods within the tolerance below the target', 2, [45, 46], 2],
  ['scales 4 pods at half of the target to 2', 4, [25, 25, 25, 25], 2],
  ['scales 4 pods without usage to 0', 4, [0, 0, 0, 0], 0],
  ['scales 3 pods to 4 when one has no metric and the others exceed the target', 3, [100, 100], 4],
  ['keeps 4 pods when one has no metric and the others are below the target', 4, [20, 20, 20], 4],
])('replicasForUtilization %s', (_, count, amounts, replicas) => {
  expect(replicasForUtilization(inputOf(podsOf(count)), metricsOf(...amounts), halfCpu).replicas).toBe(replicas);
});

test('replicasForUtilization ignores pods that are unready, terminating or failed', () => {
  const starting = pod('p2', {
    startTime: formatTimestamp(NOW - 1_000),
    conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: formatTimestamp(NOW) }],
  });
  const terminating = pod('p2', {}, { deletionTimestamp: formatTimestamp(NOW) });
  const allMetrics = metricsOf(100, 100, 100);
  expect(replicasForUtilization(inputOf([...podsOf(2), starting], 3), allMetrics, halfCpu).replicas).toBe(4);
  expect(replicasForUtilization(inputOf([...podsOf(2), terminating], 3), allMetrics, halfCpu).replicas).toBe(4);
  expect(replicasForUtilization(inputOf([...podsOf(2), pod('p2', { phase: 'Failed' })], 3), allMetrics, halfCpu)).toMatchObject({
    replicas: 4,
    utilization: 100,
  });
});

test('replicasForUtilization counts a starting pod once its metric window begins after it became ready', () => {
  const since = (ms: number) => ({
    startTime: formatTimestamp(NOW - 100_000),
    conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: formatTimestamp(NOW - ms) }],
  });
  const replicasAfter = (ms: number) =>
    replicasForUtilization(inputOf([pod('p0'), pod('p1', since(ms))], 2), metricsOf(100, 100), halfCpu).replicas;
  expect(replicasAfter(31_000)).toBe(4);
  expect(replicasAfter(29_000)).toBe(2);
});

test.each<[string, () => unknown, string]>([
  [
    'without pods',
    () => replicasForAverageValue(inputOf([]), metricsOf(1), undefined, 1n),
    'no pods returned by selector while calculating replica count',
  ],
  [
    'without a running pod',
    () => replicasForAverageValue(inputOf([pod('p0', { phase: 'Pending' })]), metricsOf(1), undefined, 1n),
    'did not receive metrics for targeted pods (pods might be unready)',
  ],
  [
    'with metrics of unknown pods only',
    () => replicasForUtilization(inputOf(podsOf(1)), new Map([['x', metric(1)]]), halfCpu),
    'no metrics returned matched known pods',
  ],
  [
    'without a request for the resource',
    () => replicasForUtilization(inputOf(podsOf(1)), metricsOf(1), { ...halfCpu, resource: 'memory' }),
    'missing request for memory in container c of Pod p0',
  ],
  [
    'without a ready pod',
    () => replicasForValue(inputOf([], 2), { milli: 9n, target: 1n }),
    'unable to calculate ready pods: no pods returned by selector while calculating replica count',
  ],
])('the calculation throws CalculationError %s', (_, calculate, message) => expect(calculate).toThrow(new CalculationError(message)));

test('replicasForValue scales the ready pods in proportion to the value, and divides the value by the target without replicas', () => {
  expect(replicasForValue(inputOf(podsOf(2)), { milli: 20n, target: 10n })).toBe(4);
  expect(replicasForValue(inputOf(podsOf(2)), { milli: 11n, target: 11n })).toBe(2);
  expect(replicasForValue(inputOf([], 0), { milli: 25n, target: 10n })).toBe(3);
});

test('replicasForPerPodValue divides the value by the target per pod', () => {
  expect(replicasForPerPodValue(inputOf([]), 2, { milli: 50n, target: 10n })).toBe(5);
  expect(replicasForPerPodValue(inputOf([]), 5, { milli: 50n, target: 10n })).toBe(5);
  expect(replicasForPerPodValue(inputOf([]), 0, { milli: 20n, target: 10n })).toBe(2);
});

test('replicasForAverageValue does not change the direction of scaling because of pods without metrics', () => {
  const amounts = fc.array(fc.nat(400), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(amounts, fc.nat(6), (measured, unknown) => {
      const count = measured.length + unknown;
      const { replicas, average } = replicasForAverageValue(inputOf(podsOf(count)), metricsOf(...measured), 'cpu', 50n);
      if (average > 50n) expect(replicas).toBeGreaterThanOrEqual(count);
      if (average < 50n) expect(replicas).toBeLessThanOrEqual(count);
    }),
  );
});
