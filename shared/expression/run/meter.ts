/**
 * What an expression may cost while it runs. Costs are the published ones, so that the same expressions are refused as upstream refuses; work is what
 * this program really does, so that nothing that costs little takes long.
 */
import { TooLong } from '../../values/steps';
import type { Spellings, Work } from '../values/equality';

/** Ends the run: no part of an expression can set it aside. */
export class CostExceeded extends Error {}

/** Some 50 ns each: a few seconds at worst. */
const WORK_LIMIT = 50_000_000;

/** Of the same, a few milliseconds' worth. */
const HASTY_LIMIT = 100_000;
const STEPS_OF_COST = 4;

/** What is left for several runs together. */
export class Budget {
  work: number;

  /** `isHasty` = what takes more than a few milliseconds is given up with `TooLong`, as if it had not been begun. */
  constructor(
    public cost: number,
    readonly isHasty = false,
    readonly spellings: Spellings = 'names',
  ) {
    this.work = isHasty ? HASTY_LIMIT : WORK_LIMIT;
  }
}

export class Meter implements Work {
  private spentCost = 0;

  constructor(
    private readonly limit: number,
    private readonly budget: Budget,
  ) {}

  get spellings(): Spellings {
    return this.budget.spellings;
  }

  get cost(): number {
    return this.spentCost;
  }

  charge(cost: number): void {
    this.spentCost += cost;
    if (this.spentCost > this.limit) throw new CostExceeded();
    // Where time counts, so does what is only costly: a unit takes as long as some steps do.
    if (this.budget.isHasty) this.spend(cost * STEPS_OF_COST);
  }

  spend(steps: number): void {
    this.budget.work -= steps;
    if (this.budget.work >= 0) return;
    throw this.budget.isHasty ? new TooLong() : new CostExceeded();
  }
}
