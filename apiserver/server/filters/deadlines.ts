/**
 * Ends requests at their deadline: with 504 when no response has started, otherwise by aborting it. Clients with a
 * slow body receive 408 earlier, because a request occupies in-flight capacity while its body is read. One timer
 * serves all requests, except that a request with an earlier deadline has one of its own.
 */
import { bodyTooSlow } from '../../../shared/api/errors/status';
import { Bag } from '../../../shared/runtime/bag';
import type { Clock } from '../../../shared/runtime/clock';
import type { Exchange } from '../../endpoints/request/exchange';
import type { BodyPace } from '../../endpoints/request/exchange-progress';
import { sendStatus } from '../../endpoints/response/send-response';

/** The body of a 504, as upstream's timeout filter sends it: without kind and apiVersion. */
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

/** A body must arrive within ten seconds, plus a second for every 16 KiB. */
const DEFAULT_PACE: BodyPace = { patienceMs: 10_000, bytesPerSecond: 16 * 1024 };

/** The deadlines of all requests of a server. */
export class Deadlines {
  private readonly watched = new Bag<Exchange>();
  private isTicking = false;

  constructor(
    private readonly clock: Clock,
    private readonly pace = DEFAULT_PACE,
    private readonly tickMs = 1000,
  ) {}

  /** Ends the request at its deadline, or up to `tickMs` later. */
  watch(exchange: Exchange): void {
    const position = this.watched.add(exchange);
    exchange.whenFinished(() => this.watched.remove(position));
    if (!this.isTicking) this.tick();
  }

  /** Like {@link watch}, for a deadline that is earlier than the default: it has a timer of its own and is exact. */
  watchWithTimer(exchange: Exchange): void {
    const timer = this.clock.after(exchange.deadline - this.clock.monotonic(), () => timeOut(exchange));
    exchange.whenFinished(() => timer.cancel());
    this.watch(exchange);
  }

  private tick(): void {
    this.isTicking = true;
    this.clock.after(this.tickMs, () => {
      const now = this.clock.monotonic();
      for (const exchange of this.watched) {
        if (exchange.deadline <= now) timeOut(exchange);
        else if (exchange.progress.isBodyTooSlow(this.pace, now)) rejectSlowBody(exchange);
      }
      if (this.watched.size > 0) this.tick();
      else this.isTicking = false;
    });
  }
}

function rejectSlowBody(exchange: Exchange): void {
  exchange.progress.refuseBody();
  const { status, code } = bodyTooSlow();
  sendStatus(exchange, status, code);
  exchange.progress.abandon();
}

function timeOut(exchange: Exchange): void {
  exchange.progress.terminate();
  if (exchange.hasResponded) {
    exchange.abort();
    return;
  }
  exchange.progress.refuseBody();
  exchange.send(504, { 'Content-Type': 'text/plain; charset=utf-8' }, TIMED_OUT);
  exchange.progress.abandon();
}
