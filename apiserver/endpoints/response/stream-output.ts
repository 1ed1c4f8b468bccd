/**
 * The output of a streamed response: indents and compresses the body, and sends the head with the first chunk. Each
 * chunk is given back once, also when the client disconnects. Which bytes are sent is left to the caller.
 */
import { createGzip, type Gzip } from 'node:zlib';
import { JSON_MEDIA_TYPE } from '../../../shared/names/dialect';
import { PieceWriter } from '../output/piece-writer';
import { recordPieceWritten } from '../output/write-progress';
import type { Exchange } from '../request/exchange';
import type { ChunkState, ChunkTarget, ReturnChunk } from '../representation/byte-sink';
import { JsonIndenter, withoutNewline } from '../representation/json-indenter';
import { acceptsGzip, GZIP, GZIP_FROM_BYTES } from './compression';

/** How the body of a response is sent. */
export interface ResponseOptions {
  /** Whether responses may be compressed: the feature gate APIResponseCompression. */
  readonly compress: boolean;
  /** Whether JSON is indented. */
  readonly pretty: boolean;
}

/**
 * The output of one response. Its head is sent with the first chunk: if that is also the last one, the length is known,
 * and a short response is not compressed.
 */
export class StreamOutput implements ChunkTarget {
  /** Resolves when the last chunk has been written or the client has disconnected. */
  readonly finished: Promise<void>;
  private resolveFinished: () => void = () => undefined;
  /** Set once the head has been sent. */
  private target: PieceWriter | undefined;
  /** The chunks that are being written. */
  private readonly pending = new Set<ReturnChunk>();
  private readonly indenter: JsonIndenter | undefined;

  constructor(
    private readonly exchange: Exchange,
    private readonly contentType: string,
    private readonly options: ResponseOptions,
  ) {
    this.finished = new Promise((resolve) => {
      this.resolveFinished = resolve;
    });
    this.indenter = contentType === JSON_MEDIA_TYPE && options.pretty ? new JsonIndenter() : undefined;
  }

  /** Whether the client has disconnected or the response was abandoned. */
  get isDisconnected(): boolean {
    return this.exchange.progress.isAbandoned || this.exchange.output.destroyed;
  }

  /** Writes a chunk that is not the last one. */
  write(bytes: Buffer, done: ReturnChunk): void {
    const text = this.indenter === undefined ? bytes : this.indenter.next(bytes);
    const target = this.target ?? this.sendHead('unknown');
    if (target === undefined) {
      done('free');
      return;
    }
    this.pending.add(done);
    target.write(text, (error) => this.complete(done, error === undefined || error === null ? 'free' : 'in-use'));
  }

  /** Writes the last chunk and ends the response. */
  end(bytes: Buffer, done: ReturnChunk): void {
    const text = this.indenter === undefined ? bytes : this.indenter.next(withoutNewline(bytes));
    const target = this.target ?? this.sendHead(text.length);
    if (target === undefined) {
      done('free');
      this.resolveFinished();
      return;
    }
    this.pending.add(done);
    target.end(text, () => {
      this.complete(done, 'free');
      this.exchange.finish();
      this.resolveFinished();
    });
  }

  /** Sends the head for a body of this length. `undefined` when a response was sent before. */
  private sendHead(length: number | 'unknown'): PieceWriter | undefined {
    const { exchange } = this;
    const { output } = exchange;
    if (exchange.hasResponded) return undefined;
    const headers: Record<string, string | number> = { 'Content-Type': this.contentType };
    const isLong = length === 'unknown' || length > GZIP_FROM_BYTES;
    const isCompressed = this.options.compress && isLong && acceptsGzip(exchange);
    if (isCompressed) Object.assign(headers, { 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' });
    else if (length !== 'unknown') headers['Content-Length'] = length;
    exchange.sendHead(200, headers);
    output.once('close', () => this.onClose());
    this.target = new PieceWriter(isCompressed ? this.createCompressor() : output, output);
    return this.target;
  }

  /** Compresses what is written to it, and writes that to the client. */
  private createCompressor(): Gzip {
    const { exchange } = this;
    const compressor = createGzip(GZIP);
    compressor.on('error', () => exchange.abort());
    compressor.pipe(exchange.output);
    exchange.output.once('close', () => compressor.destroy());
    return compressor;
  }

  private complete(done: ReturnChunk, state: ChunkState): void {
    recordPieceWritten(this.exchange.output);
    if (this.pending.delete(done)) done(state);
  }

  /** Gives the chunks of pending writes back: Node does not call the callbacks of these writes after the close. */
  private onClose(): void {
    for (const done of [...this.pending]) this.complete(done, 'in-use');
    this.exchange.finish();
    this.resolveFinished();
  }
}
