/** Kills a program after random lifetimes that a seed determines, and starts it again at once, until it is stopped. */
import { systemClock as clock } from '../../shared/runtime/clock';
import type { SeededRandom } from '../replay/seeded-random';

export interface KillableProgram {
  start(): Promise<void>;
  /** Kills the program without a chance to clean up. */
  kill(): Promise<void>;
}

export interface LifetimeRange {
  /** Bounds of a lifetime, in milliseconds. */
  readonly shortestMs: number;
  readonly longestMs: number;
  /**
   * Raises `longestMs` to this multiple of the program's start time: where a start is slow, all later work is slow too.
   */
  readonly longestInStarts?: number;
}

export class RandomKiller {
  kills = 0;
  private readonly ending = new AbortController();
  private readonly ended: Promise<void>;

  constructor(
    private readonly program: KillableProgram,
    private readonly chance: SeededRandom,
    private readonly lifetimes: LifetimeRange,
  ) {
    this.ended = this.run();
  }

  /** Resolves when the program runs and will not be killed any more. */
  async stop(): Promise<void> {
    this.ending.abort();
    await this.ended;
  }

  private async run(): Promise<void> {
    const { shortestMs, longestInStarts = 0 } = this.lifetimes;
    for (;;) {
      const startedAt = clock.monotonic();
      await this.program.start();
      const longestMs = Math.max(this.lifetimes.longestMs, longestInStarts * (clock.monotonic() - startedAt));
      const lifeMs = shortestMs + this.chance.float() * (longestMs - shortestMs);
      await clock.sleep(lifeMs, this.ending.signal);
      if (this.ending.signal.aborted) return;
      await this.program.kill();
      this.kills += 1;
    }
  }
}
