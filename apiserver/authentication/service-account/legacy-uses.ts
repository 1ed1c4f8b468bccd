/**
 * When a Secret is marked with the day on which its token was last used: at most once a day, and never on the path of a request. What cannot be
 * marked now is marked at a later use. Never knows how.
 */
import { LRUCache } from 'lru-cache';
import type { ObjectKey } from '../../../shared/api/identity/identity';
import { formatUtcDay } from '../../../shared/api/metadata/object-meta';
import type { Clock } from '../../../shared/runtime/clock';

export interface LegacyUsesOptions {
  readonly clock: Clock;
  readonly mark: (secret: ObjectKey, day: string) => Promise<void>;
  readonly failed: (message: string, error: unknown) => void;
}

/** Secrets whose marking was begun lately: an entry costs some 200 bytes, and forgetting one costs a write that changes nothing. */
const KEPT = 1024;
const AT_ONCE = 4;
const RETRY_MS = 60_000;
const DAY_MS = 24 * 3_600_000;

/** See TokenUses.ofSecret. */
export function legacyUses({ clock, mark, failed }: LegacyUsesOptions): (secret: ObjectKey, lastUsed: string) => void {
  const begun = new LRUCache<string, number>({ max: KEPT });
  let running = 0;

  async function markNow(secret: ObjectKey): Promise<void> {
    running += 1;
    try {
      await mark(secret, formatUtcDay(clock.now()));
    } catch (error) {
      failed(`the use of the token in secret ${secret.namespace}/${secret.name} could not be recorded`, error);
    } finally {
      running -= 1;
    }
  }

  return (secret, lastUsed) => {
    const now = clock.now();
    // Tomorrow was written by a replica whose clock is ahead.
    if (lastUsed === formatUtcDay(now) || lastUsed === formatUtcDay(now + DAY_MS) || running >= AT_ONCE) return;
    const key = `${secret.namespace}/${secret.name}`;
    const last = begun.get(key);
    if (last !== undefined && clock.monotonic() - last < RETRY_MS) return;
    begun.set(key, clock.monotonic());
    void markNow(secret);
  };
}
