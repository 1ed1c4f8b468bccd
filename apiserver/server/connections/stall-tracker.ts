/** Measures how long outputs have had bytes to write without progress, from one check to the next. Ends no output itself. */

/** An output that a client reads: an HTTP/2 stream or a socket. */
export interface UnreadOutput {
  readonly writableLength: number;
  readonly destroyed: boolean;
}

/** The kind of output that was ended because its client read nothing. */
export type Unread = 'response' | 'watch' | 'connection';

interface Stall {
  /** A number that changes with any progress. */
  readonly mark: number;
  /** Clock.monotonic of the first check that saw this mark. */
  readonly since: number;
}

export class Stalls {
  private readonly known = new WeakMap<object, Stall>();

  /** Milliseconds since the first check that saw this `mark`; 0 when no bytes wait. */
  stalledMs(output: object, isWaiting: boolean, mark: number, now: number): number {
    const known = this.known.get(output);
    if (!isWaiting) {
      if (known !== undefined) this.known.delete(output);
      return 0;
    }
    if (known?.mark === mark) return now - known.since;
    this.known.set(output, { mark, since: now });
    return 0;
  }
}
