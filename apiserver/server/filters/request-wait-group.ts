/** Counts the requests that graceful shutdown waits for, like upstream's NonLongRunningRequestWaitGroup. Ends none. */
import type { Exchange } from '../../endpoints/request/exchange';

/** The requests that a shutdown waits for. */
export class RequestWaitGroup {
  private count = 0;
  private waiters: (() => void)[] = [];

  /** Number of requests that have not finished. */
  get size(): number {
    return this.count;
  }

  /** Counts the request until it has finished. */
  add(exchange: Exchange): void {
    this.count += 1;
    exchange.whenFinished(() => {
      this.count -= 1;
      if (this.count > 0) return;
      const { waiters } = this;
      this.waiters = [];
      for (const resolve of waiters) resolve();
    });
  }

  /** Resolves when no request is left. */
  whenEmpty(): Promise<void> {
    if (this.count === 0) return Promise.resolve();
    return new Promise((resolve) => this.waiters.push(resolve));
  }
}
