/**
 * Where a watch's frames go. What is written in one turn of the event loop leaves at its end in one piece: a client that has several events coming
 * gets them with one system call and one TLS record, and clients that get the same ones share the piece. Never waits for a client.
 */
import { ServerResponse } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';

/** Bytes that may wait for one client, beyond what its socket holds. */
const MAX_WAITING_BYTES = 1024 * 1024;
/** So much is sent before the turn ends. */
const FULL_PIECE_BYTES = 64 * 1024;

/**
 * A frame with HTTP/1.1 chunk framing around it, so that one buffer serves every connection: HTTP/1.1 sockets take it whole, HTTP/2
 * streams take what lies between. The size is always eight digits, so that the frame's place is known.
 */
const CHUNK_HEAD = 10;
const CHUNK_TAIL = 2;

export function chunked(frame: Buffer): Buffer {
  const bytes = Buffer.allocUnsafeSlow(CHUNK_HEAD + frame.length + CHUNK_TAIL);
  bytes.write(`${frame.length.toString(16).padStart(8, '0')}\r\n`, 0, 'latin1');
  bytes.set(frame, CHUNK_HEAD);
  bytes.write('\r\n', CHUNK_HEAD + frame.length, 'latin1');
  return bytes;
}

function bare(chunk: Buffer): Buffer {
  return chunk.subarray(CHUNK_HEAD, chunk.length - CHUNK_TAIL);
}

/** Makes one piece of several chunks; the last one is remembered as long as others may want the same. */
class Joiner {
  private parts: readonly Buffer[] = [];
  private piece: Buffer | undefined;

  constructor(private readonly shown: (chunk: Buffer) => Buffer) {}

  one(chunk: Buffer): Buffer {
    return this.shown(chunk);
  }

  several(chunks: readonly Buffer[]): Buffer {
    const { parts } = this;
    if (this.piece === undefined || parts.length !== chunks.length || !parts.every((part, index) => part === chunks[index])) {
      this.parts = chunks;
      this.piece = Buffer.concat(chunks.map(this.shown));
    }
    return this.piece;
  }

  forget(): void {
    this.parts = [];
    this.piece = undefined;
  }
}

const CHUNKS = new Joiner((chunk) => chunk);
const BARE = new Joiner(bare);

/** Those who have something to send at the end of this turn. */
class Outbox {
  private outputs: FrameOutput[] = [];

  add(output: FrameOutput): void {
    if (this.outputs.length === 0) setImmediate(() => this.flush());
    this.outputs.push(output);
  }

  private flush(): void {
    const { outputs } = this;
    this.outputs = [];
    for (const output of outputs) output.flush();
    CHUNKS.forget();
    BARE.forget();
  }
}

const OUTBOX = new Outbox();

export class FrameOutput {
  private first: Buffer | undefined;
  /** All that wait, the first among them, when there are several. */
  private several: Buffer[] | undefined;
  private bytes = 0;

  private constructor(
    private readonly target: Socket | ServerHttp2Stream | ServerResponse,
    private readonly joiner: Joiner,
  ) {}

  static to(reply: ServerResponse | ServerHttp2Stream): FrameOutput {
    if (!(reply instanceof ServerResponse)) return new FrameOutput(reply, BARE);
    const { socket } = reply;
    // The chunk goes straight to the socket, without the costs of an OutgoingMessage. A pipelined reply has no socket yet, and HTTP/1.0 no chunks.
    return socket !== null && reply.chunkedEncoding ? new FrameOutput(socket, CHUNKS) : new FrameOutput(reply, BARE);
  }

  /** Takes what {@link chunked} made; false when too much waits for the client, and then it was not taken. */
  write(chunk: Buffer): boolean {
    if (this.waiting() > MAX_WAITING_BYTES) return false;
    this.bytes += chunk.length;
    if (this.first === undefined) {
      this.first = chunk;
      OUTBOX.add(this);
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
    target.write(several === undefined ? this.joiner.one(first) : this.joiner.several(several));
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
