/**
 * Measures how long outputs have had bytes to write without progress, from one check to the next. Ends no output
 * itself.
 */

/** An output that a client reads: an HTTP/2 stream or a socket. */
export interface UnreadOutput {
  /** Bytes that wait to be written. */
  readonly writableLength: number;
  readonly destroyed: boolean;
}

/** The kind of output that was ended because its client read nothing. */
export type UnreadKind = 'response' | 'watch' | 'connection';

interface Stall {
  /** A number that changes with any progress. */
  readonly progress: number;
  /** Clock.monotonic of the first check that saw this value. */
  readonly since: number;
}

/** The stalls of the outputs of one listener. Forgets an output with its object. */
export class StallTracker {
  private readonly stalls = new WeakMap<object, Stall>();

  /**
   * Milliseconds since the first check that saw this value of `progress`; 0 when no bytes wait. `now`: Clock.monotonic.
   * The arguments are positional, because a check of all connections calls it for tens of thousands of streams.
   */
  stalledMs(output: object, isWaiting: boolean, progress: number, now: number): number {
    const stall = this.stalls.get(output);
    if (!isWaiting) {
      if (stall !== undefined) this.stalls.delete(output);
      return 0;
    }
    if (stall?.progress === progress) return now - stall.since;
    this.stalls.set(output, { progress, since: now });
    return 0;
  }
}
