/**
 * How many pods it takes until each has as much to do as wanted, from what was measured of those that there are. Whoever is not measured, or does not serve yet, counts
 * so that nothing is done too much. Pure; the fractions are those of release 1.31.1, to the last bit.
 */
import type { ApiObject } from '../../shared/client/rest/api-object';
import { groupPods, requestsOf, servingPods, type GroupedPods, type PodValue, type PodValues, type Readiness } from './pods';

/** Why nothing can be said; the message is upstream's. */
export class NoWish extends Error {
  override readonly name = 'NoWish';
}

/** The pods that an autoscaler speaks of, and how it looks at them. */
export interface PodSight {
  readonly pods: readonly ApiObject[];
  /** Pods that the target is to have. */
  readonly replicas: number;
  /** Share by which usage may differ from what is wanted. */
  readonly tolerance: number;
  readonly readiness: Readiness;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export interface Usage {
  readonly replicas: number;
  /** For each pod that was measured, in thousandths. */
  readonly average: bigint;
  /** Of what pods ask for. */
  readonly percent: number | undefined;
}

const NO_PODS = 'no pods returned by selector while calculating replica count';

/** What pods use of what they ask for. Throws {@link NoWish}. */
export function byUtilization(
  sight: PodSight,
  measured: PodValues,
  { resource, container, percent }: { readonly resource: string; readonly container: string | undefined; readonly percent: number },
): Usage {
  const { grouped, values } = countedValues(sight, measured, resource);
  const asked = requestsOf(sight.pods, resource, container);
  if (asked.type === 'none') throw new NoWish(`missing request for ${resource} in container ${asked.container} of Pod ${asked.pod}`);
  const requests = asked.byPod;
  const ratioOf = (of: PodValues): Ratio => utilizationRatio(of, requests, percent);
  // Fewer are wanted only if those of which nothing is known may use all that they ask for.
  const most = BigInt(Math.max(100, percent));
  const assumed = (pod: string): bigint => ((requests.get(pod) ?? 0n) * most) / 100n;
  const { ratio, average, used } = ratioOf(values);
  return { replicas: replicasFor(sight, { grouped, values, ratio, ratioOf: (of) => ratioOf(of).ratio, assumed }), average, percent: used };
}

/** What was measured of each pod. Throws {@link NoWish}. */
export function byAverage(sight: PodSight, measured: PodValues, resource: string | undefined, wanted: bigint): Usage {
  const { grouped, values } = countedValues(sight, measured, resource);
  const ratioOf = (of: PodValues): number => Number(averageOf(of)) / Number(wanted);
  const counted = { grouped, values, ratio: ratioOf(values), ratioOf, assumed: () => wanted };
  return { replicas: replicasFor(sight, counted), average: averageOf(values), percent: undefined };
}

/** One amount for all pods together, to be as large as wanted. Throws {@link NoWish}. */
export function byValue(sight: PodSight, amount: bigint, wanted: bigint): number {
  const ratio = Number(amount) / Number(wanted);
  if (sight.replicas === 0) return Math.ceil(ratio);
  if (isTolerated(sight, ratio)) return sight.replicas;
  if (sight.pods.length === 0) throw new NoWish(`unable to calculate ready pods: ${NO_PODS}`);
  return Math.ceil(ratio * servingPods(sight.pods));
}

/** One amount that pods share, each as much as wanted. */
export function byShare({ tolerance }: Pick<PodSight, 'tolerance'>, present: number, amount: bigint, wanted: bigint): number {
  const ratio = Number(amount) / (Number(wanted) * present);
  return Math.abs(1 - ratio) > tolerance ? Math.ceil(Number(amount) / Number(wanted)) : present;
}

/** Without those that are not to count. */
function countedValues(
  { pods, now, readiness }: PodSight,
  measured: PodValues,
  resource: string | undefined,
): { readonly grouped: GroupedPods; readonly values: PodValues } {
  if (pods.length === 0) throw new NoWish(NO_PODS);
  const grouped = groupPods(pods, measured, { isCpu: resource === 'cpu', now, readiness });
  const values = new Map(measured);
  for (const name of [...grouped.ignored, ...grouped.unready]) values.delete(name);
  if (values.size === 0) throw new NoWish('did not receive metrics for targeted pods (pods might be unready)');
  return { grouped, values };
}

interface Ratio {
  readonly ratio: number;
  readonly average: bigint;
  readonly used: number;
}

function utilizationRatio(values: PodValues, requests: ReadonlyMap<string, bigint>, wanted: number): Ratio {
  let [used, asked, count] = [0n, 0n, 0n];
  for (const [name, { milli }] of values) {
    const request = requests.get(name);
    if (request === undefined) continue;
    used += milli;
    asked += request;
    count += 1n;
  }
  if (asked === 0n || count === 0n) throw new NoWish('no metrics returned matched known pods');
  const percent = Number((used * 100n) / asked);
  return { ratio: percent / wanted, average: used / count, used: percent };
}

function averageOf(values: PodValues): bigint {
  let sum = 0n;
  for (const { milli } of values.values()) sum += milli;
  return sum / BigInt(values.size);
}

interface Counted {
  readonly grouped: GroupedPods;
  readonly values: PodValues;
  /** Of usage to what is wanted. */
  readonly ratio: number;
  readonly ratioOf: (values: PodValues) => number;
  /** What a pod of which nothing is known counts for when fewer are wanted. */
  readonly assumed: (pod: string) => bigint;
}

function replicasFor(sight: PodSight, { grouped, values, ratio, ratioOf, assumed }: Counted): number {
  const { ready, unready, missing } = grouped;
  const holdsUp = unready.length > 0 && ratio > 1;
  if (!holdsUp && missing.length === 0) return isTolerated(sight, ratio) ? sight.replicas : Math.ceil(ratio * ready);
  const all = new Map(values);
  const count = (names: readonly string[], milliOf: (name: string) => bigint): void => {
    for (const name of names) all.set(name, { ...NOTHING, milli: milliOf(name) });
  };
  if (ratio < 1) count(missing, assumed);
  else if (ratio > 1) count(missing, () => 0n);
  if (holdsUp) count(unready, () => 0n);
  const cautious = ratioOf(all);
  const turnsRound = (ratio < 1 && cautious > 1) || (ratio > 1 && cautious < 1);
  if (isTolerated(sight, cautious) || turnsRound) return sight.replicas;
  const replicas = Math.ceil(cautious * all.size);
  const isAgainst = (cautious < 1 && replicas > sight.replicas) || (cautious > 1 && replicas < sight.replicas);
  return isAgainst ? sight.replicas : replicas;
}

const NOTHING: PodValue = { milli: 0n, at: 0, windowMs: 0 };

const isTolerated = ({ tolerance }: PodSight, ratio: number): boolean => Math.abs(1 - ratio) <= tolerance;
