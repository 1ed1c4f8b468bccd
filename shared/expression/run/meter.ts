/**
 * What an expression may cost while it runs. Costs are the published ones, so that the same expressions are refused as upstream refuses; work is what
 * this program really does, so that nothing that costs little takes long.
 */
import type { Spellings, Work } from '../values/equality';

/** Ends the run: no part of an expression can set it aside. */
export class CostExceeded extends Error {}

/** Some 50 ns each: a few seconds at worst. */
const WORK_LIMIT = 50_000_000;

/** What is left for several runs together. */
export class Budget {
  work = WORK_LIMIT;

  constructor(
    public cost: number,
    readonly spellings: Spellings = 'names',
  ) {}
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
  }

  spend(steps: number): void {
    this.budget.work -= steps;
    if (this.budget.work < 0) throw new CostExceeded();
  }
}
