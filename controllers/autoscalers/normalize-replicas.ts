/**
 * Turns the replica count that the metrics recommend into the one that the target gets: applies stabilization windows,
 * scaling policies, minReplicas and maxReplicas. Reads the history and does not change it.
 */
import type { ConditionContent } from './conditions';
import type { ScalingHistory } from './scaling-history';
import type { AutoscalerSpec, ScalingPolicy, ScalingRules } from './spec';

/** A recommendation, and what limits it. */
export interface NormalizeInput {
  readonly spec: Pick<AutoscalerSpec, 'minReplicas' | 'maxReplicas' | 'behavior'>;
  readonly currentReplicas: number;
  /** The highest replica count that a metric recommends. */
  readonly recommendation: number;
  readonly history: Pick<ScalingHistory, 'highestRecommendation' | 'lowestRecommendation' | 'replicasAdded' | 'replicasRemoved'>;
  /** The stabilization window for scaling down where the spec does not set one. Milliseconds. */
  readonly downscaleStabilizationMs: number;
  /** The present time on the monotonic clock of the history. */
  readonly now: number;
}

/** The replica count of the target, and the conditions that explain it. */
export interface NormalizedReplicas {
  readonly replicas: number;
  readonly ableToScale: ConditionContent;
  readonly scalingLimited: ConditionContent;
}

const READY_FOR_NEW_SCALE: ConditionContent = {
  status: 'True',
  reason: 'ReadyForNewScale',
  message: 'recommended size matches current size',
};
const SCALE_DOWN_STABILIZED: ConditionContent = {
  status: 'True',
  reason: 'ScaleDownStabilized',
  message: 'recent recommendations were higher than current one, applying the highest recent recommendation',
};
const SCALE_UP_STABILIZED: ConditionContent = {
  status: 'True',
  reason: 'ScaleUpStabilized',
  message: 'recent recommendations were lower than current one, applying the lowest recent recommendation',
};
const DESIRED_WITHIN_RANGE: ConditionContent = {
  status: 'False',
  reason: 'DesiredWithinRange',
  message: 'the desired count is within the acceptable range',
};
const limitedBy = (reason: string, limit: string): ConditionContent => ({
  status: 'True',
  reason,
  message: `the desired replica count is ${limit}`,
});
const TOO_FEW_REPLICAS = limitedBy('TooFewReplicas', 'less than the minimum replica count');
const TOO_MANY_REPLICAS = limitedBy('TooManyReplicas', 'more than the maximum replica count');
const SCALE_UP_LIMIT = limitedBy('ScaleUpLimit', 'increasing faster than the maximum scale rate');
const SCALE_DOWN_LIMIT = limitedBy('ScaleDownLimit', 'decreasing faster than the maximum scale rate');

/** The caller records the recommendation and the change of scale afterwards. */
export function normalizeDesiredReplicas(input: NormalizeInput): NormalizedReplicas {
  const { behavior } = input.spec;
  return behavior === undefined ? normalizeWithDefaults(input) : normalizeWithBehavior(input, behavior);
}

/** Without a behavior the target at most doubles, or grows to four; only scaling down has a stabilization window. */
function normalizeWithDefaults(input: NormalizeInput): NormalizedReplicas {
  const { spec, currentReplicas, recommendation, history, downscaleStabilizationMs, now } = input;
  const { minReplicas, maxReplicas } = spec;
  const stabilized = Math.max(recommendation, history.highestRecommendation(downscaleStabilizationMs, now) ?? recommendation);
  const ableToScale = stabilized === recommendation ? READY_FOR_NEW_SCALE : SCALE_DOWN_STABILIZED;
  const rateLimit = Math.max(2 * currentReplicas, 4);
  const [highest, scalingLimited] = maxReplicas > rateLimit ? [rateLimit, SCALE_UP_LIMIT] : [maxReplicas, TOO_MANY_REPLICAS];
  if (stabilized < minReplicas) return { replicas: minReplicas, ableToScale, scalingLimited: TOO_FEW_REPLICAS };
  if (stabilized > highest) return { replicas: highest, ableToScale, scalingLimited };
  return { replicas: stabilized, ableToScale, scalingLimited: DESIRED_WITHIN_RANGE };
}

/** The policies, `minReplicas` and `maxReplicas` limit a change in their direction only. */
function normalizeWithBehavior(input: NormalizeInput, { scaleUp, scaleDown }: NonNullable<AutoscalerSpec['behavior']>): NormalizedReplicas {
  const { spec, currentReplicas } = input;
  const { replicas, ableToScale } = stabilizeRecommendation(input, scaleUp, scaleDown);
  if (replicas > currentReplicas) {
    const rateLimit = Math.max(currentReplicas, scaleUpLimit(input, scaleUp));
    const [highest, scalingLimited] = spec.maxReplicas > rateLimit ? [rateLimit, SCALE_UP_LIMIT] : [spec.maxReplicas, TOO_MANY_REPLICAS];
    if (replicas > highest) return { replicas: highest, ableToScale, scalingLimited };
  }
  if (replicas < currentReplicas) {
    const rateLimit = Math.min(currentReplicas, scaleDownLimit(input, scaleDown));
    const [lowest, scalingLimited] = spec.minReplicas < rateLimit ? [rateLimit, SCALE_DOWN_LIMIT] : [spec.minReplicas, TOO_FEW_REPLICAS];
    if (replicas < lowest) return { replicas: lowest, ableToScale, scalingLimited };
  }
  return { replicas, ableToScale, scalingLimited: DESIRED_WITHIN_RANGE };
}

/**
 * The current replicas, raised to the lowest recommendation of the window for scaling up, then lowered to the highest
 * recommendation of the window for scaling down.
 */
function stabilizeRecommendation(
  { currentReplicas, recommendation, history, downscaleStabilizationMs, now }: NormalizeInput,
  scaleUp: ScalingRules,
  scaleDown: ScalingRules,
): Pick<NormalizedReplicas, 'replicas' | 'ableToScale'> {
  const upWindowMs = scaleUp.stabilizationWindowMs ?? 0;
  const downWindowMs = scaleDown.stabilizationWindowMs ?? downscaleStabilizationMs;
  const lowest = Math.min(recommendation, history.lowestRecommendation(upWindowMs, now) ?? recommendation);
  const highest = Math.max(recommendation, history.highestRecommendation(downWindowMs, now) ?? recommendation);
  const replicas = Math.min(Math.max(currentReplicas, lowest), highest);
  if (replicas === recommendation) return { replicas, ableToScale: READY_FOR_NEW_SCALE };
  return { replicas, ableToScale: recommendation >= currentReplicas ? SCALE_UP_STABILIZED : SCALE_DOWN_STABILIZED };
}

/** The replicas at the start of the policy's period. */
function periodStartReplicas({ currentReplicas, history, now }: NormalizeInput, { periodMs }: ScalingPolicy): number {
  return currentReplicas - history.replicasAdded(periodMs, now) + history.replicasRemoved(periodMs, now);
}

/** The most replicas that the policies allow; the fewest with `Min`, which selects the policy with the smallest change. */
function scaleUpLimit(input: NormalizeInput, { selectPolicy, policies }: ScalingRules): number {
  if (selectPolicy === 'Disabled') return input.currentReplicas;
  const limits = policies.map((policy) => {
    const start = periodStartReplicas(input, policy);
    return policy.type === 'Pods' ? start + policy.value : Math.ceil(start * (1 + policy.value / 100));
  });
  return selectPolicy === 'Min' ? Math.min(...limits) : Math.max(...limits);
}

/** The fewest replicas that the policies allow; the most with `Min`. */
function scaleDownLimit(input: NormalizeInput, { selectPolicy, policies }: ScalingRules): number {
  if (selectPolicy === 'Disabled') return input.currentReplicas;
  const limits = policies.map((policy) => {
    const start = periodStartReplicas(input, policy);
    return policy.type === 'Pods' ? start - policy.value : Math.trunc(start * (1 - policy.value / 100));
  });
  return selectPolicy === 'Min' ? Math.max(...limits) : Math.min(...limits);
}
