/** Kills a program at moments that a seed chooses, and starts it again at once, until it is told to leave it alone. Knows neither the program nor what is to come of it. */
import type { Chance } from '../recordings/chance';

export interface Mortal {
  start(): Promise<void>;
  /** Without a chance to tidy up. */
  kill(): Promise<void>;
}

export interface Moments {
  /** A life lasts so long at least and at most. Milliseconds. */
  readonly shortestMs: number;
  readonly longestMs: number;
}

export class KilledAtRandom {
  kills = 0;
  private isOver = false;
  private wake: () => void = () => undefined;
  private readonly ended: Promise<void>;

  constructor(
    private readonly mortal: Mortal,
    private readonly chance: Chance,
    private readonly moments: Moments,
  ) {
    this.ended = this.run();
  }

  /** Resolves when it lives and is not killed any more. */
  async leave(): Promise<void> {
    this.isOver = true;
    this.wake();
    await this.ended;
  }

  private async run(): Promise<void> {
    const { shortestMs, longestMs } = this.moments;
    await this.mortal.start();
    for (;;) {
      const lifeMs = shortestMs + this.chance.float() * (longestMs - shortestMs);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, lifeMs);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
        if (this.isOver) this.wake();
      });
      if (this.isOver) return;
      await this.mortal.kill();
      this.kills += 1;
      await this.mortal.start();
    }
  }
}
