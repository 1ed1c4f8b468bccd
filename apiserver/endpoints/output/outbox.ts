/**
 * Sends the waiting frames of all watches together, once per turn of the event loop:
 * - A sending ends at its time limit. The next one starts after a pause and also serves the watches that are left.
 * - The pause is as long as the last sending took, so that requests keep about half of the time. While requests wait for
 *   their turn it is four times as long, but never longer than MAX_PAUSE_MS.
 * - A sending alternates between the watches that have waited longest and those that were added last. An event for
 *   thousands of watches therefore delays a later event for a few watches by one or two sendings only.
 * - On a connection, the frames that wait before a response is sent precede it.
 */
import type { Clock } from '../../../shared/runtime/clock';
import { Deque } from '../../../shared/runtime/deque';
import { frameOf, FrameJoiner } from './frame';
import { binaryFrame, textFrame } from './web-socket-frame';

/** Maximum pause between two sendings. */
const MAX_PAUSE_MS = 20;
/** Ratio of a pause to the duration of the sending before it: usually, and while requests wait for their turn. */
const PAUSE_RATIO = { usual: 1, busy: 4 } as const;
/** Time limit of one sending. */
const SENDING_MS = 4;
/** Number of watches that are served from one end of the queue before the clock is read and the other end is served. */
const WATCHES_PER_CHECK = 8;
/**
 * Bounds of the number of watches in one sending. The minimum guarantees progress when other work of the turn makes the
 * measured time long.
 */
const MIN_WATCHES = 4 * WATCHES_PER_CHECK;
const MAX_WATCHES = 1024;
/** A shorter pause is left out: timers have a resolution of a millisecond. */
const MIN_PAUSE_MS = 1;

/** An output over a connection that it may share with others. */
export interface SessionOutput {
  /** The HTTP/2 session; undefined when the output has a connection of its own, or none any more. */
  readonly session?: object | undefined;
}

/** An output with waiting frames. */
export interface Sender extends SessionOutput {
  /** Sends the waiting frames. No effect when none wait: a sender that `flushBefore` flushed is flushed again. */
  flush(): void;
}

/** The watches of a process that have frames to send. */
export class Outbox {
  /** Joiners for HTTP/1.1 (with chunk framing), HTTP/2 (without it) and WebSockets (text and binary messages). */
  readonly chunks = new FrameJoiner((chunk) => chunk);
  readonly frames = new FrameJoiner(frameOf);
  readonly texts = new FrameJoiner((chunk) => textFrame(frameOf(chunk)));
  readonly binaries = new FrameJoiner((chunk) => binaryFrame(frameOf(chunk)));
  /** The longest waiting first. */
  private readonly senders = new Deque<Sender>();
  /** Whether a sending is due or being measured. */
  private isScheduled = false;
  /** The number of watches that were last sent to within {@link SENDING_MS}. */
  private watchesPerSending = MIN_WATCHES;
  /** Clock.monotonic until which nothing more is sent. */
  private pausedUntil = 0;

  /** `hasWaitingRequests`: whether requests wait for a turn of the event loop. */
  constructor(
    private readonly clock: Clock,
    private readonly hasWaitingRequests: () => boolean = () => false,
  ) {}

  /** The current time of Clock.monotonic, in milliseconds. */
  now(): number {
    return this.clock.monotonic();
  }

  /** Flushes `sender` once, at the end of this turn or later. */
  add(sender: Sender): void {
    this.senders.push(sender);
    this.schedule();
  }

  /**
   * Sends the waiting frames of watches on the connection of a response, which must precede it. False when there are
   * none.
   */
  flushBefore(response: SessionOutput): boolean {
    if (response.session === undefined) return false;
    let sent = false;
    for (let position = 0; position < this.senders.size; position += 1) {
      const sender = this.senders.at(position);
      if (sender?.session !== response.session) continue;
      sender.flush();
      sent = true;
    }
    return sent;
  }

  /** Schedules the next sending: at the end of this turn, or after the pause. */
  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    const pauseMs = this.pausedUntil - this.clock.monotonic();
    if (pauseMs < MIN_PAUSE_MS) setImmediate(() => this.flush());
    else this.clock.after(pauseMs, () => this.flush());
  }

  /**
   * Sends to as many watches as the limits allow, and schedules the next sending when some are left. Node encrypts and
   * writes what HTTP/2 streams were given in the next turn of the event loop, for all connections together; the sending
   * is therefore measured until then, and the number of watches of the next one follows from the measurement.
   */
  private flush(): void {
    const { senders, clock } = this;
    const startedAt = clock.monotonic();
    const limit = Math.min(this.watchesPerSending, senders.size);
    let sent = 0;
    for (let servesOldest = true; sent < limit; servesOldest = !servesOldest) {
      const end = Math.min(sent + WATCHES_PER_CHECK, limit);
      for (; sent < end; sent += 1) {
        const sender = servesOldest ? senders.shift() : senders.pop();
        sender?.flush();
      }
      if (clock.monotonic() - startedAt >= SENDING_MS) break;
    }
    if (senders.size === 0) this.clearJoined();
    // Few frames take little time to encrypt, so the next sending does not wait until that is measured.
    if (sent <= WATCHES_PER_CHECK) this.complete(clock.monotonic() - startedAt);
    else
      setImmediate(() => {
        const tookMs = clock.monotonic() - startedAt;
        this.watchesPerSending = nextWatchesPerSending(this.watchesPerSending, sent, tookMs);
        this.complete(tookMs);
      });
  }

  /** Starts the pause after a sending, and schedules the next one when watches are left. */
  private complete(tookMs: number): void {
    this.isScheduled = false;
    const ratio = this.hasWaitingRequests() ? PAUSE_RATIO.busy : PAUSE_RATIO.usual;
    this.pausedUntil = this.clock.monotonic() + Math.min(tookMs * ratio, MAX_PAUSE_MS);
    if (this.senders.size > 0) this.schedule();
  }

  private clearJoined(): void {
    this.chunks.clear();
    this.frames.clear();
    this.texts.clear();
    this.binaries.clear();
  }
}

/**
 * The number of watches for which a sending takes {@link SENDING_MS}, given that `sent` watches took `tookMs`. Grows at most
 * twofold, because the turn may have had no other work.
 */
function nextWatchesPerSending(current: number, sent: number, tookMs: number): number {
  const size = Math.min(Math.max(current, 2 * sent), Math.floor((sent * SENDING_MS) / tookMs));
  return Math.min(Math.max(size, MIN_WATCHES), MAX_WATCHES);
}
