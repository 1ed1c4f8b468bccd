import fc from 'fast-check';
import { apiObject } from '../../shared/client/rest/api-object';
import { ScalingHistory } from './scaling-history';
import type { AutoscalingV2HorizontalPodAutoscaler } from '../../shared/api/types/generated/members';
import type { Measurement } from './recommendations';
import { reconcileAutoscaler, validateSelector, type AutoscalerState, type TargetScale } from './reconcile';
import type { Metric } from './spec';

/** The replicas of the target before the reconciliation. */
const CURRENT_REPLICAS = 10;
const SCALE: TargetScale = { specReplicas: CURRENT_REPLICAS, statusReplicas: CURRENT_REPLICAS, selector: 'app=a' };
const AUTOSCALER_KEY = 'n/h';

/** The target of {@link queueMetric} for each pod, in thousandths. */
const AVERAGE_MILLI = 10;
/** An external metric that recommends its total value divided by the average per pod, rounded up. */
const queueMetric = (name: string, averageMilli = AVERAGE_MILLI): Metric => ({
  type: 'External',
  metric: { name, selector: undefined },
  target: { type: 'average', milli: BigInt(averageMilli) },
});
const totalOf = (totalMilli: number): Measurement => ({ type: 'value', milli: BigInt(totalMilli) });
/** The total at which a {@link queueMetric} recommends this many replicas. */
const totalFor = (replicas: number): Measurement => totalOf(replicas * AVERAGE_MILLI);

const UNREADABLE: Measurement = { type: 'failed', message: 'the metrics API does not respond' };
/** The entry of an unreadable metric in `status.currentMetrics`: it has no type, as upstream's. */
const UNREADABLE_STATUS = { type: '' };

const stateOf = (metrics: readonly Metric[], measurements: readonly Measurement[]): AutoscalerState => ({
  autoscaler: apiObject<AutoscalingV2HorizontalPodAutoscaler>({ metadata: { namespace: 'n', name: 'h', uid: 'u' } }),
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    minReplicas: 1,
    maxReplicas: 100,
    metrics,
    behavior: undefined,
  },
  scale: SCALE,
  pods: [],
  selectingAutoscalers: [AUTOSCALER_KEY],
  measurements,
  history: new ScalingHistory(),
  settings: { tolerance: 0.1, downscaleStabilizationMs: 0, readiness: { cpuInitializationMs: 0, readinessDelayMs: 0 } },
  now: Date.UTC(2026, 0, 1),
  monotonicNow: 0,
});

describe('reconcileAutoscaler', () => {
  interface MeasuredMetric {
    readonly averageMilli: number;
    /** `undefined` for a metric that cannot be read. */
    readonly totalMilli: number | undefined;
  }

  const measuredMetrics: fc.Arbitrary<readonly MeasuredMetric[]> = fc.array(
    fc.record({ averageMilli: fc.integer({ min: 1, max: 50 }), totalMilli: fc.option(fc.nat(900), { nil: undefined }) }),
    { minLength: 1, maxLength: 6 },
  );

  /** The items with a permutation of them. */
  const withPermutation = <T>(items: readonly T[]): fc.Arbitrary<readonly [readonly T[], readonly T[]]> =>
    fc.tuple(fc.constant(items), fc.shuffledSubarray([...items], { minLength: items.length, maxLength: items.length }));

  function plannedReplicas(metrics: readonly MeasuredMetric[]) {
    const { recommendation, desiredReplicas, rescale } = reconcileAutoscaler(
      stateOf(
        metrics.map(({ averageMilli }, index) => queueMetric(`q${index}`, averageMilli)),
        metrics.map(({ totalMilli }) => (totalMilli === undefined ? UNREADABLE : totalOf(totalMilli))),
      ),
    );
    return { recommendation, desiredReplicas, rescaledTo: rescale?.replicas };
  }

  test('plans the same replicas for any order of the metrics', () => {
    fc.assert(
      fc.property(measuredMetrics.chain(withPermutation), ([metrics, permutation]) => {
        expect(plannedReplicas(permutation)).toEqual(plannedReplicas(metrics));
      }),
    );
  });

  const oneUnreadable = (readable: Measurement) => stateOf([queueMetric('a'), queueMetric('b')], [UNREADABLE, readable]);

  test('scales up when one metric cannot be read and another recommends more replicas', () => {
    expect(reconcileAutoscaler(oneUnreadable(totalFor(15)))).toMatchObject({ rescale: { replicas: 15 }, error: undefined });
  });

  test('does not scale down when one metric cannot be read', () => {
    const plan = reconcileAutoscaler(oneUnreadable(totalFor(5)));
    expect(plan).toMatchObject({ rescale: undefined, recommendation: undefined });
    expect(plan.currentMetrics).toEqual([UNREADABLE_STATUS, expect.objectContaining({ type: 'External' })]);
    expect(plan.events.map(({ reason }) => reason)).toEqual(['FailedGetExternalMetric', 'FailedComputeMetricsReplicas']);
  });
});

describe('validateSelector', () => {
  test('accepts pods that only this autoscaler selects', () => {
    expect(validateSelector({ scale: SCALE, selectingAutoscalers: [AUTOSCALER_KEY] })).toBeUndefined();
  });

  test('rejects pods that several autoscalers select, and names these in order', () => {
    expect(validateSelector({ scale: SCALE, selectingAutoscalers: ['n/i', AUTOSCALER_KEY] })?.condition.message).toBe(
      'pods by selector app=a are controlled by multiple HPAs: [n/h n/i]',
    );
  });

  test('rejects an empty selector', () => {
    const scale = { ...SCALE, selector: '' };
    expect(validateSelector({ scale, selectingAutoscalers: [] })?.event.reason).toBe('SelectorRequired');
  });
});
