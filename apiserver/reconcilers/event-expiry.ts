/**
 * Deletes expired Events, each in its own transaction, on one replica at a time. A second replica would do no harm,
 * because each deletion compares the revision of the expired object. Deletions run concurrently, because sequential ones
 * would fall behind the many writers of Events. The expiry times are set when Events are written.
 */
import { withConcurrencyLimit } from '../../shared/scheduling/concurrency-limit';
import type { Clock, Timer } from '../../shared/runtime/clock';
import type { Cache, StoredType } from '../cache/cache';
import { TimeSlice } from '../../shared/scheduling/yielding';
import { StoreError, type Revision, type Store } from '../storage/store';
import { expiryTimeOf } from '../registry/object/hidden-fields';
import { tryAcquireOrRenew } from './leader-term';

/** Time between passes. */
const INTERVAL_MS = 15_000;
/** A replica that has not renewed its term for this time loses it. */
const TERM_MS = 60_000;
/** Time limit of a deletion. */
const CALL_MS = 5_000;
/** With a store that takes 20 ms per deletion, this deletes 1,600 objects per second. */
const DELETE_CONCURRENCY = 32;
/** Expired objects per batch. The term is checked before each batch. */
const BATCH_OBJECTS = 1000;

/** Dependencies of the expiry, and the types that it covers. */
export interface EventExpiryOptions {
  readonly store: Store;
  readonly cache: Cache;
  /** Types with expiring objects: Events. */
  readonly types: readonly StoredType[];
  /** Without a trailing slash. */
  readonly prefix: string;
  /** Unique per replica. */
  readonly holder: string;
  readonly clock: Clock;
  /** Called when a pass fails; the next one is made 15 seconds later, as after any other pass. */
  readonly onFailure: (message: string, error: unknown) => void;
}

/** The running expiry of this replica. */
export interface EventExpiry {
  /** Runs a pass at once, unless another replica holds the term; resolves with the number of deleted objects. */
  runPass(): Promise<number>;
  /** Starts no further deletion; deletions in flight continue. */
  stop(): void;
}

/** Makes the first pass after 15 seconds. */
export function startEventExpiry(options: EventExpiryOptions): EventExpiry {
  const { store, prefix, holder, clock, onFailure } = options;
  let isStopped = false;
  let timer: Timer | undefined;
  const isRunning = (): boolean => !isStopped;
  const term = { store, key: `${prefix}/event-expiry`, holder, lengthMs: TERM_MS, clock };
  const runPass = async (): Promise<number> => {
    let deleted = 0;
    for await (const expired of expiredBatches(options)) {
      if (isStopped || !(await tryAcquireOrRenew(term))) break;
      deleted += await deleteExpired(options, expired, isRunning);
    }
    return deleted;
  };
  const tick = (): void => {
    void runPass()
      .catch((error: unknown) => {
        const isStoreFailure = error instanceof StoreError;
        onFailure(isStoreFailure ? 'expired Events could not be deleted yet' : 'the expiry of Events failed', error);
      })
      .then(scheduleNextPass);
  };
  const scheduleNextPass = (): void => {
    if (!isStopped) timer = clock.after(INTERVAL_MS, tick);
  };
  scheduleNextPass();
  return {
    runPass,
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

/** The objects of all types that have expired when the generator starts, in batches. */
async function* expiredBatches(options: EventExpiryOptions): AsyncGenerator<readonly ExpiredObject[], void, undefined> {
  const now = options.clock.now();
  for (const type of options.types) {
    let startKey: string | undefined = '';
    while (startKey !== undefined) {
      const batch: ExpiredBatch = await readBatch(options, type, startKey, now);
      if (batch.expired.length > 0) yield batch.expired;
      startKey = batch.nextKey;
    }
  }
}

interface ExpiredBatch {
  readonly expired: readonly ExpiredObject[];
  /** The key at which the next batch starts; `undefined` when the type has no more objects. */
  readonly nextKey: string | undefined;
}

/** Reads a batch from `startKey` on. Uses a snapshot of its own, so that none is retained during deletions. */
async function readBatch(
  { cache, prefix, clock }: EventExpiryOptions,
  type: StoredType,
  startKey: string,
  now: number,
): Promise<ExpiredBatch> {
  const slice = new TimeSlice(clock);
  const expired: ExpiredObject[] = [];
  for (const entry of cache.snapshot(type).range(startKey)) {
    if (expired.length === BATCH_OBJECTS) return { expired, nextKey: entry.key };
    const expiry = expiryTimeOf(entry);
    const isExpired = expiry !== undefined && expiry <= now;
    if (isExpired) expired.push({ key: `${prefix}/${type.segment}/${entry.key}`, revision: entry.revision });
    const pause = slice.yieldIfDue();
    if (pause !== undefined) await pause;
  }
  return { expired, nextKey: undefined };
}

/**
 * Deletes a batch and returns the number of deleted objects. Keeps objects that were written again. After a failed
 * deletion it starts no more and rejects with the StoreError.
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
