/** Ends HTTP/1.1 connections with waiting bytes of which the client reads none for `unreadMs`. Inspects no request. */
import type { Clock, Timer } from '../../../shared/runtime/clock';
import { isWatch, mayStayUnread } from '../../endpoints/output/write-progress';
import type { ConnectionTimeouts } from './http2-sessions';
import { StallTracker, type UnreadKind, type UnreadOutput } from './stall-tracker';

/** The members of a socket that are used here. */
export interface UnreadSocket extends UnreadOutput {
  /** Includes the bytes that still wait. */
  readonly bytesWritten: number;
  once(event: 'close', listener: () => void): unknown;
  destroy(): unknown;
}

export class UnreadSockets {
  private readonly sockets = new Set<UnreadSocket>();
  private readonly stalls = new StallTracker();
  private timer: Timer | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly timeouts: Pick<ConnectionTimeouts, 'checkMs' | 'unreadMs'>,
    /** Called for each connection that is ended, with the kind of output that was not read. */
    private readonly onEnded: (unread: UnreadKind) => void,
  ) {}

  add(socket: UnreadSocket): void {
    if (this.timeouts.unreadMs === 0) return;
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
    this.timer ??= this.clock.after(this.timeouts.checkMs, () => this.check());
  }

  private check(): void {
    const now = this.clock.monotonic();
    for (const socket of this.sockets) {
      const { writableLength, bytesWritten } = socket;
      const ms = this.stalls.stalledMs(socket, writableLength > 0, bytesWritten - writableLength, now);
      if (ms < this.timeouts.unreadMs || socket.destroyed || mayStayUnread(socket)) continue;
      this.onEnded(isWatch(socket) ? 'watch' : 'response');
      socket.destroy();
    }
    this.timer = this.sockets.size === 0 ? undefined : this.clock.after(this.timeouts.checkMs, () => this.check());
  }
}
