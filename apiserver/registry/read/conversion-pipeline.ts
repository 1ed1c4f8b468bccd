/**
 * Converts the chunks of a list by webhook, in order. When pipelined, the conversion of a chunk starts before the
 * previous chunk is consumed, so that the webhook works while the server consumes. A list with a limit may stop after any
 * chunk; it is not pipelined, because the chunk that was converted ahead would be wasted.
 */
import type { Entry } from '../../cache/cache';

interface PendingChunk {
  readonly stored: readonly Entry[];
  readonly converted: Promise<readonly Entry[]>;
}

/** The conversions of one list. `add` is called for each chunk in order, then `flush`. */
export class ConversionPipeline {
  private pending: PendingChunk | undefined;

  constructor(
    private readonly convert: (stored: readonly Entry[]) => Promise<readonly Entry[]>,
    /** Returns false to stop. */
    private readonly consume: (stored: readonly Entry[], converted: readonly Entry[]) => boolean,
    /** `isPipelined`: one chunk is converted ahead of the one that is consumed. */
    private readonly options: { readonly isPipelined: boolean },
  ) {}

  /**
   * Starts the conversion of a chunk, and consumes the chunk before when pipelined, otherwise this one. Resolves with
   * false when the consumer stops. Rejects with the error of the consumed chunk's conversion.
   */
  async add(stored: readonly Entry[]): Promise<boolean> {
    const previous = this.pending;
    const converted = this.convert(stored);
    // A failure is reported when the chunk is consumed. Until then, or if an earlier chunk fails, nothing awaits the
    // promise, and without this handler Node would report an unhandled rejection.
    converted.catch(() => undefined);
    this.pending = { stored, converted };
    if (!this.options.isPipelined) return this.flush();
    return previous === undefined || this.consume(previous.stored, await previous.converted);
  }

  /** Consumes the chunk that is still pending, if there is one. Resolves and rejects like {@link add}. */
  async flush(): Promise<boolean> {
    const { pending } = this;
    this.pending = undefined;
    return pending === undefined || this.consume(pending.stored, await pending.converted);
  }
}
