/**
 * Deletes expired Events, each in its own transaction, on one replica at a time. A second replica would do no harm,
 * because each deletion compares the revision of the expired object. Deletions run concurrently: sequential ones
 * would fall behind, since Events have many writers.
 */
import { withConcurrencyLimit } from '../../shared/scheduling/concurrency-limit';
import type { Clock, Timer } from '../../shared/runtime/clock';
import type { Cache, StoredType } from '../cache/cache';
import { TimeSlice } from '../../shared/scheduling/yielding';
import { StoreError, type Revision, type Store } from '../storage/store';
import { expiryTimeOf } from '../registry/object/hidden-fields';
import { tryAcquireOrRenew } from './leader-term';

const INTERVAL_MS = 15_000;
/** A replica that has not renewed its term for this time loses it. */
const TERM_MS = 60_000;
const CALL_MS = 5_000;
/** With a store that takes 20 ms per deletion, this deletes 1,600 objects per second. */
const DELETE_CONCURRENCY = 32;
/** Expired objects per batch. The term is checked before each batch. */
const BATCH = 1000;

/** Which objects expire, and how deletions are made. */
export interface EventExpiryOptions {
  readonly store: Store;
  readonly cache: Cache;
  /** Types with expiring objects. */
  readonly types: readonly StoredType[];
  /** Without a trailing slash. */
  readonly prefix: string;
  /** Unique per replica. */
  readonly holder: string;
  readonly clock: Clock;
  /** Called when a pass fails; the next one is made after the usual time. */
  readonly onFailure: (message: string, error: unknown) => void;
}

/** The running expiry of this replica. */
export interface EventExpiry {
  /** Runs a pass at once, unless another replica holds the term; resolves with the number of deleted objects. */
  pass(): Promise<number>;
  /** Starts no further deletion; deletions in flight continue. */
  stop(): void;
}

/** The first pass is made after the time between passes. */
export function startEventExpiry(options: EventExpiryOptions): EventExpiry {
  const { clock, onFailure } = options;
  let isStopped = false;
  let timer: Timer | undefined;
  const isRunning = (): boolean => !isStopped;
  const { store, prefix, holder } = options;
  const term = { store, key: `${prefix}/event-expiry`, holder, lengthMs: TERM_MS, clock };
  const pass = async (): Promise<number> => {
    let deleted = 0;
    for await (const expired of expiredBatches(options)) {
      if (isStopped || !(await tryAcquireOrRenew(term))) break;
      deleted += await deleteExpired(options, expired, isRunning);
    }
    return deleted;
  };
  const tick = (): void => {
    void pass()
      .catch((error: unknown) =>
        onFailure(error instanceof StoreError ? 'expired Events could not be deleted yet' : 'the expiry of Events failed', error),
      )
      .then(() => {
        if (!isStopped) timer = clock.after(INTERVAL_MS, tick);
      });
  };
  timer = clock.after(INTERVAL_MS, tick);
  return {
    pass,
    stop() {
      isStopped = true;
      timer?.cancel();
    },
  };
}

interface ExpiredObject {
  /** The key in the store. */
  readonly key: string;
  readonly revision: Revision;
}

/** Objects that have expired by now. Each batch uses a new snapshot, so that none is retained during deletions. */
async function* expiredBatches({
  cache,
  types,
  prefix,
  clock,
}: EventExpiryOptions): AsyncGenerator<readonly ExpiredObject[], void, undefined> {
  const now = clock.now();
  const slice = new TimeSlice(clock);
  for (const type of types) {
    for (let from: string | undefined = ''; from !== undefined;) {
      const expired: ExpiredObject[] = [];
      let next: string | undefined;
      for (const entry of cache.snapshot(type).range(from)) {
        if (expired.length === BATCH) {
          next = entry.key;
          break;
        }
        const expiry = expiryTimeOf(entry);
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

/**
 * Returns the number of deleted objects; objects that were written again are kept. Rejects with StoreError and then
 * starts no more deletions.
 */
async function deleteExpired(
  { store, clock }: EventExpiryOptions,
  expired: readonly ExpiredObject[],
  isRunning: () => boolean,
): Promise<number> {
  let deleted = 0;
  await withConcurrencyLimit(DELETE_CONCURRENCY, expired, async ({ key, revision }) => {
    if (!isRunning()) return;
    const deletion = { compare: [{ key, modRevision: revision }], operations: [{ type: 'delete', key }] } as const;
    const { committed } = await store.transact(deletion, { deadline: clock.monotonic() + CALL_MS });
    if (committed) deleted += 1;
  });
  return deleted;
}
