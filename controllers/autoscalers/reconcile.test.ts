import fc from 'fast-check';
import { apiObject } from '../../shared/client/rest/api-object';
import { ScalingHistory } from './history';
import { planAutoscaler, selectorFault, statusAfter, unscaledStatus, type Sight } from './reconcile';
import type { Metric } from './spec';
import type { Measured } from './wishes';

const NOW = Date.UTC(2026, 0, 1);
const queue = (wanted: number, name = 'queue'): Metric => ({
  type: 'External',
  metric: { name, selector: undefined },
  target: { type: 'average', milli: BigInt(wanted) },
});
const amount = (milli: number): Measured => ({ type: 'amount', milli: BigInt(milli) });
const FAILED: Measured = { type: 'failed', message: 'nothing came' };
const autoscaler = apiObject({ metadata: { namespace: 'n', name: 'h', uid: 'u' } });
const sight = (metrics: readonly Metric[], measured: readonly Measured[], more: Partial<Sight> = {}): Sight => ({
  autoscaler,
  spec: { target: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, min: 1, max: 100, metrics, behavior: undefined },
  scale: { replicas: 10, present: 10, selector: 'app=a' },
  pods: [],
  rivals: ['n/h'],
  measured,
  history: new ScalingHistory(),
  settings: { tolerance: 0.1, downscaleMs: 0, readiness: { cpuInitializationMs: 0, readinessDelayMs: 0 } },
  now: NOW,
  at: 0,
  ...more,
});

test('planAutoscaler uses the highest recommendation, regardless of the order of the metrics', () => {
  const one = fc.record({ wanted: fc.integer({ min: 1, max: 50 }), found: fc.option(fc.nat(900), { nil: undefined }) });
  fc.assert(
    fc.property(fc.array(one, { minLength: 1, maxLength: 6 }), fc.infiniteStream(fc.nat()), (all, chance) => {
      const order = all.map((item) => ({ item, at: chance.next().value })).sort((a, b) => Number(a.at) - Number(b.at));
      const plan = (items: typeof all) =>
        planAutoscaler(
          sight(
            items.map(({ wanted }, at) => queue(wanted, `q${at}`)),
            items.map(({ found }) => (found === undefined ? FAILED : amount(found))),
          ),
        );
      const [first, other] = [plan(all), plan(order.map(({ item }) => item))];
      expect([other.wished, other.desired, other.rescale?.replicas]).toEqual([first.wished, first.desired, first.rescale?.replicas]);
    }),
  );
});

test('planAutoscaler scales up but not down when one metric cannot be read', () => {
  const metrics = [queue(10, 'a'), queue(10, 'b')];
  expect(planAutoscaler(sight(metrics, [FAILED, amount(150)]))).toMatchObject({ rescale: { replicas: 15 }, fault: undefined });
  const fewer = planAutoscaler(sight(metrics, [FAILED, amount(50)]));
  expect(fewer).toMatchObject({ rescale: undefined, wished: undefined, currentMetrics: [{ type: '' }, { type: 'External' }] });
  expect(fewer.told.map(({ reason }) => reason)).toEqual(['FailedGetExternalMetric', 'FailedComputeMetricsReplicas']);
});

test('statusAfter returns nothing for an unchanged status, and keeps desiredReplicas when the update of the scale fails', () => {
  const seen = sight([queue(10)], [amount(150)]);
  const plan = planAutoscaler(seen);
  const status = statusAfter(seen, plan, { type: 'scaled', to: 15 }) ?? {};
  expect(status).toMatchObject({ currentReplicas: 10, desiredReplicas: 15, lastScaleTime: '2026-01-01T00:00:00Z' });
  const again = { ...seen, autoscaler: apiObject({ ...autoscaler.body, status }) };
  expect(statusAfter(again, planAutoscaler(again), { type: 'scaled', to: 15 })).toBeUndefined();
  const refused = statusAfter(again, planAutoscaler(again), { type: 'refused', message: 'no' });
  expect(refused).toMatchObject({
    desiredReplicas: 15,
    conditions: [{ type: 'AbleToScale', status: 'False', reason: 'FailedUpdateScale' }, {}, {}],
  });
});

test('unscaledStatus changes only the AbleToScale condition when the scale cannot be read', () => {
  const said = unscaledStatus(autoscaler, 'gone', NOW) ?? {};
  expect(said).toMatchObject({ conditions: [{ type: 'AbleToScale', status: 'False', reason: 'FailedGetScale' }] });
  expect(unscaledStatus(apiObject({ ...autoscaler.body, status: said }), 'gone', NOW + 60_000)).toBeUndefined();
});

test('selectorFault rejects an empty selector and pods that several autoscalers select', () => {
  const scale = { replicas: 1, present: 1, selector: 'app=a' };
  expect(selectorFault({ scale, rivals: ['n/h'] })).toBeUndefined();
  expect(selectorFault({ scale, rivals: ['n/i', 'n/h'] })?.said.message).toBe(
    'pods by selector app=a are controlled by multiple HPAs: [n/h n/i]',
  );
  expect(selectorFault({ scale: { ...scale, selector: '' }, rivals: [] })?.told.reason).toBe('SelectorRequired');
});
