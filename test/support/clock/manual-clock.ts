/**
 * A clock that stands still until a test advances it. Timers fire in the order of their times, and those of one instant
 * in the order in which they were set; a timer that another timer sets can fire within the same advance. It never reads
 * the clock of the machine.
 */
import type { Clock, Timer } from '../../../shared/runtime/clock';

interface Scheduled {
  readonly at: number;
  readonly task: () => void;
}

export class ManualClock implements Clock {
  private elapsed = 0;
  private readonly scheduled = new Set<Scheduled>();

  /** @param start the wall-clock time at the beginning, in milliseconds since 1970. */
  constructor(private readonly start: number = Date.UTC(2026, 0, 1)) {}

  now(): number {
    return this.start + this.elapsed;
  }

  monotonic(): number {
    return this.elapsed;
  }

  after(ms: number, task: () => void): Timer {
    const entry: Scheduled = { at: this.elapsed + Math.max(0, ms), task };
    this.scheduled.add(entry);
    return { cancel: () => void this.scheduled.delete(entry) };
  }

  sleep(ms: number, ending?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        timer.cancel();
        ending?.removeEventListener('abort', end);
        resolve();
      };
      const timer = this.after(ms, end);
      if (ending?.aborted === true) end();
      else ending?.addEventListener('abort', end, { once: true });
    });
  }

  /** The number of timers that have neither fired nor been cancelled. */
  get pending(): number {
    return this.scheduled.size;
  }

  /** Advances by `ms` and runs the timers that become due, without running promise reactions in between. */
  advance(ms: number): void {
    const target = this.elapsed + ms;
    for (let next = this.next(target); next !== undefined; next = this.next(target)) {
      this.scheduled.delete(next);
      this.elapsed = Math.max(this.elapsed, next.at);
      next.task();
    }
    this.elapsed = target;
  }

  /** Like {@link advance}, but runs promise reactions before, between and after timers. */
  async advanceAsync(ms: number): Promise<void> {
    const target = this.elapsed + ms;
    await flushPromises();
    for (let next = this.next(target); next !== undefined; next = this.next(target)) {
      this.scheduled.delete(next);
      this.elapsed = Math.max(this.elapsed, next.at);
      next.task();
      await flushPromises();
    }
    this.elapsed = target;
    await flushPromises();
  }

  /** Advances to the next timer and runs it; `false` when no timer is set. */
  advanceToNext(): boolean {
    const next = this.next(Infinity);
    if (next === undefined) return false;
    this.advance(Math.max(0, next.at - this.elapsed));
    return true;
  }

  private next(until: number): Scheduled | undefined {
    let earliest: Scheduled | undefined;
    for (const entry of this.scheduled) {
      if (entry.at <= until && (earliest === undefined || entry.at < earliest.at)) earliest = entry;
    }
    return earliest;
  }
}

/** Runs promise reactions and immediates for so many turns of the event loop. */
export async function flushPromises(turns = 3): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}
