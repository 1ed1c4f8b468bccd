/**
 * Run-time limits of expressions. There are two measures:
 * - Cost follows upstream's published rules, so that the same expressions are too expensive as upstream.
 * - Work counts the steps of this implementation, so that an expression of low cost cannot run for long.
 */
import type { NameSpellings, WorkContext } from '../values/equality';

/** Aborts the evaluation; no part of an expression can catch it. */
export class CostExceededError extends Error {}

/** The work of all evaluations of a budget. A step takes about 50 ns, so the limit is a few seconds. */
const WORK_LIMIT = 50_000_000;

/** The remaining cost and work of several evaluations. */
export class CostBudget {
  work = WORK_LIMIT;

  constructor(
    /** Negative when the evaluations have exceeded the budget. */
    public cost: number,
    readonly spellings: NameSpellings = 'names',
  ) {}
}

/**
 * Counts the cost and the work of one evaluation. Throws CostExceededError when its cost exceeds `limit` or the work
 * exceeds the budget. The caller deducts the cost from the budget afterwards.
 */
export class CostMeter implements WorkContext {
  private spentCost = 0;

  constructor(
    /** Limit of the cost of this evaluation. */
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
