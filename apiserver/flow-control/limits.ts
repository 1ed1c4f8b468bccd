/**
 * How many seats each priority level has: its share of all of them, what it always keeps, what it may have at most, and, every few seconds anew, what it has now that
 * some need more than their share and others less. As in upstream's enhancement 1040. Pure.
 */
export interface LevelShares {
  readonly name: string;
  readonly shares: number;
  /** Of its nominal seats, what others may use while it does not need them. Percent. */
  readonly lendable: number;
  /** What it may use of others, in percent of its nominal seats; undefined = all that there is. */
  readonly borrowing: number | undefined;
}

export interface LevelLimits {
  readonly nominal: number;
  readonly lower: number;
  readonly upper: number;
}

export function limitsOf(levels: readonly LevelShares[], seats: number): readonly LevelLimits[] {
  const sum = levels.reduce((total, { shares }) => total + shares, 0);
  return levels.map(({ shares, lendable, borrowing }) => {
    const nominal = sum === 0 ? 0 : Math.ceil((seats * shares) / sum);
    const lower = nominal - Math.round((nominal * lendable) / 100);
    return { nominal, lower, upper: nominal + (borrowing === undefined ? seats : Math.round((nominal * borrowing) / 100)) };
  });
}

/** What was asked of a level lately, in seats. */
export interface Demand {
  readonly highest: number;
  readonly average: number;
  readonly deviation: number;
  /** Falls slowly after it was high. */
  readonly smoothed: number;
}

export const NO_DEMAND: Demand = { highest: 0, average: 0, deviation: 0, smoothed: 0 };

/** How much of what was asked before still counts, at each look. */
const INERTIA = 0.977;

export function smooth(before: number, { average, deviation }: Pick<Demand, 'average' | 'deviation'>): number {
  const envelope = average + deviation;
  return Math.max(envelope, INERTIA * before + (1 - INERTIA) * envelope);
}

export interface Shared {
  /** By how much more than its target each may have. */
  readonly fairFraction: number;
  /** In the order of the levels. */
  readonly current: readonly number[];
  readonly targets: readonly number[];
}

/** Seats for everyone, in proportion to what is needed, within everyone's limits. */
export function share(levels: readonly { readonly limits: LevelLimits; readonly demand: Demand }[], seats: number): Shared {
  const least = levels.map(({ limits, demand }) => Math.max(limits.lower, Math.min(limits.nominal, demand.highest)));
  const targets = levels.map(({ demand }, index) => Math.max(least[index] ?? 0, demand.smoothed));
  const given = (fraction: number): readonly number[] =>
    levels.map(({ limits }, index) => Math.max(least[index] ?? 0, Math.min(limits.upper, fraction * (targets[index] ?? 0))));
  const total = (fraction: number): number => given(fraction).reduce((sum, one) => sum + one, 0);
  const fairFraction = solve(total, seats);
  return { fairFraction, targets, current: given(fairFraction).map(Math.round) };
}

const STEPS = 50;

/** The fraction at which all seats are given away; what is beyond 1 while nobody may have more is not looked for. */
function solve(total: (fraction: number) => number, seats: number): number {
  if (total(0) >= seats) return 0;
  let [low, high] = [0, 1];
  while (total(high) < seats) {
    if (high > seats) return high;
    high *= 2;
  }
  for (let step = 0; step < STEPS; step += 1) {
    const middle = (low + high) / 2;
    if (total(middle) < seats) low = middle;
    else high = middle;
  }
  return high;
}
