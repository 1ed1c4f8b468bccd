/** The open watches of a server, so that a shutdown can end them gradually. A watch adds and removes itself. */
import type { Clock } from '../../../shared/runtime/clock';

/** A watch that a shutdown may end. */
export interface OpenWatch {
  /** Ends the stream as if it had timed out. */
  expire(): void;
}

/** Maximum number of groups of watches that a shutdown ends one after the other. */
const MAX_SLICES = 20;

/** The watches of a server with open streams. */
export class OpenWatchStreams {
  private readonly watches = new Set<OpenWatch>();

  get size(): number {
    return this.watches.size;
  }

  /** Called once when the stream of a watch opens. */
  add(watch: OpenWatch): void {
    this.watches.add(watch);
  }

  /** Called when a watch ends for any reason. May be called for a watch that was not added. */
  delete(watch: OpenWatch): void {
    this.watches.delete(watch);
  }

  /** Ends all watches, spread evenly over `ms`, so that their clients do not reconnect all at once. */
  async endAll(ms: number, clock: Clock): Promise<void> {
    const current = [...this.watches];
    const slices = Math.min(current.length, MAX_SLICES);
    for (let slice = 0; slice < slices; slice += 1) {
      const from = Math.floor((slice * current.length) / slices);
      const to = Math.floor(((slice + 1) * current.length) / slices);
      for (const watch of current.slice(from, to)) watch.expire();
      if (ms > 0 && slice < slices - 1) await clock.sleep(ms / slices);
    }
  }
}
