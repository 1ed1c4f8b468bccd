/** Counts the requests that a server on its way down waits for. */
import type { Exchange } from '../../endpoints/request/exchange';

export class Ongoing {
  private count = 0;
  private emptied: (() => void)[] = [];

  get size(): number {
    return this.count;
  }

  add(exchange: Exchange): void {
    this.count += 1;
    exchange.whenFinished(() => {
      this.count -= 1;
      if (this.count > 0) return;
      const { emptied } = this;
      this.emptied = [];
      for (const resolve of emptied) resolve();
    });
  }

  /** Resolves when none is left. */
  whenEmpty(): Promise<void> {
    if (this.count === 0) return Promise.resolve();
    return new Promise((resolve) => this.emptied.push(resolve));
  }
}
