/**
 * When watches' frames leave: those of one turn of the event loop together at its end. When that took long because many watch the same, the next
 * sending waits as long as the last one took: what comes in the meantime leaves with it, and at least half of the process is there for everyone
 * else. Never holds a frame back behind an answer on the same connection.
 */
import type { Clock } from '../../../shared/runtime/clock';
import { bare, Joiner } from './frame';

/** Longest rest between two sendings. */
const MAX_REST_MS = 20;
/** A timer is not finer than this. */
const MIN_REST_MS = 1;

/** What shares an HTTP/2 connection with others; undefined = has a connection of its own, or none any more. */
export interface Sharing {
  readonly session?: object | undefined;
}

/** Somebody who has something to send. */
export interface Sender extends Sharing {
  flush(): void;
}

export class Outbox {
  /** With their framing, and without. */
  readonly chunks = new Joiner((chunk) => chunk);
  readonly bare = new Joiner(bare);
  private senders: Sender[] = [];
  /** Clock.monotonic before which nothing more is sent. */
  private restsUntil = 0;

  constructor(private readonly clock: Clock) {}

  add(sender: Sender): void {
    if (this.senders.length === 0) this.schedule();
    this.senders.push(sender);
  }

  /** Sends what waits for watches on the connection that an answer takes: nothing is said before it. False when nothing waited. */
  flushBefore(answer: Sharing): boolean {
    if (answer.session === undefined) return false;
    let sent = false;
    for (const sender of this.senders) {
      if (sender.session !== answer.session) continue;
      sender.flush();
      sent = true;
    }
    return sent;
  }

  private schedule(): void {
    const rest = this.restsUntil - this.clock.monotonic();
    if (rest < MIN_REST_MS) setImmediate(() => this.flush());
    else this.clock.after(rest, () => this.flush());
  }

  private flush(): void {
    const { senders, clock } = this;
    const startedAt = clock.monotonic();
    this.senders = [];
    for (const sender of senders) sender.flush();
    this.chunks.forget();
    this.bare.forget();
    const endedAt = clock.monotonic();
    this.restsUntil = endedAt + Math.min(endedAt - startedAt, MAX_REST_MS);
  }
}
