import fc from 'fast-check';
import { ScalingHistory } from './scaling-history';
import { normalizeDesiredReplicas, type NormalizeInput } from './normalize-replicas';
import type { ScalingRules, ScalingPolicy } from './spec';

const NOW = 10_000_000;
/** More than the error of the floating-point arithmetic in a limit. */
const ROUNDING_ERROR = 1e-6;
const rules = (more: Partial<ScalingRules> = {}): ScalingRules => ({
  stabilizationWindowMs: 0,
  selectPolicy: 'Max',
  policies: [{ type: 'Percent', value: 1000, periodMs: 15_000 }],
  ...more,
});
const inputOf = (more: Partial<NormalizeInput> = {}): NormalizeInput => ({
  spec: { minReplicas: 1, maxReplicas: 10, behavior: undefined },
  currentReplicas: 4,
  recommendation: 4,
  history: new ScalingHistory(),
  downscaleStabilizationMs: 300_000,
  now: NOW,
  ...more,
});
const withBehavior = (scaleUp: Partial<ScalingRules>, scaleDown: Partial<ScalingRules>, more: Partial<NormalizeInput>): NormalizeInput =>
  inputOf({ spec: { minReplicas: 1, maxReplicas: 10, behavior: { scaleUp: rules(scaleUp), scaleDown: rules(scaleDown) } }, ...more });

type DefaultLimitsRow = [recommended: string, more: Partial<NormalizeInput>, replicas: number, ableToScale: string, scalingLimited: string];

test.each<DefaultLimitsRow>([
  ['the current number', {}, 4, 'ReadyForNewScale', 'DesiredWithinRange'],
  ['a higher number', { recommendation: 7 }, 7, 'ReadyForNewScale', 'DesiredWithinRange'],
  ['more than twice the current number', { recommendation: 9 }, 8, 'ReadyForNewScale', 'ScaleUpLimit'],
  ['9 replicas when there is 1', { currentReplicas: 1, recommendation: 9 }, 4, 'ReadyForNewScale', 'ScaleUpLimit'],
  ['more than maxReplicas', { currentReplicas: 6, recommendation: 50 }, 10, 'ReadyForNewScale', 'TooManyReplicas'],
  ['0 replicas', { recommendation: 0 }, 1, 'ReadyForNewScale', 'TooFewReplicas'],
])(
  'normalizeDesiredReplicas without behavior applies the default limits to a recommendation of %s',
  (_, more, replicas, ableToScale, scalingLimited) => {
    expect(normalizeDesiredReplicas(inputOf(more))).toMatchObject({
      replicas,
      ableToScale: { reason: ableToScale },
      scalingLimited: { reason: scalingLimited },
    });
  },
);

test('normalizeDesiredReplicas scales down only when the stabilization window contains no higher recommendation', () => {
  const history = new ScalingHistory();
  history.recordRecommendation(6, NOW - 300_000);
  history.recordRecommendation(3, NOW - 200_000);
  expect(normalizeDesiredReplicas(inputOf({ history, recommendation: 2 }))).toMatchObject({
    replicas: 3,
    ableToScale: { reason: 'ScaleDownStabilized' },
  });
  expect(normalizeDesiredReplicas(inputOf({ history, recommendation: 2, now: NOW + 100_000 }))).toMatchObject({
    replicas: 2,
    ableToScale: { reason: 'ReadyForNewScale' },
  });
});

test('normalizeDesiredReplicas scales up only when the stabilization window of scaleUp contains no lower recommendation', () => {
  const history = new ScalingHistory();
  history.recordRecommendation(5, NOW - 60_000);
  const input = withBehavior({ stabilizationWindowMs: 120_000 }, {}, { history, recommendation: 9 });
  expect(normalizeDesiredReplicas(input)).toMatchObject({ replicas: 5, ableToScale: { reason: 'ScaleUpStabilized' } });
  expect(normalizeDesiredReplicas({ ...input, now: NOW + 60_000 })).toMatchObject({
    replicas: 9,
    ableToScale: { reason: 'ReadyForNewScale' },
  });
});

test('normalizeDesiredReplicas applies a scaling policy to the number of replicas at the start of its period', () => {
  const history = new ScalingHistory();
  history.recordScaleEvent({ from: 2, to: 4, at: NOW - 10_000 });
  const policies: readonly ScalingPolicy[] = [{ type: 'Pods', value: 3, periodMs: 15_000 }];
  const input = withBehavior({ policies }, {}, { history, recommendation: 9 });
  expect(normalizeDesiredReplicas(input)).toMatchObject({ replicas: 5, scalingLimited: { reason: 'ScaleUpLimit' } });
  expect(normalizeDesiredReplicas({ ...input, now: NOW + 5_000 })).toMatchObject({
    replicas: 7,
    scalingLimited: { reason: 'ScaleUpLimit' },
  });
});

const policy = fc.record({
  type: fc.constantFrom<'Pods' | 'Percent'>('Pods', 'Percent'),
  value: fc.integer({ min: 1, max: 200 }),
  periodMs: fc.integer({ min: 1_000, max: 1_800_000 }),
});
const anyRules = fc.record({
  stabilizationWindowMs: fc.option(fc.integer({ min: 0, max: 3_600_000 }), { nil: undefined }),
  selectPolicy: fc.constantFrom<ScalingRules['selectPolicy']>('Max', 'Min', 'Disabled'),
  policies: fc.array(policy, { minLength: 1, maxLength: 4 }),
});
const past = fc.array(fc.record({ ago: fc.integer({ min: 0, max: 4_000_000 }), recommendation: fc.nat(60), replicas: fc.nat(60) }), {
  maxLength: 30,
});
const anyInput = fc
  .record({
    min: fc.integer({ min: 1, max: 20 }),
    spread: fc.nat(30),
    /** Where the current replicas are between the minimum and the maximum. */
    fraction: fc.double({ min: 0, max: 1, noNaN: true }),
    recommendation: fc.nat(200),
    behavior: fc.option(fc.record({ scaleUp: anyRules, scaleDown: anyRules }), { nil: undefined }),
    past,
  })
  .map(({ min, spread, fraction, recommendation, behavior, past: scaleEvents }): NormalizeInput => {
    const history = new ScalingHistory();
    let currentReplicas = min;
    for (const { ago, recommendation: pastRecommendation, replicas } of [...scaleEvents].sort((a, b) => b.ago - a.ago)) {
      history.recordRecommendation(pastRecommendation, NOW - ago);
      if (replicas !== currentReplicas) history.recordScaleEvent({ from: currentReplicas, to: replicas, at: NOW - ago });
      currentReplicas = replicas;
    }
    const spec = { minReplicas: min, maxReplicas: min + spread, behavior };
    return inputOf({ spec, currentReplicas: min + Math.round(fraction * spread), recommendation, history });
  });

test('normalizeDesiredReplicas stays between minReplicas and maxReplicas for any recommendation and history', () => {
  fc.assert(
    fc.property(anyInput, (input) => {
      const { replicas } = normalizeDesiredReplicas(input);
      expect(replicas).toBeGreaterThanOrEqual(input.spec.minReplicas);
      expect(replicas).toBeLessThanOrEqual(input.spec.maxReplicas);
    }),
  );
});

test('normalizeDesiredReplicas stays within the scaling policies, and does not scale in a direction with selectPolicy Disabled', () => {
  fc.assert(
    fc.property(anyInput, (input) => {
      const { behavior } = input.spec;
      const { replicas } = normalizeDesiredReplicas(input);
      if (behavior === undefined || replicas === input.currentReplicas) return;
      const { selectPolicy, policies } = replicas > input.currentReplicas ? behavior.scaleUp : behavior.scaleDown;
      expect(selectPolicy).not.toBe('Disabled');
      const allowed = policies.map(({ type, value, periodMs }) => {
        const atPeriodStart =
          input.currentReplicas - input.history.replicasAdded(periodMs, NOW) + input.history.replicasRemoved(periodMs, NOW);
        const step = type === 'Pods' ? value : (atPeriodStart * value) / 100;
        return replicas > input.currentReplicas
          ? replicas <= Math.ceil(atPeriodStart + step + ROUNDING_ERROR)
          : replicas >= Math.trunc(atPeriodStart - step - ROUNDING_ERROR);
      });
      expect(selectPolicy === 'Min' ? allowed.every(Boolean) : allowed.some(Boolean)).toBe(true);
    }),
  );
});

test('normalizeDesiredReplicas does not move past the recommendation or away from it', () => {
  fc.assert(
    fc.property(anyInput, (input) => {
      const { replicas } = normalizeDesiredReplicas(input);
      const bounds = [
        input.currentReplicas,
        input.recommendation,
        input.spec.minReplicas,
        input.history.highestRecommendation(3_600_000, NOW) ?? input.currentReplicas,
      ];
      expect(replicas).toBeLessThanOrEqual(Math.max(...bounds));
      expect(replicas).toBeGreaterThanOrEqual(Math.min(...bounds, input.spec.maxReplicas));
    }),
  );
});
