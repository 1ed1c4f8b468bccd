/**
 * Records the day of the last use of a legacy token in its Secret: at most once a day, and without delaying the request. A
 * use that cannot be recorded is recorded at a later use.
 */
import { LRUCache } from 'lru-cache';
import type { ObjectKey } from '../../../shared/api/identity/identity';
import { formatUtcDay } from '../../../shared/api/metadata/object-meta';
import type { Clock } from '../../../shared/runtime/clock';

/** The clock, and how the day of a use is written. */
export interface LegacyTokenUseRecorderOptions {
  readonly clock: Clock;
  /** Writes the day (`2006-01-02`) to the Secret. */
  readonly recordLastUsed: (secret: ObjectKey, day: string) => Promise<void>;
  /** Called when a write fails; it is retried at a later use. */
  readonly onError: (message: string, error: unknown) => void;
}

/** Limit of the Secrets with a recent attempt: an entry takes some 200 bytes, an evicted one costs a needless write. */
const MAX_TRACKED_SECRETS = 1024;
/** Writes at a time. A use beyond the limit is recorded at a later use. */
const MAX_CONCURRENT_WRITES = 4;
/** Minimum time between two attempts for one Secret. */
const RETRY_MS = 60_000;
const DAY_MS = 24 * 3_600_000;

/** Returns a function for `TokenUseRecorder.recordSecretUse`. `lastUsed` is the day that is recorded in the Secret. */
export function legacyTokenUseRecorder({
  clock,
  recordLastUsed,
  onError,
}: LegacyTokenUseRecorderOptions): (secret: ObjectKey, lastUsed: string) => void {
  /** When the use of a token was last written, by Clock.monotonic and by `namespace/name` of its Secret. */
  const attempts = new LRUCache<string, number>({ max: MAX_TRACKED_SECRETS });
  let runningWrites = 0;

  async function recordToday(secret: ObjectKey): Promise<void> {
    runningWrites += 1;
    try {
      await recordLastUsed(secret, formatUtcDay(clock.now()));
    } catch (error) {
      onError(`the use of the token in secret ${secret.namespace}/${secret.name} could not be recorded`, error);
    } finally {
      runningWrites -= 1;
    }
  }

  return (secret, lastUsed) => {
    const now = clock.now();
    // A replica with a clock ahead of this one may have recorded tomorrow.
    const isRecorded = lastUsed === formatUtcDay(now) || lastUsed === formatUtcDay(now + DAY_MS);
    if (isRecorded || runningWrites >= MAX_CONCURRENT_WRITES) return;
    const key = `${secret.namespace}/${secret.name}`;
    const lastAttempt = attempts.get(key);
    if (lastAttempt !== undefined && clock.monotonic() - lastAttempt < RETRY_MS) return;
    attempts.set(key, clock.monotonic());
    void recordToday(secret);
  };
}
