/**
 * Where answers of any length are put together: pieces are copied into chunks of fixed size, full chunks are handed on, and no more than
 * a few are under way at a time. Chunk memory is pooled and bounded over all answers. Never knows what the bytes mean.
 */

const CHUNK_BYTES = 256 * 1024;
/** Used when the shared memory is all handed out: slower, but nobody waits for a client that does not read. */
const SMALL_CHUNK_BYTES = 16 * 1024;
const MAX_POOLED = 16;
const MAX_HANDED_OUT = 64;

/** Chunks shared by all answers of a process. */
export class ChunkPool {
  private readonly free: Buffer[] = [];
  private handedOut = 0;

  take(): Buffer {
    if (this.handedOut >= MAX_HANDED_OUT) return Buffer.allocUnsafeSlow(SMALL_CHUNK_BYTES);
    this.handedOut += 1;
    return this.free.pop() ?? Buffer.allocUnsafeSlow(CHUNK_BYTES);
  }

  /** `reusable` = nobody can read from it any more. */
  give(chunk: Buffer, reusable: boolean): void {
    if (chunk.length !== CHUNK_BYTES) return;
    this.handedOut -= 1;
    if (reusable && this.free.length < MAX_POOLED) this.free.push(chunk);
  }
}

/** Takes a full chunk. `last` = the answer is complete. `done(true)` = the memory may be used again. */
export type ChunkWriter = (bytes: Buffer, last: boolean, done: (reusable: boolean) => void) => void;

const MAX_UNDER_WAY = 2;

export class ByteSink {
  private chunk: Buffer;
  private filled = 0;
  private underWay = 0;
  private resume: (() => void) | undefined;
  /** Bytes put in so far. */
  length = 0;

  constructor(
    private readonly pool: ChunkPool,
    private readonly write: ChunkWriter,
  ) {
    this.chunk = pool.take();
  }

  bytes(piece: Buffer): void {
    const { length } = piece;
    if (length <= this.chunk.length - this.filled) {
      this.chunk.set(piece, this.filled);
      this.filled += length;
      this.length += length;
      return;
    }
    this.bytesInParts(piece);
  }

  /** A short text of ASCII characters. */
  ascii(text: string): void {
    if (text.length > this.chunk.length - this.filled) {
      this.bytesInParts(Buffer.from(text, 'latin1'));
      return;
    }
    this.chunk.write(text, this.filled, 'latin1');
    this.filled += text.length;
    this.length += text.length;
  }

  /** A short text of any characters. */
  text(text: string): void {
    if (text.length * 3 > this.chunk.length - this.filled) {
      this.bytesInParts(Buffer.from(text));
      return;
    }
    const written = this.chunk.write(text, this.filled, 'utf8');
    this.filled += written;
    this.length += written;
  }

  byte(value: number): void {
    if (this.filled === this.chunk.length) this.flush();
    this.chunk[this.filled] = value;
    this.filled += 1;
    this.length += 1;
  }

  /** True when no more should be put in before {@link ready} has resolved. */
  get full(): boolean {
    return this.underWay >= MAX_UNDER_WAY;
  }

  ready(): Promise<void> {
    if (!this.full) return Promise.resolve();
    return new Promise((resolve) => {
      this.resume = resolve;
    });
  }

  /** Hands on what is left. Nothing may be put in afterwards. */
  end(): void {
    this.hand(true);
  }

  /** The answer was given up: the memory goes back. */
  discard(): void {
    this.pool.give(this.chunk, true);
  }

  private bytesInParts(piece: Buffer): void {
    let at = 0;
    while (at < piece.length) {
      if (this.filled === this.chunk.length) this.flush();
      const part = piece.subarray(at, at + this.chunk.length - this.filled);
      this.chunk.set(part, this.filled);
      this.filled += part.length;
      at += part.length;
    }
    this.length += piece.length;
  }

  private flush(): void {
    this.hand(false);
    this.chunk = this.pool.take();
    this.filled = 0;
  }

  private hand(last: boolean): void {
    const { chunk } = this;
    this.underWay += 1;
    this.write(chunk.subarray(0, this.filled), last, (reusable) => {
      this.pool.give(chunk, reusable);
      this.underWay -= 1;
      const { resume } = this;
      this.resume = undefined;
      resume?.();
    });
  }
}
