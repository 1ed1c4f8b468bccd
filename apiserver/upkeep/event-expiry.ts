/**
 * Deletes expired objects (Events), each in a transaction of its own, on one replica at a time: which one is agreed by a key that its holder renews.
 * A second holder would do no harm, since every deletion is conditioned on the revision that was found to be expired.
 */
import type { Clock, Timer } from '../../shared/runtime/clock';
import type { Cache, StoredType } from '../cache/cache';
import { StoreError, type Revision, type Store } from '../storage/store';
import { expiryOf } from '../registry/object/hidden-fields';

const INTERVAL_MS = 15_000;
/** A holder that has not renewed for so long is taken to be gone. */
const TERM_MS = 60_000;
const CALL_MS = 5_000;
/** How long a scan may hold up everything else. */
const SLICE_MS = 5;
const LOOK_AT_THE_CLOCK_EVERY = 256;

export interface EventExpiryOptions {
  readonly store: Store;
  readonly cache: Cache;
  /** The types whose objects expire. */
  readonly types: readonly StoredType[];
  /** Without a slash at its end. */
  readonly prefix: string;
  /** This replica's, unlike any other's. */
  readonly holder: string;
  readonly clock: Clock;
  readonly failed: (message: string, error: unknown) => void;
}

export interface EventExpiry {
  /** One look, at once; resolves with the number of objects deleted. For tests and for the timer. */
  pass(): Promise<number>;
  stop(): void;
}

export function startEventExpiry(options: EventExpiryOptions): EventExpiry {
  const { clock, failed } = options;
  let stopped = false;
  let timer: Timer | undefined;
  const pass = async (): Promise<number> => {
    const expired = await findExpired(options);
    if (expired.length === 0 || stopped || !(await hold(options))) return 0;
    let deleted = 0;
    for (const { key, revision } of expired) {
      if (stopped) break;
      const result = await options.store.transact(
        { compare: [{ key, modRevision: revision }], operations: [{ type: 'delete', key }] },
        { deadline: clock.monotonic() + CALL_MS },
      );
      if (result.committed) deleted++;
    }
    return deleted;
  };
  const tick = (): void => {
    void pass()
      .catch((error: unknown) =>
        failed(error instanceof StoreError ? 'expired events could not be deleted yet' : 'the event expiry failed', error),
      )
      .then(() => {
        if (!stopped) timer = clock.after(INTERVAL_MS, tick);
      });
  };
  timer = clock.after(INTERVAL_MS, tick);
  return {
    pass,
    stop() {
      stopped = true;
      timer?.cancel();
    },
  };
}

interface Expired {
  /** In the store. */
  readonly key: string;
  readonly revision: Revision;
}

async function findExpired({ cache, types, prefix, clock }: EventExpiryOptions): Promise<readonly Expired[]> {
  const expired: Expired[] = [];
  const now = clock.now();
  let sliceEnd = clock.monotonic() + SLICE_MS;
  let seen = 0;
  for (const type of types) {
    for (const entry of cache.snapshot(type).range()) {
      const expiry = expiryOf(entry);
      if (expiry !== undefined && expiry <= now) expired.push({ key: `${prefix}/${type.segment}/${entry.key}`, revision: entry.revision });
      seen++;
      if (seen % LOOK_AT_THE_CLOCK_EVERY === 0 && clock.monotonic() >= sliceEnd) {
        await clock.sleep(0);
        sliceEnd = clock.monotonic() + SLICE_MS;
      }
    }
  }
  return expired;
}

/** Takes or renews the term. False when another replica holds it. */
async function hold({ store, prefix, holder, clock }: EventExpiryOptions): Promise<boolean> {
  const key = `${prefix}/event-expiry`;
  const deadline = clock.monotonic() + CALL_MS;
  const { kv } = await store.get(key, { deadline });
  const current = kv === undefined ? undefined : parseTerm(kv.value.toString());
  const now = clock.now();
  if (current !== undefined && current.holder !== holder && current.until > now) return false;
  // Half a term before its end is early enough to renew, and spares the store a write per pass.
  if (current?.holder === holder && current.until > now + TERM_MS / 2) return true;
  const value = Buffer.from(JSON.stringify({ holder, until: now + TERM_MS }));
  const result = await store.transact(
    { compare: [{ key, modRevision: kv?.modRevision ?? 0 }], operations: [{ type: 'put', key, value }] },
    { deadline },
  );
  return result.committed;
}

function parseTerm(text: string): { readonly holder: string; readonly until: number } | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || !('holder' in value) || !('until' in value)) return undefined;
  const { holder, until } = value;
  return typeof holder === 'string' && typeof until === 'number' ? { holder, until } : undefined;
}
