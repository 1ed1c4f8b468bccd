/**
 * Gives up on requests that were not answered in time: 504 when nothing has been sent, else the connection is cut. Clients whose body comes too slowly
 * get 408 before that, since a request holds its place among those that are worked on while its body is read. One timer serves all requests.
 */
import { bodyTooSlow } from '../../../shared/api/errors/status';
import { Bag } from '../../../shared/runtime/bag';
import type { Clock } from '../../../shared/runtime/clock';
import type { Exchange } from '../../endpoints/request/exchange';
import type { BodyPace } from '../../endpoints/request/exchange-progress';
import { sendStatus } from '../../endpoints/answer/respond';

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

const PACE: BodyPace = { patienceMs: 10_000, bytesPerSecond: 16 * 1024 };

export class Deadlines {
  private readonly waiting = new Bag<Exchange>();
  private ticking = false;

  constructor(
    private readonly clock: Clock,
    private readonly pace = PACE,
    private readonly tickMs = 1000,
  ) {}

  /** `own` = the deadline is earlier than the usual one and needs a timer of its own. */
  watch(exchange: Exchange, own: boolean): void {
    if (own) {
      const timer = this.clock.after(exchange.deadline - this.clock.monotonic(), () => giveUp(exchange));
      exchange.whenFinished(() => timer.cancel());
    }
    const place = this.waiting.add(exchange);
    exchange.whenFinished(() => this.waiting.remove(place));
    if (!this.ticking) this.tick();
  }

  private tick(): void {
    this.ticking = true;
    this.clock.after(this.tickMs, () => {
      const now = this.clock.monotonic();
      for (const exchange of this.waiting) {
        if (exchange.deadline <= now) giveUp(exchange);
        else if (exchange.progress.isBodyTooSlow(this.pace, now)) refuse(exchange);
      }
      if (this.waiting.size > 0) this.tick();
      else this.ticking = false;
    });
  }
}

function refuse(exchange: Exchange): void {
  exchange.progress.refuseBody();
  const { status, code } = bodyTooSlow();
  sendStatus(exchange, status, code);
  exchange.progress.abandon();
}

function giveUp(exchange: Exchange): void {
  exchange.progress.terminate();
  if (exchange.answered) {
    exchange.abort();
    return;
  }
  exchange.progress.refuseBody();
  exchange.send(504, { 'Content-Type': 'text/plain; charset=utf-8' }, TIMED_OUT);
  exchange.progress.abandon();
}
