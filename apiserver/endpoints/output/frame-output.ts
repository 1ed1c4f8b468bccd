/**
 * Where a watch's frames go: they gather until the outbox sends them in one piece, so that a client that has several events coming gets them with
 * one system call and one TLS record. Never waits for a client.
 */
import { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Joiner } from './frame';
import type { Outbox, Sender } from './outbox';
import { markAsWatch, notePieceWritten } from './write-progress';

/** Bytes that may wait for one client, beyond what its socket holds. */
const MAX_WAITING_BYTES = 1024 * 1024;
/** So much is sent at once. */
const FULL_PIECE_BYTES = 64 * 1024;

type Waited = (ms: number) => void;

const unheard: Waited = () => undefined;

/** What is needed of a socket, a stream or a reply. */
interface FrameTarget {
  /** Of a stream. */
  readonly session?: object | undefined;
  readonly destroyed: boolean;
  readonly writableLength: number;
  write(piece: Buffer, written?: () => void): unknown;
  on(event: 'drain' | 'close', listener: () => void): unknown;
  off(event: 'drain' | 'close', listener: () => void): unknown;
}

export class FrameOutput implements Sender {
  private first: Buffer | undefined;
  /** All that wait, the first among them, when there are several. */
  private several: Buffer[] | undefined;
  private bytes = 0;
  /** Clock.monotonic when the first of those that wait came. */
  private since = 0;
  private readonly noteWritten = (): void => notePieceWritten(this.target);

  private constructor(
    private readonly target: FrameTarget,
    private readonly outbox: Outbox,
    private readonly joiner: Joiner,
    /** Hears how long the first frame of a piece has waited. */
    private readonly waited: Waited,
  ) {
    markAsWatch(target);
  }

  static to(reply: ServerResponse | FrameTarget, outbox: Outbox, waited: Waited = unheard): FrameOutput {
    if (!(reply instanceof ServerResponse)) return new FrameOutput(reply, outbox, outbox.bare, waited);
    const { socket } = reply;
    // The chunk goes straight to the socket, without the costs of an OutgoingMessage. A pipelined reply has no socket yet, and HTTP/1.0 no chunks.
    return socket !== null && reply.chunkedEncoding
      ? new FrameOutput(socket, outbox, outbox.chunks, waited)
      : new FrameOutput(reply, outbox, outbox.bare, waited);
  }

  /** Each chunk as a message of its own. */
  static toWebSocket(connection: Socket, outbox: Outbox, isText: boolean, waited: Waited = unheard): FrameOutput {
    return new FrameOutput(connection, outbox, isText ? outbox.texts : outbox.binaries, waited);
  }

  get session(): object | undefined {
    return this.target.session;
  }

  /** Takes what `chunked` made; false when too much waits for the client, and then it was not taken. */
  write(chunk: Buffer): boolean {
    if (this.waiting() > MAX_WAITING_BYTES) return false;
    this.bytes += chunk.length;
    if (this.first === undefined) {
      this.first = chunk;
      this.since = this.outbox.now();
      this.outbox.add(this);
    } else if (this.several === undefined) this.several = [this.first, chunk];
    else this.several.push(chunk);
    if (this.bytes > FULL_PIECE_BYTES) this.flush();
    return true;
  }

  /** Sends what was written. Nothing more may be said to the client before that. */
  flush(): void {
    const { first, several, target } = this;
    this.first = undefined;
    this.several = undefined;
    this.bytes = 0;
    if (first === undefined || target.destroyed) return;
    this.waited(this.outbox.now() - this.since);
    const piece = several === undefined ? this.joiner.one(first) : this.joiner.several(several);
    // Only where something waits already does it matter how far the client has come.
    if (target.writableLength === 0) target.write(piece);
    else target.write(piece, this.noteWritten);
  }

  waiting(): number {
    return this.target.writableLength + this.bytes;
  }

  /** Resolves when the client has taken everything, or is gone. */
  drained(): Promise<void> {
    this.flush();
    const { target } = this;
    return new Promise((resolve) => {
      const settle = (): void => {
        target.off('drain', settle);
        target.off('close', settle);
        resolve();
      };
      target.on('drain', settle);
      target.on('close', settle);
    });
  }
}
