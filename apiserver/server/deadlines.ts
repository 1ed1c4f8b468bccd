/**
 * Gives up on requests that were not answered in time: 504 when nothing has been sent, else the connection is cut.
 * One timer serves all requests with the usual limit.
 */
import { Bag } from '../../shared/runtime/bag';
import type { Clock } from '../../shared/runtime/clock';
import type { Exchange } from '../endpoints/request/exchange';

const TIMED_OUT = Buffer.from(
  `${JSON.stringify({
    metadata: {},
    status: 'Failure',
    message: 'Timeout: request did not complete within the allotted timeout',
    reason: 'Timeout',
    details: {},
    code: 504,
  })}\n`,
);

export class Deadlines {
  private readonly waiting = new Bag<Exchange>();
  private ticking = false;

  constructor(
    private readonly clock: Clock,
    private readonly tickMs = 1000,
  ) {}

  /** `own` = the deadline is earlier than the usual one and needs a timer of its own. */
  watch(exchange: Exchange, own: boolean): void {
    if (own) {
      const timer = this.clock.after(exchange.deadline - this.clock.monotonic(), () => giveUp(exchange));
      exchange.whenFinished(() => timer.cancel());
      return;
    }
    const place = this.waiting.add(exchange);
    exchange.whenFinished(() => this.waiting.remove(place));
    if (!this.ticking) this.tick();
  }

  private tick(): void {
    this.ticking = true;
    this.clock.after(this.tickMs, () => {
      const now = this.clock.monotonic();
      for (const exchange of this.waiting) if (exchange.deadline <= now) giveUp(exchange);
      if (this.waiting.size > 0) this.tick();
      else this.ticking = false;
    });
  }
}

function giveUp(exchange: Exchange): void {
  if (exchange.answered) {
    exchange.abort();
    return;
  }
  exchange.closing = true;
  exchange.send(504, { 'Content-Type': 'text/plain; charset=utf-8' }, TIMED_OUT);
  exchange.abandoned = true;
}
