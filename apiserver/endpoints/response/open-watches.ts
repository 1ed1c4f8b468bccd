/** The watches that are open now, so that a server that goes down can end them one after the other. */
import type { Clock } from '../../../shared/runtime/clock';

export interface LiveWatch {
  /** Ends the stream as if it had timed out. */
  expire(): void;
}

export class LiveWatches {
  private readonly open = new Set<LiveWatch>();

  get size(): number {
    return this.open.size;
  }

  add(watch: LiveWatch): void {
    this.open.add(watch);
  }

  delete(watch: LiveWatch): void {
    this.open.delete(watch);
  }

  /** Ends all, spread evenly over `ms`, so that their clients do not come back all at once. */
  async endAll(ms: number, clock: Clock): Promise<void> {
    const watches = [...this.open];
    const slices = Math.min(watches.length, 20);
    for (let slice = 0; slice < slices; slice += 1) {
      const from = Math.floor((slice * watches.length) / slices);
      const to = Math.floor(((slice + 1) * watches.length) / slices);
      for (const watch of watches.slice(from, to)) watch.expire();
      if (ms > 0 && slice < slices - 1) await clock.sleep(ms / slices);
    }
  }
}
