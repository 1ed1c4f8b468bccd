/**
 * Deletes expired objects (Events), each in a transaction of its own, on one replica at a time.
 * A second one would do no harm, since every deletion is conditioned on the revision that was found to be expired. Many writers make Events
 * at once, so many deletions are under way at once: one after the other they would fall behind for ever.
 */
import { withConcurrencyLimit } from '../../shared/scheduling/concurrency-limit';
import type { Clock, Timer } from '../../shared/runtime/clock';
import type { Cache, StoredType } from '../cache/cache';
import { TimeSlice } from '../../shared/scheduling/yielding';
import { StoreError, type Revision, type Store } from '../storage/store';
import { expiryOf } from '../registry/object/hidden-fields';
import { holdTerm } from './leader-term';

const INTERVAL_MS = 15_000;
/** A holder that has not renewed for so long is taken to be gone. */
const TERM_MS = 60_000;
const CALL_MS = 5_000;
/** Deletions under way at once: a store that takes 20 ms for each of them loses 1,600 objects a second. */
const IN_FLIGHT = 32;
/** Expired objects that are remembered at a time; the term is looked at before each batch. */
const BATCH = 1000;

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
  const wanted = (): boolean => !stopped;
  const { store, prefix, holder } = options;
  const term = { store, key: `${prefix}/event-expiry`, holder, lengthMs: TERM_MS, clock };
  const pass = async (): Promise<number> => {
    let deleted = 0;
    for await (const expired of batches(options)) {
      if (stopped || !(await holdTerm(term))) break;
      deleted += await remove(options, expired, wanted);
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

/** What has expired by now. Each batch is found in the state of its moment, so that none is held while objects are deleted. */
async function* batches({ cache, types, prefix, clock }: EventExpiryOptions): AsyncGenerator<readonly Expired[], void, undefined> {
  const now = clock.now();
  const slice = new TimeSlice(clock);
  for (const type of types) {
    for (let from: string | undefined = ''; from !== undefined;) {
      const expired: Expired[] = [];
      let next: string | undefined;
      for (const entry of cache.snapshot(type).range(from)) {
        if (expired.length === BATCH) {
          next = entry.key;
          break;
        }
        const expiry = expiryOf(entry);
        if (expiry !== undefined && expiry <= now)
          expired.push({ key: `${prefix}/${type.segment}/${entry.key}`, revision: entry.revision });
        const pause = slice.yieldIfDue();
        if (pause !== undefined) await pause;
      }
      if (expired.length > 0) yield expired;
      from = next;
    }
  }
}

/** Returns how many were deleted: those written again since they were found are spared. Rejects with StoreError, and then begins no more. */
async function remove({ store, clock }: EventExpiryOptions, expired: readonly Expired[], wanted: () => boolean): Promise<number> {
  let deleted = 0;
  await withConcurrencyLimit(IN_FLIGHT, expired, async ({ key, revision }) => {
    if (!wanted()) return;
    const deletion = { compare: [{ key, modRevision: revision }], operations: [{ type: 'delete', key }] } as const;
    const { committed } = await store.transact(deletion, { deadline: clock.monotonic() + CALL_MS });
    if (committed) deleted += 1;
  });
  return deleted;
}
