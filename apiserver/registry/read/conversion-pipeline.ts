/**
 * Parts of a list on their way through a webhook, taken in their order. Where nobody stops before the end, each is asked about before the one ahead of it is taken, so
 * that the webhook works while its last answer is read. Knows neither kinds nor bounds.
 */
import type { Entry } from '../../cache/cache';

interface Converting {
  readonly stored: readonly Entry[];
  readonly shown: Promise<readonly Entry[]>;
}

export class ConversionLine {
  private last: Converting | undefined;

  constructor(
    private readonly convert: (stored: readonly Entry[]) => Promise<readonly Entry[]>,
    /** False = no more are wanted. */
    private readonly take: (stored: readonly Entry[], shown: readonly Entry[]) => boolean,
    private readonly overlaps: boolean,
  ) {}

  /** False = no more are wanted. */
  async add(stored: readonly Entry[]): Promise<boolean> {
    const before = this.last;
    const shown = this.convert(stored);
    // Whoever gets so far is told.
    shown.catch(() => undefined);
    this.last = { stored, shown };
    if (!this.overlaps) return this.end();
    return before === undefined || this.take(before.stored, await before.shown);
  }

  /** All that were added are taken. */
  async end(): Promise<boolean> {
    const { last } = this;
    this.last = undefined;
    return last === undefined || this.take(last.stored, await last.shown);
  }
}
