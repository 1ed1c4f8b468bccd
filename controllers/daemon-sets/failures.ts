/** How long a node is left alone on which a set's pods fail: longer from one to the next, and forgotten when none has failed for a while. Nothing is done here. */
import type { Clock } from '../../shared/runtime/clock';

const FIRST_MS = 1_000;
const LONGEST_MS = 900_000;
/** Of nodes of all sets; the longest unseen is forgotten first. */
const MOST = 10_000;

interface Failed {
  readonly delayMs: number;
  readonly at: number;
}

export class Failures {
  private readonly known = new Map<string, Failed>();

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  /** Milliseconds until the next pod may be replaced. */
  patience(set: string, node: string): number {
    const failed = this.known.get(`${set} ${node}`);
    return failed === undefined ? 0 : Math.max(0, failed.at + failed.delayMs - this.clock.monotonic());
  }

  /** One was replaced. */
  replaced(set: string, node: string): void {
    const key = `${set} ${node}`;
    const now = this.clock.monotonic();
    const before = this.known.get(key);
    const isFresh = before !== undefined && now - before.at < 2 * LONGEST_MS;
    this.known.delete(key);
    this.known.set(key, { at: now, delayMs: isFresh ? Math.min(LONGEST_MS, before.delayMs * 2) : FIRST_MS });
    const [oldest] = this.known.keys();
    if (this.known.size > MOST && oldest !== undefined) this.known.delete(oldest);
  }
}
