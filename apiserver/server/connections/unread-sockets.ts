/** Ends HTTP/1.1 connections with waiting bytes of which the client reads none for `unreadMs`. Inspects no request. */
import type { Clock } from '../../../shared/runtime/clock';
import { isWatch, mayStayUnread } from '../../endpoints/output/write-progress';
import type { ConnectionTimeouts } from './http2-sessions';
import { PeriodicCheck } from './periodic-check';
import { StallTracker, type UnreadKind, type UnreadOutput } from './stall-tracker';

/** The members of a socket that are used here. */
export interface UnreadSocket extends UnreadOutput {
  /** Includes the bytes that still wait. */
  readonly bytesWritten: number;
  once(event: 'close', listener: () => void): unknown;
  destroy(): unknown;
}

/** The HTTP/1.1 sockets of one listener. */
export class UnreadSockets {
  private readonly sockets = new Set<UnreadSocket>();
  private readonly stalls = new StallTracker();
  private readonly checks: PeriodicCheck<UnreadSocket>;

  constructor(
    clock: Clock,
    private readonly timeouts: Pick<ConnectionTimeouts, 'checkMs' | 'unreadMs'>,
    /** Called for each connection that is ended, with the kind of output that was not read. */
    private readonly onEnded: (unread: UnreadKind) => void,
  ) {
    this.checks = new PeriodicCheck(
      clock,
      timeouts.checkMs,
      () => this.sockets.values(),
      (socket, now) => this.check(socket, now),
    );
  }

  /** Checks the socket until it closes. No effect when `unreadMs` is 0. */
  add(socket: UnreadSocket): void {
    if (this.timeouts.unreadMs === 0) return;
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
    this.checks.start();
  }

  private check(socket: UnreadSocket, now: number): void {
    const { writableLength, bytesWritten } = socket;
    const ms = this.stalls.stalledMs(socket, writableLength > 0, bytesWritten - writableLength, now);
    if (ms < this.timeouts.unreadMs || socket.destroyed || mayStayUnread(socket)) return;
    this.onEnded(isWatch(socket) ? 'watch' : 'response');
    socket.destroy();
  }
}
