/**
 * Pacing of long loops: one thread serves everyone, so a loop over many entries gives way every few milliseconds, and no
 * request waits longer for its turn than one such slice of each loop that is under way.
 */
import type { Clock } from '../../shared/runtime/clock';

/** Longest uninterrupted run of a loop, in milliseconds. */
const SLICE_MS = 5;
/** Steps between two looks at the clock, unless steps are long. */
const STRIDE = 16;

/** Resolves after other work that is ready has had its turn. */
export type Yield = () => Promise<void>;

export const yieldToOthers: Yield = () => new Promise((resolve) => setImmediate(resolve));

export class Pace {
  private steps = 0;
  private due = false;
  private since: number;

  constructor(
    private readonly clock: Clock,
    private readonly yieldNow: Yield,
    private readonly stride = STRIDE,
  ) {
    this.since = clock.monotonic();
  }

  /** To be asked once per step: true when it is time to `rest`, and until then. */
  tired(): boolean {
    this.steps += 1;
    if (this.steps % this.stride === 0) this.due ||= this.clock.monotonic() - this.since >= SLICE_MS;
    return this.due;
  }

  async rest(): Promise<void> {
    await this.yieldNow();
    this.due = false;
    this.since = this.clock.monotonic();
  }
}
