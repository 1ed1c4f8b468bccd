/**
 * Sends the frames of watches: all frames of one turn of the event loop together at its end. When that took long
 * because many clients watch the same objects, it pauses for as long as the last sending took, so that at least half
 * of the time remains for requests. This limits its share of the time, which a `TimeSlice` does not. Frames for a
 * connection are always sent before a later response on it.
 */
import type { Clock } from '../../../shared/runtime/clock';
import { frameOf, FrameJoiner } from './frame';
import { binaryFrame, textFrame } from './web-socket-frame';

/** Maximum pause between two sendings. */
const MAX_PAUSE_MS = 20;
/**
 * Maximum duration of uninterrupted sending in milliseconds, and the number of watches between two readings of the
 * clock.
 */
const SLICE_MS = 4;
const WATCHES_PER_CHECK = 8;
/** The resolution of timers. */
const MIN_PAUSE_MS = 1;

/** Undefined when the output has a connection of its own, or none any more. */
export interface SessionOutput {
  readonly session?: object | undefined;
}

/** An output with waiting frames. */
export interface Sender extends SessionOutput {
  flush(): void;
}

export class Outbox {
  /** For HTTP/1.1 (with chunk framing), HTTP/2 (without it) and WebSockets. */
  readonly chunks = new FrameJoiner((chunk) => chunk);
  readonly frames = new FrameJoiner(frameOf);
  readonly texts = new FrameJoiner((chunk) => textFrame(frameOf(chunk)));
  readonly binaries = new FrameJoiner((chunk) => binaryFrame(frameOf(chunk)));
  private senders: Sender[] = [];
  /** Clock.monotonic until which nothing more is sent. */
  private pausedUntil = 0;

  constructor(private readonly clock: Clock) {}

  /** In the time of Clock.monotonic. */
  now(): number {
    return this.clock.monotonic();
  }

  add(sender: Sender): void {
    if (this.senders.length === 0) this.schedule();
    this.senders.push(sender);
  }

  /**
   * Sends the waiting frames of watches on the connection of a response, which must precede it. False when there are
   * none.
   */
  flushBefore(response: SessionOutput): boolean {
    if (response.session === undefined) return false;
    let sent = false;
    for (const sender of this.senders) {
      if (sender.session !== response.session) continue;
      sender.flush();
      sent = true;
    }
    return sent;
  }

  private schedule(): void {
    const pauseMs = this.pausedUntil - this.clock.monotonic();
    if (pauseMs < MIN_PAUSE_MS) setImmediate(() => this.flush());
    else this.clock.after(pauseMs, () => this.flush());
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
      this.chunks.clear();
      this.frames.clear();
      this.texts.clear();
      this.binaries.clear();
    }
    this.pausedUntil = endedAt + Math.min(endedAt - startedAt, MAX_PAUSE_MS);
    if (this.senders.length > 0) this.schedule();
  }
}
