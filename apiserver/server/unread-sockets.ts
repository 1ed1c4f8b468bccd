/** HTTP/1.1 connections, and which of them are ended because their client reads nothing of what waits for it. Never looks at a request. */
import type { Clock, Timer } from '../../shared/runtime/clock';
import { isWatch, mayStayUnread } from '../endpoints/output/write-progress';
import type { ConnectionLimits } from './sessions';
import { Stalls, type Unread, type UnreadOutput } from './stalls';

/** What is needed of a socket. */
export interface UnreadSocket extends UnreadOutput {
  /** With what is still waiting. */
  readonly bytesWritten: number;
  once(event: 'close', listener: () => void): unknown;
  destroy(): unknown;
}

export class UnreadSockets {
  private readonly sockets = new Set<UnreadSocket>();
  private readonly stalls = new Stalls();
  private timer: Timer | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly limits: Pick<ConnectionLimits, 'checkMs' | 'unreadMs'>,
    /** Called for each connection that is ended, with what was not read on it. */
    private readonly ended: (unread: Unread) => void,
  ) {}

  add(socket: UnreadSocket): void {
    if (this.limits.unreadMs === 0) return;
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
    this.timer ??= this.clock.after(this.limits.checkMs, () => this.check());
  }

  private check(): void {
    const now = this.clock.monotonic();
    for (const socket of this.sockets) {
      const { writableLength, bytesWritten } = socket;
      const ms = this.stalls.stalledMs(socket, writableLength > 0, bytesWritten - writableLength, now);
      if (ms < this.limits.unreadMs || socket.destroyed || mayStayUnread(socket)) continue;
      this.ended(isWatch(socket) ? 'watch' : 'response');
      socket.destroy();
    }
    this.timer = this.sockets.size === 0 ? undefined : this.clock.after(this.limits.checkMs, () => this.check());
  }
}
