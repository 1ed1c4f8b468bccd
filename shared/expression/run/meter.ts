/**
 * Run-time limits of expressions. There are two measures:
 * - Cost follows upstream's published rules, so that the same expressions are too expensive as upstream. Each evaluation
 *   has a limit, and the caller decides what follows when the evaluations of a budget have exceeded it.
 * - Work counts the steps of this implementation, so that an expression of low cost cannot run for long. All evaluations
 *   of a budget share one limit.
 */
import type { NameSpellings, WorkContext } from '../values/equality';

/** The cost or the work is too high. Aborts the evaluation; no part of an expression can catch it. */
export class CostExceededError extends Error {}

/** The work of all evaluations of a budget, in steps. A step takes about 50 ns, so the limit is a few seconds. */
const WORK_LIMIT = 50_000_000;

/** The remaining cost and work of the evaluations that share it, such as those of all rules for one object. */
export class CostBudget {
  remainingWork = WORK_LIMIT;

  constructor(
    /** Negative when the evaluations have exceeded the budget. */
    public remainingCost: number,
    /** Which names the evaluations compare in both spellings. */
    readonly spellings: NameSpellings = 'names',
  ) {}
}

/**
 * Counts the cost and the work of one evaluation. Throws {@link CostExceededError} when its cost exceeds the limit, or
 * when the work exceeds the budget. Work is deducted from the budget at once; the caller deducts {@link CostMeter.cost}
 * after the evaluation, also after a failed one.
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

  /** Adds cost, in upstream's units. */
  charge(cost: number): void {
    this.spentCost += cost;
    if (this.spentCost > this.limit) throw new CostExceededError();
  }

  /** Adds work. */
  spend(steps: number): void {
    this.budget.remainingWork -= steps;
    if (this.budget.remainingWork < 0) throw new CostExceededError();
  }
}
