/**
 * Encodes watch frames so that all watchers share their bytes, also those with several frames to send at once. Buffers
 * are never modified after they were returned.
 */

/** Length of the size in eight hexadecimal digits with CR LF. It is fixed, so the frame always begins at this index. */
const CHUNK_HEAD = 10;
/** Length of the CR LF after a chunk. */
const CHUNK_TAIL = 2;

/**
 * A frame with HTTP/1.1 chunk framing, so that one buffer serves every connection: HTTP/1.1 sockets take the whole
 * buffer, HTTP/2 streams the part between head and tail.
 */
export function encodeChunk(frame: Buffer): Buffer {
  const bytes = Buffer.allocUnsafeSlow(CHUNK_HEAD + frame.length + CHUNK_TAIL);
  bytes.write(`${frame.length.toString(16).padStart(8, '0')}\r\n`, 0, 'latin1');
  bytes.set(frame, CHUNK_HEAD);
  bytes.write('\r\n', CHUNK_HEAD + frame.length, 'latin1');
  return bytes;
}

/** The frame within a result of {@link encodeChunk}. */
export function frameOf(chunk: Buffer): Buffer {
  return chunk.subarray(CHUNK_HEAD, chunk.length - CHUNK_TAIL);
}

/**
 * Transforms chunks for one protocol and joins several of them into one piece. The last piece is cached for other
 * clients that have the same chunks to send; `clear` releases it.
 */
export class FrameJoiner {
  /** The chunks that {@link piece} joins. */
  private parts: readonly Buffer[] = [];
  private piece: Buffer | undefined;

  constructor(private readonly transform: (chunk: Buffer) => Buffer) {}

  /** One chunk, transformed. */
  single(chunk: Buffer): Buffer {
    return this.transform(chunk);
  }

  /** Several chunks, transformed and joined; the cached piece when it was made of the same buffers in the same order. */
  joined(chunks: readonly Buffer[]): Buffer {
    const { parts } = this;
    if (this.piece === undefined || parts.length !== chunks.length || !parts.every((part, index) => part === chunks[index])) {
      this.parts = chunks;
      this.piece = Buffer.concat(chunks.map(this.transform));
    }
    return this.piece;
  }

  /** Releases the cached piece. */
  clear(): void {
    this.parts = [];
    this.piece = undefined;
  }
}
