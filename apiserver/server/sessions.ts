/**
 * Ends HTTP/2 connections that send no first request in time, have had no open stream for `idleMs`, or read no byte for `unreadMs`. An incomplete head and a ping
 * open no stream, so neither keeps a connection open. Also resets single streams whose responses are not read. Inspects no request.
 */
import type { Clock, Timer } from '../../shared/runtime/clock';
import { isWatch, MAX_WAITING_BYTES, mayStayUnread, piecesWritten } from '../endpoints/output/write-progress';
import { Stalls, type Unread, type UnreadOutput } from './stalls';

/** Time limits for slow clients, in milliseconds. */
export interface ConnectionLimits {
  /** For a request's head, and for the first request of an HTTP/2 connection. */
  readonly headersMs: number;
  /** For the next request. */
  readonly idleMs: number;
  /** The interval between two checks of all connections. */
  readonly checkMs: number;
  /** For a client to read some of the bytes that wait for it; 0 disables the limit. */
  readonly unreadMs: number;
}

/** The members of an HTTP/2 session that are used here. */
export interface Session {
  readonly state: {
    /** Frames that wait to be written, except DATA frames that wait for a window. */
    readonly outboundQueueSize?: number | undefined;
  };
  on(event: 'stream', listener: (stream: SessionStream) => void): unknown;
  on(event: 'error', listener: () => void): unknown;
  once(event: 'close', listener: () => void): unknown;
  /** Closes gracefully: open streams continue. */
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
  /** The open streams. */
  readonly streams: Set<SessionStream>;
  /** Clock.monotonic at which a connection without streams is closed. */
  until: number;
  /** `closing`: the client has received GOAWAY. */
  stage: 'open' | 'closing' | 'destroyed';
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
      tracked.stage = 'closing';
      return;
    case 'closing':
      session.destroy();
      tracked.stage = 'destroyed';
      return;
    case 'destroyed':
      tracked.socket.destroy();
  }
}
