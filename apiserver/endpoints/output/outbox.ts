/**
 * Sends the frames of watches: those of one turn of the event loop together at its end. When that took long because many clients watch the same, the next sending waits as
 * long as the last one took, so that at least half of the time is left for requests; frames written meanwhile leave with it. It so limits its share of the time, which a
 * `TimeSlice` does not. Never holds a frame back behind a response on the same connection.
 */
import type { Clock } from '../../../shared/runtime/clock';
import { bare, Joiner } from './frame';
import { binaryFrame, textFrame } from './web-socket-frame';

/** Longest rest between two sendings. */
const MAX_REST_MS = 20;
/** Longest uninterrupted sending, in milliseconds, and watches between two looks at the clock. */
const SLICE_MS = 4;
const WATCHES_PER_CHECK = 8;
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
  readonly texts = new Joiner((chunk) => textFrame(bare(chunk)));
  readonly binaries = new Joiner((chunk) => binaryFrame(bare(chunk)));
  private senders: Sender[] = [];
  /** Clock.monotonic before which nothing more is sent. */
  private restsUntil = 0;

  constructor(private readonly clock: Clock) {}

  /** Clock.monotonic. */
  now(): number {
    return this.clock.monotonic();
  }

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
    let endedAt = startedAt;
    let sent = 0;
    while (sent < senders.length && endedAt - startedAt < SLICE_MS) {
      const end = Math.min(sent + WATCHES_PER_CHECK, senders.length);
      for (; sent < end; sent += 1) senders[sent]?.flush();
      endedAt = clock.monotonic();
    }
    this.senders = sent === senders.length ? [] : senders.slice(sent);
    if (this.senders.length === 0) {
      this.chunks.forget();
      this.bare.forget();
      this.texts.forget();
      this.binaries.forget();
    }
    this.restsUntil = endedAt + Math.min(endedAt - startedAt, MAX_REST_MS);
    if (this.senders.length > 0) this.schedule();
  }
}
