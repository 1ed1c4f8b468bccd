/**
 * Optimistic writing (design §3.4): an attempt is made on the cached state; what it refuses or finds unchanged is confirmed on a proven state; what
 * it wants to store is one transaction, and a lost race brings the present state for the next attempt in the same round trip.
 * Knows neither verbs nor kinds.
 */
import type { Clock } from '../../../shared/runtime/clock';
import type { KeyWrite } from '../../allocation/claims';
import { StatusError, timeout } from '../../../shared/api/errors/status';
import type { Cache, Entry, StoredType } from '../../cache/cache';
import { makeEntry } from '../../cache/entry';
import { commit } from '../../storage/commit';
import { StoreError, type KeyValue, type Operation, type Revision, type Store } from '../../storage/store';

/** A key that a write looks at. */
export interface Watched {
  readonly type: StoredType;
  /** Below the type's segment. */
  readonly key: string;
  /** In the store. */
  readonly storeKey: string;
}

/** The object's state and, for namespaced objects, its Namespace's, for custom ones their definition's: undefined = does not exist. */
export interface Current {
  readonly entry: Entry | undefined;
  readonly namespace: Entry | undefined;
  readonly definition: Entry | undefined;
  /** The Lease that a fenced write rests on. */
  readonly lease: Entry | undefined;
  /** It was the store's state at some moment since the request began, so that a refusal can rest on it. */
  readonly proven: boolean;
}

/** The Lease that a write depends on. */
export interface Fencing {
  readonly lease: Watched;
  /** Whether the Lease, as it is, still bears the write. */
  holds(lease: Entry | undefined): boolean;
  refusal(): StatusError;
}

/** What an attempt came to. */
export type Step<R> =
  /** Nothing to store: the answer rests on the state alone. */
  | { readonly type: 'answer'; readonly result: R }
  | {
      readonly type: 'store';
      /** The object is being born: its Namespace and its definition must still be as they were. */
      readonly guarded: boolean;
      readonly operation: Operation;
      /** Keys of no API object that change, or must not have changed, with the object. */
      readonly alongside?: readonly KeyWrite[];
      /** `revision` = the write's own. */
      readonly finish: (revision: Revision) => R;
    };

export interface Attempts {
  readonly object: Watched;
  readonly namespace: Watched | undefined;
  readonly definition: Watched | undefined;
  /** Absent for a write that rests on no term of leadership. */
  readonly fencing: Fencing | undefined;
  /** In ms of Clock.monotonic. */
  readonly deadline: number;
  /** Begin with a proven state: for what must be right the first time (a dry run never meets the store's own compare). */
  readonly prove: boolean;
  /** Refusals rest on more than the objects above, so only a cache that has caught up proves them. */
  readonly restsOnMore: boolean;
}

export interface AttemptDependencies {
  readonly store: Store;
  readonly cache: Cache;
  readonly clock: Clock;
}

/**
 * How long an answer waits for the replica to have seen its write. Controllers act on what their watches say: whoever is answered before the event
 * of his own write may act on the state before it, and meets a conflict. Longer than a healthy store's watch takes, and nothing that a client feels.
 */
const ECHO_PATIENCE_MS = 20;

/** Runs `attempt` until it has an answer. Rejects with its StatusError, or with StoreError. */
export async function settle<R>(
  dependencies: AttemptDependencies,
  attempts: Attempts,
  attempt: (current: Current) => Step<R> | Promise<Step<R>>,
): Promise<R> {
  const { store, cache, clock } = dependencies;
  let current = attempts.prove ? await proven(dependencies, attempts) : cached(cache, attempts, false);
  const since = cache.revision;
  for (;;) {
    let step: Step<R>;
    try {
      const made = attempt(current);
      step = made instanceof Promise ? await made : made;
    } catch (error) {
      if (current.proven || !(error instanceof StatusError)) throw error;
      current = await proven(dependencies, attempts);
      continue;
    }
    if (step.type === 'answer') {
      if (current.proven) return step.result;
      const confirmed = await proven(dependencies, attempts);
      if (confirmed.entry?.revision === current.entry?.revision) return step.result;
      current = confirmed;
      continue;
    }
    const { fencing } = attempts;
    if (fencing !== undefined && !fencing.holds(current.lease)) {
      if (current.proven) throw fencing.refusal();
      current = await proven(dependencies, attempts);
      continue;
    }
    const namespace = step.guarded ? attempts.namespace : undefined;
    const definition = step.guarded ? attempts.definition : undefined;
    // A leader that writes its own Lease meets the compare of the object itself.
    const lease = fencing?.lease.storeKey === attempts.object.storeKey ? undefined : fencing?.lease;
    const compare = [
      condition(attempts.object, current.entry),
      ...(namespace === undefined ? [] : [condition(namespace, current.namespace)]),
      ...(definition === undefined ? [] : [condition(definition, current.definition)]),
      ...(lease === undefined ? [] : [condition(lease, current.lease)]),
    ];
    const objects = compare.length;
    const operations = [step.operation];
    for (const { key, modRevision, operation } of step.alongside ?? []) {
      compare.push({ key, modRevision });
      if (operation !== undefined) operations.push(operation);
    }
    const result = await commit(store, { compare, operations }, { clock, deadline: attempts.deadline, since });
    if (result.committed) {
      await cache.waitFor(result.revision, { deadline: clock.monotonic() + ECHO_PATIENCE_MS });
      return step.finish(result.revision);
    }
    if (clock.monotonic() >= attempts.deadline)
      throw timeout('request did not complete within requested timeout - context deadline exceeded');
    step.alongside?.forEach((write, index) => write.lost(result.current[objects + index], result.revision));
    const entry = entryOf(attempts.object, result.current[0]);
    current = {
      entry,
      namespace: namespace === undefined ? current.namespace : entryOf(namespace, result.current[1]),
      definition: definition === undefined ? current.definition : entryOf(definition, result.current[namespace === undefined ? 1 : 2]),
      lease: lease === undefined ? (fencing === undefined ? undefined : entry) : entryOf(lease, result.current[objects - 1]),
      proven: !attempts.restsOnMore,
    };
  }
}

function condition(watched: Watched, entry: Entry | undefined): { readonly key: string; readonly modRevision: Revision } {
  return { key: watched.storeKey, modRevision: entry?.revision ?? 0 };
}

function cached(cache: Cache, attempts: Attempts, isProven: boolean): Current {
  const find = (watched: Watched | undefined): Entry | undefined =>
    watched === undefined ? undefined : cache.get(watched.type, watched.key);
  return {
    entry: find(attempts.object),
    namespace: find(attempts.namespace),
    definition: find(attempts.definition),
    lease: find(attempts.fencing?.lease),
    proven: isProven,
  };
}

/** The cache once it has caught up with the store, or, when it cannot in time, the store itself. */
async function proven(dependencies: AttemptDependencies, attempts: Attempts): Promise<Current> {
  const { cache } = dependencies;
  const waited = { deadline: attempts.deadline };
  try {
    await cache.mostRecent(waited);
  } catch (error) {
    if (
      attempts.restsOnMore ||
      !(error instanceof StoreError) ||
      error.failure !== 'deadline' ||
      dependencies.clock.monotonic() >= attempts.deadline
    )
      throw error;
    const read = async (watched: Watched | undefined): Promise<Entry | undefined> =>
      watched === undefined ? undefined : (await cache.read(watched.type, watched.key, waited)).entry;
    return {
      entry: await read(attempts.object),
      namespace: await read(attempts.namespace),
      definition: await read(attempts.definition),
      lease: await read(attempts.fencing?.lease),
      proven: true,
    };
  }
  return cached(cache, attempts, true);
}

function entryOf(watched: Watched, kv: KeyValue | undefined): Entry | undefined {
  return kv === undefined ? undefined : makeEntry(watched.type, watched.key, kv.modRevision, kv.value);
}
