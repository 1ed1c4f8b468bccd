/**
 * Ends HTTP/2 connections that send no first request in time, have had no open stream for `idleMs`, or read no byte for `unreadMs`. An incomplete head and a ping
 * open no stream, so neither keeps a connection open. Also resets single streams whose responses are not read. Inspects no request.
 */
import type { Clock, Timer } from '../../../shared/runtime/clock';
import { isWatch, MAX_WAITING_BYTES, mayStayUnread, piecesWritten } from '../../endpoints/output/write-progress';
import { Stalls, type Unread, type UnreadOutput } from './stall-tracker';

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
  /** Sends GOAWAY. */
  goaway(code: number): void;
  /** Node calls it after a client's GOAWAY, and when the server closes. */
  close: () => void;
  destroy(): void;
  readonly destroyed: boolean;
}

export interface SessionStream extends UnreadOutput {
  /** Whether a reset was requested or received. */
  readonly closed: boolean;
  once(event: 'close', listener: () => void): unknown;
  close(code: number): void;
}

/** The socket below a session. */
export interface SessionSocket {
  readonly bytesWritten: number;
  destroy(): unknown;
}

interface Tracked {
  readonly session: Session;
  readonly socket: SessionSocket;
  /** Node's own close(). */
  readonly closeInNode: () => void;
  /** The open streams. */
  readonly streams: Set<SessionStream>;
  /** Clock.monotonic at which a connection without streams is closed. */
  until: number;
  /** `draining`: GOAWAY is sent, open streams continue, and later ones are refused. */
  stage: 'open' | 'draining' | 'destroyed';
}

export class Sessions {
  private readonly tracked = new Map<object, Tracked>();
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
    const until = clock.monotonic() + limits.headersMs;
    const tracked: Tracked = { session, socket, closeInNode: session.close.bind(session), streams: new Set(), until, stage: 'open' };
    this.tracked.set(session, tracked);
    // A session that Node closes refuses later streams while it reads their heads. On Node 20 that uses memory that is already free, and ends the process.
    session.close = () => this.drain(tracked);
    session.on('stream', (stream) => {
      tracked.streams.add(stream);
      stream.once('close', () => {
        tracked.streams.delete(stream);
        tracked.until = clock.monotonic() + limits.idleMs;
        this.endDrained(tracked);
      });
    });
    session.on('error', () => undefined);
    session.once('close', () => this.tracked.delete(session));
    this.timer ??= clock.after(limits.checkMs, () => this.check());
  }

  /** Whether GOAWAY was sent, after which new streams are refused. */
  isDraining(session: object): boolean {
    const tracked = this.tracked.get(session);
    return tracked !== undefined && tracked.stage !== 'open';
  }

  /** Drains all sessions. */
  close(): void {
    this.timer?.cancel();
    for (const tracked of this.tracked.values()) this.drain(tracked);
  }

  private drain(tracked: Tracked): void {
    const { session } = tracked;
    if (tracked.stage !== 'open' || session.destroyed) return;
    tracked.stage = 'draining';
    session.goaway(NO_ERROR);
    this.endDrained(tracked);
  }

  /** Not at once: Node may be reading from the connection. */
  private endDrained(tracked: Tracked): void {
    const isDrained = (): boolean => tracked.stage === 'draining' && tracked.streams.size === 0;
    if (!isDrained()) return;
    this.clock.after(0, () => {
      if (!isDrained()) return;
      tracked.stage = 'destroyed';
      // Together they write what waits and then end the socket. No frame is read between the two.
      tracked.closeInNode();
      tracked.session.destroy();
    });
  }

  private check(): void {
    const now = this.clock.monotonic();
    for (const tracked of this.tracked.values()) {
      this.endUnread(tracked, now);
      const hasStreams = tracked.streams.size > 0 && !tracked.session.destroyed;
      if (!hasStreams && tracked.until <= now) this.giveUp(tracked);
    }
    this.timer = this.tracked.size === 0 ? undefined : this.clock.after(this.limits.checkMs, () => this.check());
  }

  /** Drains a session first, so that an idle client knows that nothing of it was lost; destroys it the next time, and the socket the time after. */
  private giveUp(tracked: Tracked): void {
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

  private endUnread({ session, streams, socket }: Tracked, now: number): void {
    const { unreadMs } = this.limits;
    let waitingBytes = 0;
    let longest: SessionStream | undefined;
    // A stream that was reset stays until its RST_STREAM is written. Node may keep that in no queue that it shows.
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
    this.ended('connection');
    socket.destroy();
  }

  private reset(stream: SessionStream): void {
    if (stream.closed) return;
    this.ended(isWatch(stream) ? 'watch' : 'response');
    stream.close(CANCEL);
  }
}

/** Error codes of RFC 9113. */
const NO_ERROR = 0;
const CANCEL = 8;
