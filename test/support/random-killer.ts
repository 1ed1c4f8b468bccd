/**
 * Kills a program after random lifetimes that a seed determines, and starts it again at once, until {@link RandomKiller.stop}
 * is called. Starts with the construction.
 */
import { systemClock as clock } from '../../shared/runtime/clock';
import type { SeededRandom } from '../replay/seeded-random';

export interface KillableProgram {
  /** Resolves when the program runs; its lifetime begins then. */
  start(): Promise<void>;
  /** Kills the program without a random to clean up. */
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
  /** The number of kills so far. */
  kills = 0;
  private readonly stopping = new AbortController();
  private readonly ended: Promise<void>;

  constructor(
    private readonly program: KillableProgram,
    private readonly random: SeededRandom,
    private readonly lifetimes: LifetimeRange,
  ) {
    this.ended = this.run();
  }

  /** Resolves when the program runs and will not be killed any more. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.ended;
  }

  private async run(): Promise<void> {
    const { shortestMs, longestInStarts = 0 } = this.lifetimes;
    for (;;) {
      const startTime = clock.monotonic();
      await this.program.start();
      const startMs = clock.monotonic() - startTime;
      const longestMs = Math.max(this.lifetimes.longestMs, longestInStarts * startMs);
      const lifeMs = shortestMs + this.random.float() * (longestMs - shortestMs);
      await clock.sleep(lifeMs, this.stopping.signal);
      if (this.stopping.signal.aborted) return;
      await this.program.kill();
      this.kills += 1;
    }
  }
}
