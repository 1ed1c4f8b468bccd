/**
 * Run-time limits of expressions. Cost follows the published rules, so the same expressions are rejected as upstream;
 * work measures what this implementation does, so that a cheap expression cannot run for long.
 */
import type { NameSpellings, WorkContext } from '../values/equality';

/** Aborts the evaluation; no part of an expression can catch it. */
export class CostExceededError extends Error {}

/** Steps of about 50 ns: a few seconds in the worst case. */
const WORK_LIMIT = 50_000_000;

/** The remaining cost and work of several evaluations. */
export class CostBudget {
  work = WORK_LIMIT;

  constructor(
    public cost: number,
    readonly spellings: NameSpellings = 'names',
  ) {}
}

/** The cost and the work of one evaluation. Both throw CostExceededError beyond their limits. */
export class CostMeter implements WorkContext {
  private spentCost = 0;

  constructor(
    private readonly limit: number,
    private readonly budget: CostBudget,
  ) {}

  get spellings(): NameSpellings {
    return this.budget.spellings;
  }

  /** The cost so far. */
  get cost(): number {
    return this.spentCost;
  }

  /** Adds cost, as upstream counts it. */
  charge(cost: number): void {
    this.spentCost += cost;
    if (this.spentCost > this.limit) throw new CostExceededError();
  }

  /** Adds work, which bounds the time of an evaluation independently of its cost. */
  spend(steps: number): void {
    this.budget.work -= steps;
    if (this.budget.work < 0) throw new CostExceededError();
  }
}
