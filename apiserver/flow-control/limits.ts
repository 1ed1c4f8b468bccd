/**
 * Computes the seats of priority levels as in Kubernetes enhancement proposal 1040: nominal, minimum and maximum
 * limits from the shares, and the current limits that lend unused seats to levels with more demand. Pure functions.
 */

/** The members of a PriorityLevelConfiguration from which the seats of its level are computed. */
export interface LevelShares {
  readonly name: string;
  /** `nominalConcurrencyShares`: the weight of the level in the division of the seats of the server. */
  readonly shares: number;
  /** Percentage of the nominal seats that other levels may use while this level does not need them. */
  readonly lendablePercent: number;
  /** Limit for seats borrowed from other levels, as a percentage of the nominal seats; `undefined` for no limit. */
  readonly borrowingLimitPercent: number | undefined;
}

/** The configured bounds of a level, in seats. Lending and borrowing move its current limit between `lower` and `upper`. */
export interface LevelLimits {
  readonly nominal: number;
  readonly lower: number;
  readonly upper: number;
}

/** Divides the seats of the server by the shares of the levels. Returns the limits in the order of the levels. */
export function computeLimits(levels: readonly LevelShares[], seats: number): readonly LevelLimits[] {
  const sum = levels.reduce((total, { shares }) => total + shares, 0);
  return levels.map(({ shares, lendablePercent, borrowingLimitPercent }) => {
    const nominal = sum === 0 ? 0 : Math.ceil((seats * shares) / sum);
    const lower = nominal - Math.round((nominal * lendablePercent) / 100);
    return {
      nominal,
      lower,
      upper: nominal + (borrowingLimitPercent === undefined ? seats : Math.round((nominal * borrowingLimitPercent) / 100)),
    };
  });
}

/** Demand for seats in one period, in seats. */
export interface Demand {
  readonly highest: number;
  readonly average: number;
  readonly deviation: number;
  /** Decreases slowly after a high demand. */
  readonly smoothed: number;
}

/** The demand of a level before the end of its first period. */
export const NO_DEMAND: Demand = { highest: 0, average: 0, deviation: 0, smoothed: 0 };

/**
 * Weight of the previous smoothed demand in each period, as upstream's. With periods of ten seconds, a demand that ended
 * is halved after about five minutes.
 */
const INERTIA = 0.977;

/** Returns the smoothed demand after a period: follows an increase at once and a decrease slowly. */
export function smoothDemand(previous: number, { average, deviation }: Pick<Demand, 'average' | 'deviation'>): number {
  const envelope = average + deviation;
  return Math.max(envelope, INERTIA * previous + (1 - INERTIA) * envelope);
}

/** The result of one periodic allocation. */
export interface SeatAllocation {
  /** The factor by which each level's target is multiplied, before its limits apply. */
  readonly fairFraction: number;
  /** The limit of each level until the next allocation, in the order of the levels. */
  readonly current: readonly number[];
  /** The seats that each level needs, in the order of the levels. */
  readonly targets: readonly number[];
}

/**
 * Allocates the seats in proportion to the targets. A level gets no more than its upper limit. Its minimum are the seats
 * that it needed in the last period, up to the nominal ones, and at least its lower limit. Fewer seats are allocated when
 * all levels have reached their maximum, and more when the minimums together exceed the seats.
 */
export function allocateSeats(levels: readonly { readonly limits: LevelLimits; readonly demand: Demand }[], seats: number): SeatAllocation {
  const minimums = levels.map(({ limits, demand }) => Math.max(limits.lower, Math.min(limits.nominal, demand.highest)));
  const targets = levels.map(({ demand }, index) => Math.max(minimums[index] ?? 0, demand.smoothed));
  const allocationAt = (fraction: number): readonly number[] =>
    levels.map(({ limits }, index) => Math.max(minimums[index] ?? 0, Math.min(limits.upper, fraction * (targets[index] ?? 0))));
  const totalAt = (fraction: number): number => allocationAt(fraction).reduce((sum, allocated) => sum + allocated, 0);
  const fairFraction = findFairFraction(totalAt, seats);
  return { fairFraction, targets, current: allocationAt(fairFraction).map(Math.round) };
}

/** Each step halves the interval; after 50, it is about as small as the precision of a number. */
const BISECTION_STEPS = 50;

/**
 * Finds the fraction at which all seats are allocated, by bisection: `totalAt` does not decrease. Returns 0 when the
 * minimums need all seats. When no fraction suffices, because every level with a target is at its maximum, returns some
 * fraction above `seats`.
 */
function findFairFraction(totalAt: (fraction: number) => number, seats: number): number {
  if (totalAt(0) >= seats) return 0;
  let low = 0;
  let high = 1;
  while (totalAt(high) < seats) {
    if (high > seats) return high;
    high *= 2;
  }
  for (let step = 0; step < BISECTION_STEPS; step += 1) {
    const middle = (low + high) / 2;
    if (totalAt(middle) < seats) low = middle;
    else high = middle;
  }
  return high;
}
