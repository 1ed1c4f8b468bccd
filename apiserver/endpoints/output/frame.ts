/** A watch's frame as bytes that all its watchers share. Knows nothing of connections. */

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

/** The frame in what {@link chunked} made. */
export function bare(chunk: Buffer): Buffer {
  return chunk.subarray(CHUNK_HEAD, chunk.length - CHUNK_TAIL);
}

/** Makes one piece of several chunks; the last one is remembered as long as others may want the same. */
export class Joiner {
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
