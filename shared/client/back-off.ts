/**
 * Exponential back-off with jitter, so that many clients do not retry at the same moment. Computes delays only; waiting
 * and giving up are left to the callers.
 */
import type { Random } from '../runtime/random';

/** How the delays grow. */
export interface BackOffOptions {
  /** The delay after the first failure. Milliseconds. */
  readonly initialMs: number;
  /** The delay does not grow beyond this; jitter is added to it. Milliseconds. */
  readonly maxMs: number;
  /** Multiplier after each failure; 2 by default. */
  readonly factor?: number;
  /** Each delay is extended by up to this fraction of itself; 0.5 by default. */
  readonly jitter?: number;
}

/** The delays of one sequence of attempts. Call {@link BackOff.reset} after a success. */
export class BackOff {
  private failures = 0;

  constructor(
    private readonly random: Random,
    private readonly options: BackOffOptions,
  ) {}

  /** The delay before the next attempt, in milliseconds. */
  next(): number {
    const { initialMs, maxMs, factor = 2, jitter = 0.5 } = this.options;
    const delay = Math.min(initialMs * factor ** this.failures, maxMs);
    this.failures += 1;
    return delay * (1 + this.random.float() * jitter);
  }

  /** The next delay is again the initial one. */
  reset(): void {
    this.failures = 0;
  }
}
