/**
 * HTTP/2 connections, and which of them are given up: those whose first request does not come, those that have had no stream for a while, whatever else
 * they send, and those that take no byte for a while. A head that comes byte by byte opens no stream, and neither do pings, so neither keeps a connection.
 * Also ends single streams whose answers are not read. Never looks at a request.
 */
import type { Clock, Timer } from '../../shared/runtime/clock';
import { isWatch, MAX_WAITING_BYTES, mayStayUnread, piecesWritten } from '../endpoints/output/write-progress';
import { Stalls, type Unread, type UnreadOutput } from './stalls';

/** Patience with slow clients, in milliseconds. */
export interface ConnectionLimits {
  /** For a request's head, and for the first request of an HTTP/2 connection. */
  readonly headersMs: number;
  /** For the next request. */
  readonly idleMs: number;
  /** How often connections are looked at. */
  readonly checkMs: number;
  /** For a client to read something of what waits for it; 0 = any time. */
  readonly unreadMs: number;
}

/** What is needed of an HTTP/2 session. */
export interface Session {
  readonly state: {
    /** Frames that wait to be written, other than data that wait for a window. */
    readonly outboundQueueSize?: number | undefined;
  };
  on(event: 'stream', listener: (stream: SessionStream) => void): unknown;
  on(event: 'error', listener: () => void): unknown;
  once(event: 'close', listener: () => void): unknown;
  /** In order: streams that are open go on. */
  close(): void;
  destroy(): void;
}

export interface SessionStream extends UnreadOutput {
  once(event: 'close', listener: () => void): unknown;
  close(code: number): void;
}

/** The socket below a session. */
export interface SessionSocket {
  readonly bytesWritten: number;
  destroy(): unknown;
}

interface Tracked {
  readonly socket: SessionSocket;
  /** Those that are open. */
  readonly streams: Set<SessionStream>;
  /** Clock.monotonic at which it is given up if there are no streams. */
  until: number;
  /** How far giving it up has come: the client was told to go, the session was destroyed. */
  stage: 'open' | 'told' | 'destroyed';
}

export class Sessions {
  private readonly tracked = new Map<Session, Tracked>();
  private readonly stalls = new Stalls();
  private timer: Timer | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly limits: ConnectionLimits,
    /** Called for each answer and each connection that is ended because it was not read. */
    private readonly ended: (unread: Unread) => void = () => undefined,
  ) {}

  add(session: Session, socket: SessionSocket): void {
    const { clock, limits } = this;
    const tracked: Tracked = { socket, streams: new Set(), until: clock.monotonic() + limits.headersMs, stage: 'open' };
    this.tracked.set(session, tracked);
    session.on('stream', (stream) => {
      tracked.streams.add(stream);
      stream.once('close', () => {
        tracked.streams.delete(stream);
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
    for (const [session, tracked] of this.tracked) {
      this.endUnread(session, tracked, now);
      if (tracked.streams.size === 0 && tracked.until <= now) giveUp(session, tracked);
    }
    this.timer = this.tracked.size === 0 ? undefined : this.clock.after(this.limits.checkMs, () => this.check());
  }

  private endUnread(session: Session, { streams, socket }: Tracked, now: number): void {
    const { unreadMs } = this.limits;
    let waiting = 0;
    let longest: SessionStream | undefined;
    for (const stream of streams) {
      const { writableLength } = stream;
      const ms = this.stalls.stalledMs(stream, writableLength > 0, piecesWritten(stream), now);
      if (unreadMs > 0 && ms >= unreadMs && !mayStayUnread(stream)) this.reset(stream);
      waiting += writableLength;
      if (writableLength > (longest?.writableLength ?? 0)) longest = stream;
    }
    if (waiting > MAX_WAITING_BYTES && longest !== undefined) this.reset(longest);
    const isWaiting = (session.state.outboundQueueSize ?? 0) > 0;
    if (unreadMs === 0 || this.stalls.stalledMs(session, isWaiting, socket.bytesWritten, now) < unreadMs) return;
    this.ended('connection');
    socket.destroy();
  }

  private reset(stream: SessionStream): void {
    if (stream.destroyed) return;
    this.ended(isWatch(stream) ? 'watch' : 'response');
    stream.close(RESET_CODE);
  }
}

/** NGHTTP2_CANCEL. */
const RESET_CODE = 8;

/**
 * In order at first, so that a client that is merely idle knows that nothing of it was lost; the next time for good, and at last without waiting for what Node has still to
 * write.
 */
function giveUp(session: Session, tracked: Tracked): void {
  switch (tracked.stage) {
    case 'open':
      session.close();
      tracked.stage = 'told';
      return;
    case 'told':
      session.destroy();
      tracked.stage = 'destroyed';
      return;
    case 'destroyed':
      tracked.socket.destroy();
  }
}
