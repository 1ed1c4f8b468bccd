/**
 * Delays the replacement of failed pods, for each DaemonSet and node: the delay doubles from 1 s to 15 min, and starts
 * again when no failed pod was replaced for 30 min.
 */
import type { Clock } from '../../shared/runtime/clock';

/** Upstream's back-off of failed daemon pods: one second, doubled up to 15 minutes. */
const INITIAL_MS = 1_000;
const MAX_MS = 900_000;
/** Without a replacement for this time, the next delay is the initial one. Twice the longest delay, as upstream. */
const FORGET_MS = 2 * MAX_MS;
/** The limit of entries of all DaemonSets together; beyond it, the entry with the oldest replacement is dropped. */
const MAX_ENTRIES = 10_000;

/** The back-off of one DaemonSet on one node. */
interface Entry {
  readonly delayMs: number;
  /** When the last failed pod was replaced, in milliseconds of the monotonic clock. */
  readonly replacedAt: number;
}

/** Shared by all DaemonSets; entries are bounded, see {@link MAX_ENTRIES}. */
export class FailedPodsBackoff {
  /** In the order of the last replacements. */
  private readonly entries = new Map<string, Entry>();

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  /** Milliseconds until the next failed pod may be replaced, 0 or more. `set`: the key of the DaemonSet. */
  remainingMs(set: string, node: string): number {
    const entry = this.entries.get(`${set} ${node}`);
    return entry === undefined ? 0 : Math.max(0, entry.replacedAt + entry.delayMs - this.clock.monotonic());
  }

  /** Call it for each failed pod that is replaced: doubles the delay of the next one. */
  next(set: string, node: string): void {
    const key = `${set} ${node}`;
    const now = this.clock.monotonic();
    const previous = this.entries.get(key);
    const isRecent = previous !== undefined && now - previous.replacedAt < FORGET_MS;
    this.entries.delete(key);
    this.entries.set(key, { replacedAt: now, delayMs: isRecent ? Math.min(MAX_MS, previous.delayMs * 2) : INITIAL_MS });
    const [oldest] = this.entries.keys();
    if (this.entries.size > MAX_ENTRIES && oldest !== undefined) this.entries.delete(oldest);
  }
}
