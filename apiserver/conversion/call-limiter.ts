/** Whose turn it is to ask the webhook of one definition: so many calls are under way, so many wait in their order, the others are refused. */
import { tooManyRequests } from '../../shared/api/errors/status';

const MOST_CALLS = 16;
const MOST_WAITING = 1_000;

export class Places {
  private calls = 0;
  private readonly waiting: (() => void)[] = [];

  get isEmpty(): boolean {
    return this.calls === 0;
  }

  /** Rejects with a StatusError where too many wait. */
  async run<T>(call: () => Promise<T>): Promise<T> {
    if (this.calls >= MOST_CALLS) {
      if (this.waiting.length >= MOST_WAITING) throw tooManyRequests('too many objects are waiting to be converted', 1);
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    } else this.calls += 1;
    try {
      return await call();
    } finally {
      // The place is handed on.
      const next = this.waiting.shift();
      if (next === undefined) this.calls -= 1;
      else next();
    }
  }
}
