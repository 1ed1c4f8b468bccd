/** Measures for how long outputs have had bytes to write without any progress, as seen at each look. Decides nothing. */

/** What a client reads from: a stream of HTTP/2 or a socket. */
export interface UnreadOutput {
  readonly writableLength: number;
  readonly destroyed: boolean;
}

/** What was ended because its client read nothing. */
export type Unread = 'response' | 'watch' | 'connection';

interface Stall {
  /** What changes with any progress. */
  readonly mark: number;
  /** Clock.monotonic. */
  readonly since: number;
}

export class Stalls {
  private readonly known = new WeakMap<object, Stall>();

  /** Milliseconds since the first look at which `mark` was what it is now; 0 when nothing waits. */
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
