/**
 * The output of a watch: collects frames until the outbox sends them in one piece, so that several events cost one
 * system call and one TLS record. Never waits for a client.
 */
import { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FrameJoiner } from './frame';
import type { Outbox, Sender } from './outbox';
import { markAsWatch, recordPieceWritten } from './write-progress';

/** Bytes that may wait for one client, including the socket's own buffer. */
const MAX_WAITING_BYTES = 1024 * 1024;
/** Number of waiting bytes that are sent at once. */
const FULL_PIECE_BYTES = 64 * 1024;

/** Observes the time that frames wait; implemented by the metrics. */
export interface WaitObserver {
  /** The first frame of a piece has waited for `ms`. */
  waited(ms: number): void;
}

const IGNORE_WAITS: WaitObserver = { waited: () => undefined };

/** The members of a socket, stream or response that are used here. */
interface FrameTarget {
  /** The session of an HTTP/2 stream; absent with other protocols. */
  readonly session?: object | undefined;
  readonly destroyed: boolean;
  readonly writableLength: number;
  write(piece: Buffer, written?: () => void): unknown;
  on(event: 'drain' | 'close', listener: () => void): unknown;
  off(event: 'drain' | 'close', listener: () => void): unknown;
}

/** The output of one watch. */
export class FrameOutput implements Sender {
  /** The only waiting frame, or the first of {@link waitingFrames}. */
  private firstFrame: Buffer | undefined;
  /** All waiting frames when there are several. Most often there is one, which needs no array. */
  private waitingFrames: Buffer[] | undefined;
  private frameBytes = 0;
  /** Clock.monotonic when the first waiting frame was added. */
  private firstFrameAddedAt = 0;

  private constructor(
    private readonly target: FrameTarget,
    private readonly outbox: Outbox,
    private readonly joiner: FrameJoiner,
    private readonly observer: WaitObserver,
  ) {
    markAsWatch(target);
  }

  /** The output of a watch without a WebSocket. The head of the response must have been sent. */
  static forResponse(response: ServerResponse | FrameTarget, outbox: Outbox, observer: WaitObserver = IGNORE_WAITS): FrameOutput {
    if (!(response instanceof ServerResponse)) return new FrameOutput(response, outbox, outbox.frames, observer);
    const { socket } = response;
    // Chunks are written directly to the socket, without the cost of OutgoingMessage. A pipelined response has no
    // socket yet, and HTTP/1.0 has no chunks.
    return socket !== null && response.chunkedEncoding
      ? new FrameOutput(socket, outbox, outbox.chunks, observer)
      : new FrameOutput(response, outbox, outbox.frames, observer);
  }

  /** Sends each frame as a WebSocket message. */
  static forWebSocket(connection: Socket, outbox: Outbox, message: 'text' | 'binary', observer: WaitObserver): FrameOutput {
    return new FrameOutput(connection, outbox, message === 'text' ? outbox.texts : outbox.binaries, observer);
  }

  get session(): object | undefined {
    return this.target.session;
  }

  /** Adds a frame in the form of `encodeChunk`; false when it is refused because too many bytes wait. */
  write(chunk: Buffer): boolean {
    if (this.waitingBytes() > MAX_WAITING_BYTES) return false;
    this.frameBytes += chunk.length;
    if (this.firstFrame === undefined) {
      this.firstFrame = chunk;
      this.firstFrameAddedAt = this.outbox.now();
      this.outbox.add(this);
    } else if (this.waitingFrames === undefined) this.waitingFrames = [this.firstFrame, chunk];
    else this.waitingFrames.push(chunk);
    if (this.frameBytes > FULL_PIECE_BYTES) this.flush();
    return true;
  }

  /** Sends the waiting frames. Must precede any other write to the client. */
  flush(): void {
    const { firstFrame, waitingFrames, target } = this;
    this.firstFrame = undefined;
    this.waitingFrames = undefined;
    this.frameBytes = 0;
    if (firstFrame === undefined || target.destroyed) return;
    this.observer.waited(this.outbox.now() - this.firstFrameAddedAt);
    const piece = waitingFrames === undefined ? this.joiner.single(firstFrame) : this.joiner.joined(waitingFrames);
    // Progress matters only when bytes already wait.
    if (target.writableLength === 0) target.write(piece);
    else target.write(piece, () => recordPieceWritten(target));
  }

  /** Bytes that the client has not read, as far as this process knows. */
  waitingBytes(): number {
    return this.target.writableLength + this.frameBytes;
  }

  /**
   * Resolves when the client has read everything, or has disconnected. To be called only while more bytes wait than the
   * target buffers without back-pressure: otherwise no `drain` follows.
   */
  whenDrained(): Promise<void> {
    this.flush();
    const { target } = this;
    return new Promise((resolve) => {
      const onDrained = (): void => {
        target.off('drain', onDrained);
        target.off('close', onDrained);
        resolve();
      };
      target.on('drain', onDrained);
      target.on('close', onDrained);
    });
  }
}
