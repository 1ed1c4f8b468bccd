/**
 * Converts the chunks of a list by webhook, in order. When pipelined, the conversion of a chunk starts before the
 * previous chunk is consumed, so that the webhook works meanwhile; lists that may stop early convert one chunk at a
 * time.
 */
import type { Entry } from '../../cache/cache';

interface PendingChunk {
  readonly stored: readonly Entry[];
  readonly converted: Promise<readonly Entry[]>;
}

export class ConversionPipeline {
  private pending: PendingChunk | undefined;

  constructor(
    private readonly convert: (stored: readonly Entry[]) => Promise<readonly Entry[]>,
    /** Returns false to stop. */
    private readonly consume: (stored: readonly Entry[], converted: readonly Entry[]) => boolean,
    private readonly isPipelined: boolean,
  ) {}

  /** Resolves with false when the consumer stops. */
  async add(stored: readonly Entry[]): Promise<boolean> {
    const previous = this.pending;
    const converted = this.convert(stored);
    // A failure is reported when the chunk is consumed; an earlier failure may come first.
    converted.catch(() => undefined);
    this.pending = { stored, converted };
    if (!this.isPipelined) return this.flush();
    return previous === undefined || this.consume(previous.stored, await previous.converted);
  }

  /** Consumes the chunks that were added. */
  async flush(): Promise<boolean> {
    const { pending } = this;
    this.pending = undefined;
    return pending === undefined || this.consume(pending.stored, await pending.converted);
  }
}
