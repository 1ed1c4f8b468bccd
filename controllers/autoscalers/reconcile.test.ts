import fc from 'fast-check';
import { apiObject } from '../../shared/client/rest/api-object';
import { ScalingHistory } from './scaling-history';
import type { AutoscalingV2HorizontalPodAutoscaler } from '../../shared/api/types/generated/members';
import type { Measurement } from './recommendations';
import { reconcileAutoscaler, validateSelector, type AutoscalerPlan, type AutoscalerState } from './reconcile';
import type { Metric } from './spec';
import { statusAfterScaling, statusWithoutScale } from './status';

const NOW = Date.UTC(2026, 0, 1);
const queueMetric = (target: number, name = 'queue'): Metric => ({
  type: 'External',
  metric: { name, selector: undefined },
  target: { type: 'average', milli: BigInt(target) },
});
const valueOf = (milli: number): Measurement => ({ type: 'value', milli: BigInt(milli) });
const FAILED: Measurement = { type: 'failed', message: 'nothing came' };
const autoscaler = apiObject<AutoscalingV2HorizontalPodAutoscaler>({ metadata: { namespace: 'n', name: 'h', uid: 'u' } });
const stateOf = (
  metrics: readonly Metric[],
  measurements: readonly Measurement[],
  more: Partial<AutoscalerState> = {},
): AutoscalerState => ({
  autoscaler,
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    minReplicas: 1,
    maxReplicas: 100,
    metrics,
    behavior: undefined,
  },
  scale: { specReplicas: 10, statusReplicas: 10, selector: 'app=a' },
  pods: [],
  selectingAutoscalers: ['n/h'],
  measurements,
  history: new ScalingHistory(),
  settings: { tolerance: 0.1, downscaleStabilizationMs: 0, readiness: { cpuInitializationMs: 0, readinessDelayMs: 0 } },
  now: NOW,
  monotonicNow: 0,
  ...more,
});

test('reconcileAutoscaler plans the same replicas for any order of the metrics', () => {
  const measuredMetric = fc.record({ target: fc.integer({ min: 1, max: 50 }), value: fc.option(fc.nat(900), { nil: undefined }) });
  fc.assert(
    fc.property(fc.array(measuredMetric, { minLength: 1, maxLength: 6 }), fc.infiniteStream(fc.nat()), (metrics, chance) => {
      const shuffled = metrics.map((metric) => ({ metric, key: chance.next().value })).sort((a, b) => Number(a.key) - Number(b.key));
      const plan = (items: typeof metrics) =>
        reconcileAutoscaler(
          stateOf(
            items.map(({ target }, index) => queueMetric(target, `q${index}`)),
            items.map(({ value }) => (value === undefined ? FAILED : valueOf(value))),
          ),
        );
      const replicasIn = ({ recommendation, desiredReplicas, rescale }: AutoscalerPlan) => [
        recommendation,
        desiredReplicas,
        rescale?.replicas,
      ];
      expect(replicasIn(plan(shuffled.map(({ metric }) => metric)))).toEqual(replicasIn(plan(metrics)));
    }),
  );
});

test('reconcileAutoscaler scales up but not down when one metric cannot be read', () => {
  const metrics = [queueMetric(10, 'a'), queueMetric(10, 'b')];
  expect(reconcileAutoscaler(stateOf(metrics, [FAILED, valueOf(150)]))).toMatchObject({ rescale: { replicas: 15 }, error: undefined });
  const fewer = reconcileAutoscaler(stateOf(metrics, [FAILED, valueOf(50)]));
  expect(fewer).toMatchObject({ rescale: undefined, recommendation: undefined, currentMetrics: [{ type: '' }, { type: 'External' }] });
  expect(fewer.events.map(({ reason }) => reason)).toEqual(['FailedGetExternalMetric', 'FailedComputeMetricsReplicas']);
});

test('statusAfterScaling returns undefined for an unchanged status, and keeps desiredReplicas when the update of the scale fails', () => {
  const state = stateOf([queueMetric(10)], [valueOf(150)]);
  const plan = reconcileAutoscaler(state);
  const status = statusAfterScaling(state, plan, { type: 'scaled', replicas: 15 }) ?? {};
  expect(status).toMatchObject({ currentReplicas: 10, desiredReplicas: 15, lastScaleTime: '2026-01-01T00:00:00Z' });
  const withStatus = { ...state, autoscaler: apiObject({ ...autoscaler.body, status }) };
  expect(statusAfterScaling(withStatus, reconcileAutoscaler(withStatus), { type: 'scaled', replicas: 15 })).toBeUndefined();
  const failed = statusAfterScaling(withStatus, reconcileAutoscaler(withStatus), { type: 'failed', message: 'no' });
  expect(failed).toMatchObject({
    desiredReplicas: 15,
    conditions: [{ type: 'AbleToScale', status: 'False', reason: 'FailedUpdateScale' }, {}, {}],
  });
});

test('statusWithoutScale changes only the AbleToScale condition when the scale cannot be read', () => {
  const status = statusWithoutScale(autoscaler, 'gone', NOW) ?? {};
  expect(status).toMatchObject({ conditions: [{ type: 'AbleToScale', status: 'False', reason: 'FailedGetScale' }] });
  expect(statusWithoutScale(apiObject({ ...autoscaler.body, status }), 'gone', NOW + 60_000)).toBeUndefined();
});

test('validateSelector rejects an empty selector and pods that several autoscalers select', () => {
  const scale = { specReplicas: 1, statusReplicas: 1, selector: 'app=a' };
  expect(validateSelector({ scale, selectingAutoscalers: ['n/h'] })).toBeUndefined();
  expect(validateSelector({ scale, selectingAutoscalers: ['n/i', 'n/h'] })?.condition.message).toBe(
    'pods by selector app=a are controlled by multiple HPAs: [n/h n/i]',
  );
  expect(validateSelector({ scale: { ...scale, selector: '' }, selectingAutoscalers: [] })?.event.reason).toBe('SelectorRequired');
});
