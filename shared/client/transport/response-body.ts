/**
 * A response body that is read from the stream as soon as it arrives. Without that, the stream could be closed, and its
 * data lost, before the caller has the headers and begins to read. Buffers a bounded amount and then pauses the stream.
 */
import { connectionError } from './transport';

/** The part of a readable stream that is used here. */
interface ReadableSource {
  on(event: 'data', listener: (chunk: unknown) => void): unknown;
  on(event: 'end' | 'close', listener: () => void): unknown;
  on(event: 'error', listener: (error: unknown) => void): unknown;
  pause(): unknown;
  resume(): unknown;
  destroy(): unknown;
}

/** The stream is paused above this number of buffered bytes, and resumed at half of it. */
const HIGH_WATER_MARK = 256 * 1024;

/** The body of one response. It must be iterated, or its request aborted: an unread body holds its connection. */
export class ResponseBody implements AsyncIterable<Buffer> {
  private readonly chunks: Buffer[] = [];
  private bufferedBytes = 0;
  private isPaused = false;
  private hasEnded = false;
  /** Set when the stream closed before its end. */
  private failure: { readonly error: unknown } | undefined;
  /** Resumes the iteration while it waits for a chunk or the end. */
  private wake: (() => void) | undefined;

  constructor(
    private readonly stream: ReadableSource,
    private readonly signal: AbortSignal | undefined,
  ) {
    let cause: { readonly error: unknown } | undefined;
    stream.on('data', (chunk) => this.push(chunk));
    stream.on('end', () => {
      this.hasEnded = true;
      this.wake?.();
    });
    stream.on('error', (error) => (cause = { error }));
    stream.on('close', () => {
      if (!this.hasEnded) this.failure = cause ?? { error: new Error('the response was truncated') };
      this.wake?.();
    });
  }

  /**
   * Iterate once. Throws ConnectionError when the response is truncated, or the signal's reason. Leaving early aborts
   * the request.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    try {
      for (;;) {
        const chunk = this.chunks.shift();
        if (chunk !== undefined) {
          this.release(chunk);
          yield chunk;
        } else if (this.hasEnded) return;
        else if (this.failure !== undefined) {
          this.signal?.throwIfAborted();
          throw connectionError(this.failure.error, { wasSent: true });
        } else await new Promise<void>((resolve) => (this.wake = resolve));
      }
    } finally {
      if (!this.hasEnded && this.failure === undefined) this.stream.destroy();
    }
  }

  private push(chunk: unknown): void {
    if (!Buffer.isBuffer(chunk)) return;
    this.chunks.push(chunk);
    this.bufferedBytes += chunk.length;
    if (this.bufferedBytes > HIGH_WATER_MARK && !this.isPaused) {
      this.isPaused = true;
      this.stream.pause();
    }
    this.wake?.();
  }

  private release(chunk: Buffer): void {
    this.bufferedBytes -= chunk.length;
    if (!this.isPaused || this.bufferedBytes > HIGH_WATER_MARK / 2) return;
    this.isPaused = false;
    this.stream.resume();
  }
}
