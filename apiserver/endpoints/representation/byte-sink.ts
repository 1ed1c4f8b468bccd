/**
 * Buffers responses of any length: copies pieces into chunks of fixed size, writes full chunks, and bounds the number of
 * chunks in flight. Responses share a pool of large chunks; when all of it is in use, they continue with small chunks.
 */

/** Size of a pooled chunk, in which the pieces of a response are collected. */
const CHUNK_BYTES = 256 * 1024;
/**
 * Size of a chunk when all large ones are in use: slower, but no response waits for clients of other responses that do
 * not read. For longer writes Node would keep a larger buffer of its own (output/piece-writer.ts).
 */
const SMALL_CHUNK_BYTES = 15 * 1024;
/** Number of unused chunks that are kept. */
const MAX_POOLED = 16;
/** Number of chunks of full size that responses may use at the same time. */
const MAX_IN_USE = 64;

/**
 * The state in which a chunk is given back. `free`: nothing reads from it any more, so it can be reused. `in-use`: a
 * pending write may still read from it, so it is left to the garbage collector.
 */
export type ChunkState = 'free' | 'in-use';

/** Chunks shared by all responses of a process. */
export class ChunkPool {
  private readonly pooled: Buffer[] = [];
  private inUse = 0;

  /**
   * A chunk of {@link CHUNK_BYTES}; when {@link MAX_IN_USE} are in use, one of {@link SMALL_CHUNK_BYTES}. Its content is
   * undefined.
   */
  acquire(): Buffer {
    if (this.inUse >= MAX_IN_USE) return Buffer.allocUnsafeSlow(SMALL_CHUNK_BYTES);
    this.inUse += 1;
    return this.pooled.pop() ?? Buffer.allocUnsafeSlow(CHUNK_BYTES);
  }

  /** Must be called once for each acquired chunk. */
  release(chunk: Buffer, state: ChunkState): void {
    if (chunk.length !== CHUNK_BYTES) return;
    this.inUse -= 1;
    if (state === 'free' && this.pooled.length < MAX_POOLED) this.pooled.push(chunk);
  }
}

/** Gives a chunk back; called once. */
export type ReturnChunk = (state: ChunkState) => void;

/** The destination of chunks, in order. */
export interface ChunkTarget {
  /** Writes a chunk that is not the last one; `done` gives it back. */
  write(bytes: Buffer, done: ReturnChunk): void;
  /** Writes the last chunk, which may be empty. */
  end(bytes: Buffer, done: ReturnChunk): void;
}

/** Chunks of one response that wait to be written; one is filled while another is sent. */
const MAX_IN_FLIGHT = 2;

/** Collects the pieces of one response in chunks of the pool. */
export class ByteSink {
  private chunk: Buffer;
  /** Number of bytes in the current chunk. */
  private filled = 0;
  /** Number of chunks that are being written. */
  private inFlight = 0;
  /** Resolves the pending promise of {@link ready}. */
  private resume: (() => void) | undefined;
  /** Number of bytes added so far. */
  length = 0;

  constructor(
    private readonly pool: ChunkPool,
    private readonly target: ChunkTarget,
  ) {
    this.chunk = pool.acquire();
  }

  /** Adds bytes, which are copied. */
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

  /** Adds a short text of any characters: at most three bytes for each UTF-16 unit. */
  text(text: string): void {
    if (text.length * 3 > this.chunk.length - this.filled) {
      this.bytesInParts(Buffer.from(text));
      return;
    }
    const written = this.chunk.write(text, this.filled, 'utf8');
    this.filled += written;
    this.length += written;
  }

  /** Adds one byte. */
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

  /** Resolves when the sink is not full. Must not be called again before it has resolved. */
  ready(): Promise<void> {
    if (!this.isFull) return Promise.resolve();
    return new Promise((resolve) => {
      this.resume = resolve;
    });
  }

  /** Writes the rest. Nothing may be added afterwards. */
  end(): void {
    this.inFlight += 1;
    this.target.end(this.chunk.subarray(0, this.filled), this.returnFunction());
  }

  /** Releases the memory of an abandoned response. */
  discard(): void {
    this.pool.release(this.chunk, 'free');
  }

  /** Adds bytes that do not fit into the current chunk. */
  private bytesInParts(piece: Buffer): void {
    let start = 0;
    while (start < piece.length) {
      if (this.filled === this.chunk.length) this.flush();
      const part = piece.subarray(start, start + this.chunk.length - this.filled);
      this.chunk.set(part, this.filled);
      this.filled += part.length;
      start += part.length;
    }
    this.length += piece.length;
  }

  /** Writes the current chunk and continues with a new one. */
  private flush(): void {
    this.inFlight += 1;
    this.target.write(this.chunk.subarray(0, this.filled), this.returnFunction());
    this.chunk = this.pool.acquire();
    this.filled = 0;
  }

  /** The function that gives the current chunk back to the pool. */
  private returnFunction(): ReturnChunk {
    const { chunk } = this;
    return (state) => {
      this.pool.release(chunk, state);
      this.inFlight -= 1;
      const { resume } = this;
      this.resume = undefined;
      resume?.();
    };
  }
}

/** A sink that keeps all bytes in memory, and the function that ends it and returns them. */
export function createMemorySink(pool: ChunkPool): { readonly sink: ByteSink; readonly finish: () => Buffer } {
  const chunks: Buffer[] = [];
  const add = (bytes: Buffer, done: ReturnChunk): void => {
    chunks.push(Buffer.from(bytes));
    done('free');
  };
  const sink = new ByteSink(pool, { write: add, end: add });
  const finish = (): Buffer => {
    sink.end();
    return Buffer.concat(chunks);
  };
  return { sink, finish };
}
