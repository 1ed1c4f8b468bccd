/**
 * Calculates how many replicas bring a metric to its target. A pod without a metric is assumed to use the amount that
 * makes the change smaller: nothing when the target is scaled up, and its target or its requests when the target is
 * scaled down. An unready pod is assumed to use nothing when the target is scaled up, and does not count otherwise. Pure;
 * the floating-point arithmetic is that of upstream 1.31.1, operation by operation.
 */
import type { Pod } from '../../shared/client/rest/typed-objects';
import {
  calculatePodRequests,
  countReadyPods,
  groupPods,
  type GroupedPods,
  type PodMetric,
  type PodMetrics,
  type Readiness,
} from './pod-groups';

/**
 * No replica count can be calculated. The message is upstream's, except for a measurement that is one value where the
 * metric needs one for each pod, or the reverse (recommendations.ts).
 */
export class CalculationError extends Error {
  override readonly name = 'CalculationError';
}

/** The target and its pods, for every metric. */
export interface CalculatorInput {
  /** The pods that the target selects. */
  readonly pods: readonly Pod[];
  /** `spec.replicas` of the target. */
  readonly currentReplicas: number;
  /** Ratios of usage to target that differ from 1 by at most this much change nothing. */
  readonly tolerance: number;
  readonly readiness: Readiness;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The replica count, and the present values for the status. */
export interface CalculatedReplicas {
  readonly replicas: number;
  /** Per pod with a metric, in thousandths. */
  readonly average: bigint;
  /** Percent of the requests; undefined unless the target is a utilization. */
  readonly utilization: number | undefined;
}

/** A metric that all pods share. */
export interface SharedValue {
  /** The measured value, in thousandths. */
  readonly milli: bigint;
  /** The target value, in thousandths. */
  readonly target: bigint;
}

const NO_PODS = 'no pods returned by selector while calculating replica count';

/** For a target utilization of a resource, in percent of the requests. Throws {@link CalculationError}. */
export function replicasForUtilization(
  input: CalculatorInput,
  measured: PodMetrics,
  { resource, container, percent }: { readonly resource: string; readonly container: string | undefined; readonly percent: number },
): CalculatedReplicas {
  const { grouped, metrics } = groupAndFilter(input, measured, resource);
  const requests = calculatePodRequests(input.pods, resource, container);
  if (requests.type === 'missing') {
    throw new CalculationError(`missing request for ${resource} in container ${requests.container} of Pod ${requests.pod}`);
  }
  const { byPod } = requests;
  // Scaling down assumes that a pod without a metric uses its whole request, or the target when that is more.
  const assumedPercent = BigInt(Math.max(100, percent));
  const assumedUsage = (pod: string): bigint => ((byPod.get(pod) ?? 0n) * assumedPercent) / 100n;
  const { ratio, average, utilization } = utilizationRatio(metrics, byPod, percent);
  const ratioOf = (counted: PodMetrics): number => utilizationRatio(counted, byPod, percent).ratio;
  return { replicas: replicasForRatio(input, { grouped, metrics, ratio, ratioOf, assumedUsage }), average, utilization };
}

/**
 * For a target value per pod, of a metric that is measured for each pod. `resource`: undefined for a metric that is no
 * resource. `target`: in thousandths. Throws {@link CalculationError}.
 */
export function replicasForAverageValue(
  input: CalculatorInput,
  measured: PodMetrics,
  resource: string | undefined,
  target: bigint,
): CalculatedReplicas {
  const { grouped, metrics } = groupAndFilter(input, measured, resource);
  const ratioOf = (counted: PodMetrics): number => Number(averageOf(counted)) / Number(target);
  const usage = { grouped, metrics, ratio: ratioOf(metrics), ratioOf, assumedUsage: () => target };
  return { replicas: replicasForRatio(input, usage), average: averageOf(metrics), utilization: undefined };
}

/**
 * For a target value of a metric that all pods share. Scales the ready pods by the ratio of the value to the target.
 * Throws {@link CalculationError}.
 */
export function replicasForValue(input: CalculatorInput, { milli, target }: SharedValue): number {
  const ratio = Number(milli) / Number(target);
  if (input.currentReplicas === 0) return Math.ceil(ratio);
  if (isWithinTolerance(input, ratio)) return input.currentReplicas;
  if (input.pods.length === 0) throw new CalculationError(`unable to calculate ready pods: ${NO_PODS}`);
  return Math.ceil(ratio * countReadyPods(input.pods));
}

/** For a target value per pod, of a metric that all pods share. Returns `statusReplicas` within the tolerance. */
export function replicasForPerPodValue(
  { tolerance }: Pick<CalculatorInput, 'tolerance'>,
  statusReplicas: number,
  { milli, target }: SharedValue,
): number {
  const ratio = Number(milli) / (Number(target) * statusReplicas);
  return Math.abs(1 - ratio) > tolerance ? Math.ceil(Number(milli) / Number(target)) : statusReplicas;
}

/** `metrics`: those of pods that are neither ignored nor unready. */
function groupAndFilter(
  { pods, now, readiness }: CalculatorInput,
  measured: PodMetrics,
  resource: string | undefined,
): { readonly grouped: GroupedPods; readonly metrics: PodMetrics } {
  if (pods.length === 0) throw new CalculationError(NO_PODS);
  const grouped = groupPods(pods, measured, { isCpu: resource === 'cpu', now, readiness });
  const metrics = new Map(measured);
  for (const name of [...grouped.ignored, ...grouped.unready]) metrics.delete(name);
  if (metrics.size === 0) throw new CalculationError('did not receive metrics for targeted pods (pods might be unready)');
  return { grouped, metrics };
}

/** The usage of the measured pods in relation to their requests. */
interface UtilizationRatio {
  /** The utilization divided by the target. */
  readonly ratio: number;
  /** Per pod, in thousandths. */
  readonly average: bigint;
  /** Percent of the requests. */
  readonly utilization: number;
}

function utilizationRatio(metrics: PodMetrics, requests: ReadonlyMap<string, bigint>, targetPercent: number): UtilizationRatio {
  let used = 0n;
  let requested = 0n;
  let count = 0n;
  for (const [name, { milli }] of metrics) {
    const request = requests.get(name);
    if (request === undefined) continue;
    used += milli;
    requested += request;
    count += 1n;
  }
  if (requested === 0n || count === 0n) throw new CalculationError('no metrics returned matched known pods');
  const utilization = Number((used * 100n) / requested);
  return { ratio: utilization / targetPercent, average: used / count, utilization };
}

function averageOf(metrics: PodMetrics): bigint {
  let sum = 0n;
  for (const { milli } of metrics.values()) sum += milli;
  return sum / BigInt(metrics.size);
}

/** The usage of the pods that have a metric, and how that of the others is assumed. */
interface MeasuredUsage {
  readonly grouped: GroupedPods;
  /** Of the pods that are neither ignored nor unready. */
  readonly metrics: PodMetrics;
  /** The ratio of usage to target over `metrics`. */
  readonly ratio: number;
  /** The ratio over other metrics. */
  readonly ratioOf: (metrics: PodMetrics) => number;
  /** Usage of a pod without a metric when the target is scaled down. */
  readonly assumedUsage: (pod: string) => bigint;
}

const NO_USAGE: PodMetric = { milli: 0n, timestamp: 0, windowMs: 0 };

/**
 * Calculates the replicas twice when some pods have no usable metric: with the measured pods, which gives the direction,
 * and with assumed usages of the others. Keeps the replicas when the second ratio or count contradicts the direction.
 */
function replicasForRatio(input: CalculatorInput, { grouped, metrics, ratio, ratioOf, assumedUsage }: MeasuredUsage): number {
  const { currentReplicas } = input;
  const { readyCount, unready, missing } = grouped;
  const scalesUpWithUnready = unready.length > 0 && ratio > 1;
  if (!scalesUpWithUnready && missing.length === 0) {
    return isWithinTolerance(input, ratio) ? currentReplicas : Math.ceil(ratio * readyCount);
  }
  const completed = new Map(metrics);
  const assume = (names: readonly string[], usageOf: (name: string) => bigint): void => {
    for (const name of names) completed.set(name, { ...NO_USAGE, milli: usageOf(name) });
  };
  if (ratio < 1) assume(missing, assumedUsage);
  else if (ratio > 1) assume(missing, () => 0n);
  if (scalesUpWithUnready) assume(unready, () => 0n);
  const completedRatio = ratioOf(completed);
  const changesDirection = (ratio < 1 && completedRatio > 1) || (ratio > 1 && completedRatio < 1);
  if (isWithinTolerance(input, completedRatio) || changesDirection) return currentReplicas;
  const replicas = Math.ceil(completedRatio * completed.size);
  const isContrary = (completedRatio < 1 && replicas > currentReplicas) || (completedRatio > 1 && replicas < currentReplicas);
  return isContrary ? currentReplicas : replicas;
}

const isWithinTolerance = ({ tolerance }: CalculatorInput, ratio: number): boolean => Math.abs(1 - ratio) <= tolerance;
