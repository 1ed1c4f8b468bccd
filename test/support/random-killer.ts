/** Kills a program at moments that a seed chooses, and starts it again at once, until it is told to leave it alone. Knows neither the program nor what is to come of it. */
import { systemClock as clock } from '../../shared/runtime/clock';
import type { SeededRandom } from '../replay/seeded-random';

export interface KillableProgram {
  start(): Promise<void>;
  /** Without a chance to tidy up. */
  kill(): Promise<void>;
}

export interface LifetimeRange {
  /** A life lasts so long at least and at most. Milliseconds. */
  readonly shortestMs: number;
  readonly longestMs: number;
  /** The longest life lasts so many starts of the program at least: where a start takes long, all that it does afterwards takes long as well. */
  readonly longestInStarts?: number;
}

export class RandomKiller {
  kills = 0;
  private isStopped = false;
  private wake: () => void = () => undefined;
  private readonly ended: Promise<void>;

  constructor(
    private readonly program: KillableProgram,
    private readonly chance: SeededRandom,
    private readonly lifetimes: LifetimeRange,
  ) {
    this.ended = this.run();
  }

  /** Resolves when it lives and is not killed any more. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.wake();
    await this.ended;
  }

  private async run(): Promise<void> {
    const { shortestMs, longestInStarts = 0 } = this.lifetimes;
    for (;;) {
      const startedAt = clock.monotonic();
      await this.program.start();
      const longestMs = Math.max(this.lifetimes.longestMs, longestInStarts * (clock.monotonic() - startedAt));
      const lifeMs = shortestMs + this.chance.float() * (longestMs - shortestMs);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, lifeMs);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
        if (this.isStopped) this.wake();
      });
      if (this.isStopped) return;
      await this.program.kill();
      this.kills += 1;
    }
  }
}
