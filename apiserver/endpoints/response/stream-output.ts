/** The output of a streamed response: indents and compresses the body, and sends the head with the first chunk. */
import { createGzip } from 'node:zlib';
import { JSON_MEDIA_TYPE } from '../../../shared/names/dialect';
import { recordPieceWritten, PieceWriter } from '../output/write-progress';
import type { Exchange } from '../request/exchange';
import { JsonIndenter, withoutNewline } from '../representation/json-indenter';
import { acceptsGzip, GZIP, GZIP_FROM_BYTES } from './compression';

export interface ResponseOptions {
  /** The feature gate of response compression. */
  readonly compress: boolean;
  readonly pretty: boolean;
}

type Done = (reusable: boolean) => void;

/**
 * Sends the head with the first chunk, when it is known whether the response is short (uncompressed, with its length)
 * or long.
 */
export class StreamOutput {
  /** Resolves when the last chunk has been written or the client has disconnected. */
  readonly finished: Promise<void>;
  private resolveFinished: () => void = () => undefined;
  private target: PieceWriter | undefined;
  private readonly pending = new Set<Done>();
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

  /** The client has disconnected or the response was abandoned. */
  get isDisconnected(): boolean {
    return this.exchange.progress.isAbandoned || this.exchange.output.destroyed;
  }

  write(bytes: Buffer, last: boolean, done: Done): void {
    const text = this.indenter === undefined ? bytes : this.indenter.next(last ? withoutNewline(bytes) : bytes);
    const target = this.target ?? this.sendHead(text.length, last);
    if (target === undefined) {
      done(true);
      if (last) this.resolveFinished();
      return;
    }
    this.pending.add(done);
    if (last) {
      target.write(text, true, () => {
        this.complete(done, true);
        this.exchange.finish();
        this.resolveFinished();
      });
    } else {
      target.write(text, false, (error) => this.complete(done, error === undefined || error === null));
    }
  }

  /** Sends the head; undefined when a response was sent before. */
  private sendHead(length: number, last: boolean): PieceWriter | undefined {
    const { exchange } = this;
    const reply = exchange.output;
    if (exchange.hasResponded) return undefined;
    const headers: Record<string, string | number> = { 'Content-Type': this.contentType };
    const isCompressed = this.options.compress && (!last || length > GZIP_FROM_BYTES) && acceptsGzip(exchange);
    if (isCompressed) Object.assign(headers, { 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' });
    else if (last) headers['Content-Length'] = length;
    exchange.sendHead(200, headers);
    if (!isCompressed) {
      reply.once('close', () => this.onClose());
      return (this.target = new PieceWriter(reply, reply));
    }
    const compressor = createGzip(GZIP);
    compressor.on('error', () => exchange.abort());
    compressor.pipe(reply);
    reply.once('close', () => {
      compressor.destroy();
      this.onClose();
    });
    return (this.target = new PieceWriter(compressor, reply));
  }

  private complete(done: Done, reusable: boolean): void {
    recordPieceWritten(this.exchange.output);
    if (this.pending.delete(done)) done(reusable);
  }

  /** Node calls no further callbacks of pending writes. */
  private onClose(): void {
    for (const done of [...this.pending]) this.complete(done, false);
    this.exchange.finish();
    this.resolveFinished();
  }
}
