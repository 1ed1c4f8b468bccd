/** Chance that a seed repeats, and makers of random JSON values from it. Knows no kinds. */

import { isBody, type Body, type Json } from './reference';

/** Makes a value, a new one on every call. */
export type Maker = (dice: Dice) => Json;

export class Dice {
  constructor(private state: number) {}

  /** mulberry32. */
  private next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  often(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  }

  some<T>(items: readonly T[]): T[] {
    return items.filter(() => this.often(0.5));
  }

  shuffled<T>(items: readonly T[]): T[] {
    return items
      .map((item) => ({ item, at: this.next() }))
      .sort((a, b) => a.at - b.at)
      .map(({ item }) => item);
  }
}

/** One of the values. */
export const one =
  (...values: readonly Json[]): Maker =>
  (dice) =>
    structuredClone(dice.pick(values));

/** Some of the values, in any order. */
export const some =
  (...values: readonly Json[]): Maker =>
  (dice) =>
    structuredClone(dice.shuffled(dice.some(values)));

/** Some of the names with a value each. */
export const map =
  (names: readonly string[], value: Maker): Maker =>
  (dice) =>
    Object.fromEntries(dice.some(names).map((name) => [name, value(dice)]));

/** An object with `always` and some of `maybe`. */
export const object =
  (always: Readonly<Record<string, Maker>>, maybe: Readonly<Record<string, Maker>> = {}): Maker =>
  (dice) => {
    const made: Body = {};
    for (const [name, maker] of Object.entries(always)) made[name] = maker(dice);
    for (const [name, maker] of Object.entries(maybe)) if (dice.often(0.45)) made[name] = maker(dice);
    return made;
  };

/** Items of which no two have the same keys: each of `keys` is given to some item, the rest comes from `item`. */
export const items =
  (keys: readonly Body[], item: Maker): Maker =>
  (dice) =>
    dice.shuffled(dice.some(keys)).map((key) => {
      const rest = item(dice);
      return { ...structuredClone(key), ...(isBody(rest) ? rest : {}) };
    });

/** The same, but never an empty list. */
export const nonEmpty =
  (maker: Maker): Maker =>
  (dice) => {
    for (;;) {
      const made = maker(dice);
      if (!Array.isArray(made) || made.length > 0) return made;
    }
  };
