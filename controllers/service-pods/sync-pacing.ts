/**
 * Limits the share of a core that the syncs of one Service take: a sync looks at all pods of the Service, and each change
 * of a pod calls for one. The next sync waits for a multiple of the time that the last one took, so that changes which
 * arrive meanwhile join it. Services with few pods wait for less than a millisecond.
 */
import type { Clock } from '../../shared/runtime/clock';

/** A sync and the wait after it take five times as long as the sync alone: a fifth of a core. */
const WAIT_FACTOR = 4;
/** The longest wait, whatever a sync took. Milliseconds. */
const MAX_WAIT_MS = 500;

/** The durations of the last syncs, by the keys of Services. */
export class SyncPacing {
  private readonly durations = new Map<string, number>();

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  /** Runs the part of a sync that uses the processor, and remembers its duration. */
  measure<T>(key: string, compute: () => T): T {
    const startedAt = this.clock.monotonic();
    const result = compute();
    this.durations.set(key, this.clock.monotonic() - startedAt);
    return result;
  }

  /** Milliseconds from a change of a pod to the sync of its Service; 0 before the first sync. */
  waitMs(key: string): number {
    return Math.min(MAX_WAIT_MS, WAIT_FACTOR * (this.durations.get(key) ?? 0));
  }

  /** Call it when the Service was deleted. */
  forget(key: string): void {
    this.durations.delete(key);
  }
}
