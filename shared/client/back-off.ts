/** Growing delays with chance in them, so that many clients do not come back at the same moment. */
import type { Random } from '../runtime/random';

export interface BackOffOptions {
  /** Milliseconds. */
  readonly initialMs: number;
  readonly maxMs: number;
  /** What a delay is multiplied with after each failure; 2 by default. */
  readonly factor?: number;
  /** Each delay is lengthened by up to this share of itself; 0.5 by default. */
  readonly jitter?: number;
}

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

  reset(): void {
    this.failures = 0;
  }
}
