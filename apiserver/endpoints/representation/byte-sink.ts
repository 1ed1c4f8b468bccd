/**
 * Buffers responses of any length: copies pieces into chunks of fixed size, writes full chunks, and bounds the number
 * of chunks in flight. Chunk memory is pooled and bounded over all responses.
 */

const CHUNK_BYTES = 256 * 1024;
/** Used when all shared memory is in use: slower, but no response waits for a client that does not read. */
const SMALL_CHUNK_BYTES = 16 * 1024;
const MAX_POOLED = 16;
const MAX_IN_USE = 64;

/** Chunks shared by all responses of a process. */
export class ChunkPool {
  private readonly pooled: Buffer[] = [];
  private inUse = 0;

  acquire(): Buffer {
    if (this.inUse >= MAX_IN_USE) return Buffer.allocUnsafeSlow(SMALL_CHUNK_BYTES);
    this.inUse += 1;
    return this.pooled.pop() ?? Buffer.allocUnsafeSlow(CHUNK_BYTES);
  }

  /** `reusable`: nothing reads from the chunk any more. */
  release(chunk: Buffer, reusable: boolean): void {
    if (chunk.length !== CHUNK_BYTES) return;
    this.inUse -= 1;
    if (reusable && this.pooled.length < MAX_POOLED) this.pooled.push(chunk);
  }
}

/** Writes a full chunk. `last`: the response is complete. `done(true)`: the memory may be reused. */
export type ChunkWriter = (bytes: Buffer, last: boolean, done: (reusable: boolean) => void) => void;

const MAX_IN_FLIGHT = 2;

export class ByteSink {
  private chunk: Buffer;
  private filled = 0;
  private inFlight = 0;
  private resume: (() => void) | undefined;
  /** Number of bytes added so far. */
  length = 0;

  constructor(
    private readonly pool: ChunkPool,
    private readonly write: ChunkWriter,
  ) {
    this.chunk = pool.acquire();
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

  /** Adds a short text of ASCII characters. */
  ascii(text: string): void {
    if (text.length > this.chunk.length - this.filled) {
      this.bytesInParts(Buffer.from(text, 'latin1'));
      return;
    }
    this.chunk.write(text, this.filled, 'latin1');
    this.filled += text.length;
    this.length += text.length;
  }

  /** Adds a short text of any characters. */
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

  /** Whether to await {@link ready} before adding more. */
  get isFull(): boolean {
    return this.inFlight >= MAX_IN_FLIGHT;
  }

  ready(): Promise<void> {
    if (!this.isFull) return Promise.resolve();
    return new Promise((resolve) => {
      this.resume = resolve;
    });
  }

  /** Writes the rest. Nothing may be added afterwards. */
  end(): void {
    this.emit(true);
  }

  /** Releases the memory of an abandoned response. */
  discard(): void {
    this.pool.release(this.chunk, true);
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
    this.emit(false);
    this.chunk = this.pool.acquire();
    this.filled = 0;
  }

  private emit(last: boolean): void {
    const { chunk } = this;
    this.inFlight += 1;
    this.write(chunk.subarray(0, this.filled), last, (reusable) => {
      this.pool.release(chunk, reusable);
      this.inFlight -= 1;
      const { resume } = this;
      this.resume = undefined;
      resume?.();
    });
  }
}
