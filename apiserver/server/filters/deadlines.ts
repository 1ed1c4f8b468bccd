/**
 * Gives up on requests that were not answered in time: 504 when nothing has been sent, else the connection is cut. Clients whose body comes too slowly
 * get 408 before that, since a request holds its place among those that are worked on while its body is read. One timer serves all requests.
 */
import { bodyTooSlow } from '../../../shared/api/errors/status';
import { Bag } from '../../../shared/runtime/bag';
import type { Clock } from '../../../shared/runtime/clock';
import type { Exchange } from '../../endpoints/request/exchange';
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

/** A body has so long, and longer the more of it has come: what stays behind this rate is given up. */
export interface BodyPace {
  readonly patienceMs: number;
  readonly bytesPerSecond: number;
}

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
        else if (this.isTooSlow(exchange, now)) refuse(exchange);
      }
      if (this.waiting.size > 0) this.tick();
      else this.ticking = false;
    });
  }

  /** Its time begins with the first look at it. */
  private isTooSlow({ receiving }: Exchange, now: number): boolean {
    if (receiving === undefined) return false;
    receiving.since ??= now;
    const { patienceMs, bytesPerSecond } = this.pace;
    return now - receiving.since > patienceMs + (receiving.bytes * 1000) / bytesPerSecond;
  }
}

function refuse(exchange: Exchange): void {
  exchange.refuseBody();
  const { status, code } = bodyTooSlow();
  sendStatus(exchange, status, code);
  exchange.abandoned = true;
}

function giveUp(exchange: Exchange): void {
  exchange.terminated = true;
  if (exchange.answered) {
    exchange.abort();
    return;
  }
  exchange.refuseBody();
  exchange.send(504, { 'Content-Type': 'text/plain; charset=utf-8' }, TIMED_OUT);
  exchange.abandoned = true;
}
