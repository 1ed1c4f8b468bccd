/** Random numbers that a seed repeats (mulberry32). */
export interface SeededRandom {
  /** At least 0, below 1. */
  float(): number;
  /** At least 0. */
  integerBelow(limit: number): number;
  /** True in this share of the calls, from 0 to 1. */
  withProbability(share: number): boolean;
  /** Throws when there are no items. */
  pick<T>(items: readonly T[]): T;
}

/** Equal seeds give equal sequences, in every release of Node. */
export function createSeededRandom(seed: number): SeededRandom {
  let state = seed;
  // The constants and shifts are those of the algorithm.
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const integerBelow = (limit: number): number => Math.floor(next() * limit);
  return {
    float: next,
    integerBelow,
    withProbability: (share) => next() < share,
    pick(items) {
      const item = items[integerBelow(items.length)];
      if (item === undefined) throw new Error('nothing to pick from');
      return item;
    },
  };
}
