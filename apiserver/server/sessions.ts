/**
 * HTTP/2 connections, and which of them are given up: those whose first request does not come, and those that have had no stream for a while, whatever else
 * they send. A head that comes byte by byte opens no stream, and neither do pings, so neither keeps a connection. Never looks at a request.
 */
import type { Clock, Timer } from '../../shared/runtime/clock';

/** Patience with slow clients, in milliseconds. */
export interface ConnectionLimits {
  /** For a request's head, and for the first request of an HTTP/2 connection. */
  readonly headersMs: number;
  /** For the next request. */
  readonly idleMs: number;
  /** How often connections are looked at. */
  readonly checkMs: number;
}

/** What is needed of an HTTP/2 session. */
export interface Session {
  on(event: 'stream', listener: (stream: SessionStream) => void): unknown;
  on(event: 'error', listener: () => void): unknown;
  once(event: 'close', listener: () => void): unknown;
  /** In order: streams that are open go on. */
  close(): void;
  destroy(): void;
}

export interface SessionStream {
  once(event: 'close', listener: () => void): unknown;
}

interface Tracked {
  /** Open streams. */
  streams: number;
  /** Clock.monotonic at which it is given up if there are no streams. */
  until: number;
  closing: boolean;
}

export class Sessions {
  private readonly tracked = new Map<Session, Tracked>();
  private timer: Timer | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly limits: ConnectionLimits,
  ) {}

  add(session: Session): void {
    const { clock, limits } = this;
    const tracked = { streams: 0, until: clock.monotonic() + limits.headersMs, closing: false };
    this.tracked.set(session, tracked);
    session.on('stream', (stream) => {
      tracked.streams += 1;
      stream.once('close', () => {
        tracked.streams -= 1;
        tracked.until = clock.monotonic() + limits.idleMs;
      });
    });
    session.on('error', () => undefined);
    session.once('close', () => this.tracked.delete(session));
    this.timer ??= clock.after(limits.checkMs, () => this.check());
  }

  /** All are told to go, and end with their last stream. */
  close(): void {
    this.timer?.cancel();
    for (const session of this.tracked.keys()) session.close();
  }

  private check(): void {
    const now = this.clock.monotonic();
    for (const [session, tracked] of this.tracked) if (tracked.streams === 0 && tracked.until <= now) giveUp(session, tracked);
    this.timer = this.tracked.size === 0 ? undefined : this.clock.after(this.limits.checkMs, () => this.check());
  }
}

/** In order at first, so that a client that is merely idle knows that nothing of it was lost; the next time for good. */
function giveUp(session: Session, tracked: Tracked): void {
  if (tracked.closing) session.destroy();
  else session.close();
  tracked.closing = true;
}
