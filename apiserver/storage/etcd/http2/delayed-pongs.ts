/**
 * Acknowledges the pings of a server together, some milliseconds after the first.
 *
 * etcd (grpc-go) estimates the bandwidth: after each acknowledgement it sends a ping and a window update with its next
 * data. With immediate acknowledgements every call of a lone client therefore costs one more read, write and turn of the
 * event loop on both sides (measured: 4 % of the CPU of a create).
 */
import type { Clock, Timer } from '../../../../shared/runtime/clock';

/** Far below the timeouts of keep-alive pings (etcd: 20 s), and several times the duration of a call. */
const DELAY_MS = 20;
/** When this many pings are pending, they are acknowledged at once, so that a server cannot make this client buffer more. */
const MAX_PENDING = 16;

/** The pending acknowledgements of one connection. */
export class DelayedPongs {
  private frames: Buffer[] = [];
  private timer: Timer | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly send: (frames: Buffer) => void,
  ) {}

  /** Queues the acknowledgement of a ping: an encoded PING frame with the flag ACK. */
  add(frame: Buffer): void {
    this.frames.push(frame);
    if (this.frames.length >= MAX_PENDING) this.flush();
    else this.timer ??= this.clock.after(DELAY_MS, () => this.flush());
  }

  /** Acknowledges all pings now. */
  flush(): void {
    const { frames } = this;
    this.clear();
    if (frames.length > 0) this.send(Buffer.concat(frames));
  }

  /** Drops the pending acknowledgements, for a connection that is closed. */
  clear(): void {
    this.timer?.cancel();
    this.timer = undefined;
    this.frames = [];
  }
}
