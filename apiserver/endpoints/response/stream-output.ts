/** Where a long answer goes: indented and compressed on the way, its head with the first chunk. Never decides what to answer. */
import { createGzip } from 'node:zlib';
import { JSON_MEDIA_TYPE } from '../../../shared/names/dialect';
import { notePieceWritten, PieceWriter } from '../output/write-progress';
import type { Exchange } from '../request/exchange';
import { JsonIndenter, withoutNewline } from '../representation/json-indenter';
import { acceptsGzip, GZIP, GZIP_FROM_BYTES } from './compression';

export interface AnswerOptions {
  /** The gate for compressed answers. */
  readonly compress: boolean;
  /** JSON is indented. */
  readonly pretty: boolean;
}

type Done = (reusable: boolean) => void;

/** Sends the head with the first chunk, when it is known whether the answer is short (plain, with its length) or long. */
export class StreamOutput {
  /** The last piece has been handed over, or the client is gone. */
  readonly finished: Promise<void>;
  private resolveFinished: () => void = () => undefined;
  private target: PieceWriter | undefined;
  private readonly pending = new Set<Done>();
  private readonly indenter: JsonIndenter | undefined;

  constructor(
    private readonly exchange: Exchange,
    private readonly contentType: string,
    private readonly options: AnswerOptions,
  ) {
    this.finished = new Promise((resolve) => {
      this.resolveFinished = resolve;
    });
    this.indenter = contentType === JSON_MEDIA_TYPE && options.pretty ? new JsonIndenter() : undefined;
  }

  /** The client has gone or was given up. */
  get gone(): boolean {
    return this.exchange.progress.isAbandoned || this.exchange.output.destroyed;
  }

  write(bytes: Buffer, last: boolean, done: Done): void {
    const shown = this.indenter === undefined ? bytes : this.indenter.next(last ? withoutNewline(bytes) : bytes);
    const target = this.target ?? this.start(shown.length, last);
    if (target === undefined) {
      done(true);
      if (last) this.resolveFinished();
      return;
    }
    this.pending.add(done);
    if (last) {
      target.write(shown, true, () => {
        this.settle(done, true);
        this.exchange.finish();
        this.resolveFinished();
      });
    } else {
      target.write(shown, false, (error) => this.settle(done, error === undefined || error === null));
    }
  }

  /** Sends the head; undefined when there is nobody to write to. */
  private start(length: number, last: boolean): PieceWriter | undefined {
    const { exchange } = this;
    const reply = exchange.output;
    if (exchange.answered) return undefined;
    const headers: Record<string, string | number> = { 'Content-Type': this.contentType };
    const packed = this.options.compress && (!last || length > GZIP_FROM_BYTES) && acceptsGzip(exchange);
    if (packed) Object.assign(headers, { 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' });
    else if (last) headers['Content-Length'] = length;
    exchange.head(200, headers);
    if (!packed) {
      reply.once('close', () => this.closed());
      return (this.target = new PieceWriter(reply, reply));
    }
    const packer = createGzip(GZIP);
    packer.on('error', () => exchange.abort());
    packer.pipe(reply);
    reply.once('close', () => {
      packer.destroy();
      this.closed();
    });
    return (this.target = new PieceWriter(packer, reply));
  }

  private settle(done: Done, reusable: boolean): void {
    notePieceWritten(this.exchange.output);
    if (this.pending.delete(done)) done(reusable);
  }

  /** No callback comes any more for what is still under way. */
  private closed(): void {
    for (const done of [...this.pending]) this.settle(done, false);
    this.exchange.finish();
    this.resolveFinished();
  }
}
