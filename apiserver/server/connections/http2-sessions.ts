/**
 * Ends HTTP/2 connections that send no first request in time, have had no open stream for `idleMs`, or read no byte
 * for `unreadMs`. An incomplete head and a ping open no stream, so neither keeps a connection open. Also resets single
 * streams: those with a response that is not read for `unreadMs`, and the one with the most waiting bytes when more than
 * `MAX_WAITING_BYTES` wait on a connection. Inspects no request.
 */
import type { Clock } from '../../../shared/runtime/clock';
import { MAX_WAITING_BYTES } from '../../endpoints/output/piece-writer';
import { isWatch, mayStayUnread, piecesWritten } from '../../endpoints/output/write-progress';
import { PeriodicCheck } from './periodic-check';
import { StallTracker, type UnreadKind, type UnreadOutput } from './stall-tracker';

/** Time limits for slow clients, in milliseconds. */
export interface ConnectionTimeouts {
  /** Time limit for a request's head, and for the first request of an HTTP/2 connection. */
  readonly headersMs: number;
  /** Time limit for the next request on an idle connection. */
  readonly idleMs: number;
  /** The interval between two checks of all connections. */
  readonly checkMs: number;
  /** Time limit for the client to read some of the pending bytes; 0 disables the limit. */
  readonly unreadMs: number;
}

/** The members of an HTTP/2 session that are used here. */
export interface Session {
  readonly state: {
    /** Frames that wait to be written, except DATA frames that wait for a window. */
    readonly outboundQueueSize?: number | undefined;
  };
  on(event: 'stream', listener: (stream: SessionStream) => void): unknown;
  on(event: 'error' | 'close', listener: () => void): unknown;
  /** Sends GOAWAY. */
  goaway(code: number): void;
  /** Node calls it after a client's GOAWAY, and when the server closes. */
  close: () => void;
  destroy(): void;
  readonly destroyed: boolean;
}

/** The members of an HTTP/2 stream that are used here. */
export interface SessionStream extends UnreadOutput {
  /** Whether a reset was requested or received. */
  readonly closed: boolean;
  on(event: 'close', listener: () => void): unknown;
  close(code: number): void;
}

/** The socket below a session. */
export interface SessionSocket {
  readonly bytesWritten: number;
  destroy(): unknown;
}

interface TrackedSession {
  readonly session: Session;
  readonly socket: SessionSocket;
  /** Node's own close(). */
  readonly closeInNode: () => void;
  /** The open streams. */
  readonly streams: Set<SessionStream>;
  /** Clock.monotonic at which a connection without streams is closed. */
  closeAt: number;
  /** `draining`: GOAWAY is sent, open streams continue, and later ones are refused. */
  stage: 'open' | 'draining' | 'destroyed';
}

/** Error codes of HTTP/2 (RFC 9113, section 7). */
const NO_ERROR = 0;
const CANCEL = 8;

/** The HTTP/2 sessions of one listener. */
export class Http2Sessions {
  private readonly tracked = new Map<object, TrackedSession>();
  private readonly stalls = new StallTracker();
  private readonly checks: PeriodicCheck<TrackedSession>;

  constructor(
    private readonly clock: Clock,
    private readonly timeouts: ConnectionTimeouts,
    /** Called for each response, watch and connection that is ended because its client read nothing. */
    private readonly onEnded: (unread: UnreadKind) => void = () => undefined,
  ) {
    this.checks = new PeriodicCheck(
      clock,
      timeouts.checkMs,
      () => this.tracked.values(),
      (session, now) => this.check(session, now),
    );
  }

  /** Tracks a session until it closes. Called when the session opens, before its first stream. */
  add(session: Session, socket: SessionSocket): void {
    const { clock, timeouts } = this;
    const closeAt = clock.monotonic() + timeouts.headersMs;
    const tracked: TrackedSession = {
      session,
      socket,
      closeInNode: session.close.bind(session),
      streams: new Set(),
      closeAt,
      stage: 'open',
    };
    this.tracked.set(session, tracked);
    // A session that Node closes refuses later streams while it reads their heads. On Node 20 that accesses freed memory
    // and ends the process, so `close` drains the session instead.
    session.close = () => this.drain(tracked);
    session.on('stream', (stream) => {
      tracked.streams.add(stream);
      // Emitted once. `once` would keep 150 bytes more for each open stream.
      stream.on('close', () => {
        tracked.streams.delete(stream);
        tracked.closeAt = clock.monotonic() + timeouts.idleMs;
        this.destroyWhenDrained(tracked);
      });
    });
    session.on('error', () => undefined);
    session.on('close', () => this.tracked.delete(session));
    this.checks.start();
  }

  /** Whether GOAWAY was sent, after which new streams are refused. */
  isDraining(session: object): boolean {
    const tracked = this.tracked.get(session);
    return tracked !== undefined && tracked.stage !== 'open';
  }

  /** Drains all sessions. */
  close(): void {
    this.checks.stop();
    for (const tracked of this.tracked.values()) this.drain(tracked);
  }

  private drain(tracked: TrackedSession): void {
    const { session } = tracked;
    if (tracked.stage !== 'open' || session.destroyed) return;
    tracked.stage = 'draining';
    session.goaway(NO_ERROR);
    this.destroyWhenDrained(tracked);
  }

  /** Deferred, because Node may be reading from the connection. */
  private destroyWhenDrained(tracked: TrackedSession): void {
    const isDrained = (): boolean => tracked.stage === 'draining' && tracked.streams.size === 0;
    if (!isDrained()) return;
    this.clock.after(0, () => {
      if (!isDrained()) return;
      tracked.stage = 'destroyed';
      // The two calls write the pending frames and end the socket. No frame is read between them.
      tracked.closeInNode();
      tracked.session.destroy();
    });
  }

  private check(tracked: TrackedSession, now: number): void {
    this.resetUnread(tracked, now);
    const hasStreams = tracked.streams.size > 0 && !tracked.session.destroyed;
    if (!hasStreams && tracked.closeAt <= now) this.escalate(tracked);
  }

  /**
   * Drains an open session first, so that an idle client knows that no request was lost; destroys the session at the
   * next check, and the socket at the one after.
   */
  private escalate(tracked: TrackedSession): void {
    switch (tracked.stage) {
      case 'open':
        this.drain(tracked);
        if (tracked.session.destroyed) tracked.stage = 'destroyed';
        return;
      case 'draining':
        tracked.session.destroy();
        tracked.stage = 'destroyed';
        return;
      case 'destroyed':
        tracked.socket.destroy();
    }
  }

  private resetUnread({ session, streams, socket }: TrackedSession, now: number): void {
    const { unreadMs } = this.timeouts;
    let waitingBytes = 0;
    let longest: SessionStream | undefined;
    // Whether the connection has frames to write. A stream that was reset counts too: it stays open until its RST_STREAM is
    // written, and that frame is not always part of the queue size.
    let isWaiting = (session.state.outboundQueueSize ?? 0) > 0;
    for (const stream of streams) {
      const { writableLength } = stream;
      waitingBytes += writableLength;
      if (stream.closed) {
        isWaiting = true;
        continue;
      }
      const ms = this.stalls.stalledMs(stream, writableLength > 0, piecesWritten(stream), now);
      if (unreadMs > 0 && ms >= unreadMs && !mayStayUnread(stream)) this.reset(stream);
      if (writableLength > (longest?.writableLength ?? 0)) longest = stream;
    }
    if (waitingBytes > MAX_WAITING_BYTES && longest !== undefined) this.reset(longest);
    if (unreadMs === 0 || this.stalls.stalledMs(session, isWaiting, socket.bytesWritten, now) < unreadMs) return;
    this.onEnded('connection');
    socket.destroy();
  }

  private reset(stream: SessionStream): void {
    if (stream.closed) return;
    this.onEnded(isWatch(stream) ? 'watch' : 'response');
    stream.close(CANCEL);
  }
}
