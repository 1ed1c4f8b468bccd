/**
 * Guaranteed update, as upstream calls it: an attempt is made on the cached state; what it refuses or finds unchanged is confirmed on a proven state; what
 * it wants to store is one transaction, and a lost race brings the present state for the next attempt in the same round trip. Dry run ends here, for
 * every verb. Knows neither verbs nor kinds.
 */
import { internalError, StatusError, timeout } from '../../../shared/api/errors/status';
import type { Clock } from '../../../shared/runtime/clock';
import type { KeyWrite } from '../../allocation/claims';
import type { Cache, Entry, StoredType } from '../../cache/cache';
import { createEntry } from '../../cache/store/entry';
import { commit } from '../../storage/commit';
import { unreadableReason } from '../../storage/unreadable-value';
import {
  StoreError,
  type KeyValue,
  type StoreOperation,
  type Revision,
  type Store,
  type Transaction,
  type TransactionResult,
} from '../../storage/store';
import type { TraceSpan, SpanAttributes } from '../../tracing/span';
import { StateChanged } from '../admission';

/** A key that a write looks at. */
export interface WatchedKey {
  readonly type: StoredType;
  /** Below the type's segment. */
  readonly key: string;
  /** In the store. */
  readonly storeKey: string;
}

/** An object besides its own on which a write rests. */
export interface Guard extends WatchedKey {
  /** The member of {@link Current} that shows it. */
  readonly name: 'namespace' | 'definition' | 'lease';
  /** Its state is compared in the transaction of every write, or only where the object is born: nothing is born in what is going away. */
  readonly compared: 'always' | 'at-birth';
  /** Asked of its present state before anything is stored; returns the refusal. */
  readonly refusal?: (entry: Entry | undefined) => StatusError | undefined;
}

/** The object's state and that of its guards; undefined = does not exist, or is nothing that the write rests on. */
export interface Current {
  readonly entry: Entry | undefined;
  readonly namespace: Entry | undefined;
  readonly definition: Entry | undefined;
  /** The Lease that a fenced write rests on. */
  readonly lease: Entry | undefined;
  /** It was the store's state at some moment since the request began, so that a refusal can rest on it. */
  readonly proven: boolean;
  /** Why the object's stored value cannot be read, where it cannot. */
  readonly unreadable?: string;
}

/** What an attempt came to. */
export type Attempt<R> =
  /** Nothing to store: the answer rests on the state alone. */
  | {
      readonly type: 'answer';
      readonly result: R;
      /** The object is to be as it is: makes the answer where it has been stored anew, because its value was written in another way than values are now. */
      readonly unchanged?: (entry: Entry) => R;
    }
  | {
      readonly type: 'store';
      /** The object is being born. */
      readonly isBirth?: true;
      readonly operation: StoreOperation;
      /** Keys of no API object that change, or must not have changed, with the object. */
      readonly alongside?: readonly KeyWrite[];
      /** `revision` = the write's own; undefined = it was a dry run, and nothing was stored. */
      readonly finish: (revision: Revision | undefined) => R;
    };

export interface Attempts {
  readonly object: WatchedKey;
  readonly guards: readonly Guard[];
  /** In ms of Clock.monotonic. */
  readonly deadline: number;
  /** Nothing is stored. It begins with a proven state, because it never meets the store's own compare. */
  readonly dryRun: boolean;
  /** How an earlier update of this request left the object: it begins there. */
  readonly left?: Entry | undefined;
  /** Acquires a slot on the event loop before the response is made: many writes are stored at once. */
  readonly acquireSlot?: () => Promise<unknown> | undefined;
  /** Takes note of how long the store is waited for. Absent = nobody does. */
  readonly timed?: <T>(work: Promise<T>) => Promise<T>;
  /** Refusals rest on more than the objects above, so only a cache that has caught up proves them. */
  readonly restsOnMore: boolean;
  /** It begins with a proven state, because somebody outside is shown it. */
  readonly provesFirst?: boolean | undefined;
  /** Where it is told in the trace of its request. Absent = it is in none. */
  readonly trace?: TraceSpan | undefined;
  /** What it is called there; absent = it has no name, only its calls of the store have. */
  readonly called?: 'Create etcd3' | 'GuaranteedUpdate etcd3' | undefined;
  /** The object is to be born: what to say where there is one already that cannot be read. Absent = why it cannot be. */
  readonly taken?: (() => StatusError) | undefined;
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
export function guaranteedUpdate<R>(
  dependencies: AttemptDependencies,
  attempts: Attempts,
  attempt: (current: Current) => Attempt<R> | Promise<Attempt<R>>,
): Promise<R> {
  const { trace, called } = attempts;
  if (trace === undefined || called !== 'GuaranteedUpdate etcd3') return attempted(dependencies, attempts, attempt, undefined);
  return trace.runInChildSpan(called, shownIn(attempts), (span) => attempted(dependencies, attempts, attempt, span));
}

async function attempted<R>(
  dependencies: AttemptDependencies,
  attempts: Attempts,
  attempt: (current: Current) => Attempt<R> | Promise<Attempt<R>>,
  span: TraceSpan | undefined,
): Promise<R> {
  const { cache, clock } = dependencies;
  let current = attempts.dryRun || attempts.provesFirst === true ? await proven(dependencies, attempts) : first(cache, attempts);
  span?.addEvent('initial value restored');
  const since = cache.revision;
  for (;;) {
    let step: Attempt<R>;
    try {
      checkReadable(attempts, current);
      const made = attempt(current);
      step = made instanceof Promise ? await made : made;
      if (step.type === 'store') checkGuards(attempts, current);
    } catch (error) {
      const isPast = error instanceof StateChanged;
      if (!isPast && (current.proven || !(error instanceof StatusError))) throw error;
      current = await proven(dependencies, attempts);
      continue;
    }
    if (step.type === 'answer') {
      const confirmed = current.proven ? current : await proven(dependencies, attempts);
      if (confirmed.entry?.revision === current.entry?.revision) return writtenAnew(dependencies, attempts, confirmed, step);
      current = confirmed;
      continue;
    }
    if (attempts.dryRun) return step.finish(undefined);
    const compared = comparedBy(attempts, step.isBirth === true);
    span?.addEvent('Transaction prepared');
    const stored = storing(dependencies, attempts, transactionOf(compared, current, step), since);
    const result = await (attempts.timed?.(stored) ?? stored);
    span?.addEvent('Txn call completed');
    if (result.committed) {
      span?.addEvent('Transaction committed');
      await cache.waitForRevision(result.revision, { deadline: clock.monotonic() + ECHO_PATIENCE_MS });
      await attempts.acquireSlot?.();
      return step.finish(result.revision);
    }
    if (clock.monotonic() >= attempts.deadline)
      throw timeout('request did not complete within requested timeout - context deadline exceeded');
    step.alongside?.forEach((write, index) => write.lost(result.current[compared.length + index], result.revision));
    current = afterLostRace(attempts, compared, current, result.current);
    checkReadable(attempts, { ...current, proven: true });
  }
}

function storing(
  { store, clock }: AttemptDependencies,
  attempts: Attempts,
  transaction: Transaction,
  since: Revision,
): Promise<TransactionResult> {
  const { deadline, trace, called } = attempts;
  if (trace === undefined || called !== 'Create etcd3') return commit(store, transaction, { clock, deadline, since });
  return trace.runInChildSpan(called, shownIn(attempts), async (span) => {
    const result = await commit(store, transaction, { clock, deadline, since });
    span.addEvent('Txn call succeeded');
    return result;
  });
}

function shownIn({ object: { type, key } }: Attempts): SpanAttributes {
  return { key: `/${type.segment}/${key}`, resource: type.name };
}

/** Unproven also where an earlier update left the object: its guards are still the cache's word. */
function first(cache: Cache, attempts: Attempts): Current {
  const state = cached(cache, attempts, false);
  return attempts.left === undefined ? state : { ...state, entry: attempts.left };
}

/** A birth meets what cannot be read where it is stored, as others do that are before it. */
function checkReadable({ taken }: Attempts, { unreadable, proven: isProven }: Current): void {
  if (unreadable === undefined || (taken !== undefined && !isProven)) return;
  throw taken?.() ?? internalError(unreadable);
}

/**
 * Answers that nothing has changed. Where the value was written in another way than values are now, it is stored again first; should somebody else store
 * the object meanwhile, it is written as it should be all the same.
 */
async function writtenAnew<R>(
  { store, clock, cache }: AttemptDependencies,
  attempts: Attempts,
  current: Current,
  { result, unchanged }: Extract<Attempt<R>, { type: 'answer' }>,
): Promise<R> {
  const { object, deadline, dryRun } = attempts;
  if (unchanged === undefined || dryRun || store.getStale === undefined) return result;
  const outdated = await store.getStale(object.storeKey, { deadline });
  if (outdated === undefined || outdated.modRevision !== current.entry?.revision) return result;
  const { value } = outdated;
  const operation = { type: 'put', key: object.storeKey, value } as const;
  const transaction = transactionOf(comparedBy(attempts, false), current, { type: 'store', operation, finish: () => result });
  const written = await commit(store, transaction, { clock, deadline, since: cache.revision });
  if (!written.committed) return result;
  await cache.waitForRevision(written.revision, { deadline: clock.monotonic() + ECHO_PATIENCE_MS });
  return unchanged(createEntry(object.type, object.key, written.revision, value));
}

function checkGuards({ guards }: Attempts, current: Current): void {
  for (const { name, refusal } of guards) {
    const refused = refusal?.(current[name]);
    if (refused !== undefined) throw refused;
  }
}

/** What a write's transaction compares: the object first. A leader that writes its own Lease meets the compare of the object itself. */
function comparedBy({ object, guards }: Attempts, isBirth: boolean): readonly (WatchedKey | Guard)[] {
  const others = guards.filter(({ compared, storeKey }) => (isBirth || compared === 'always') && storeKey !== object.storeKey);
  return [object, ...others];
}

function shownAs(current: Current, watched: WatchedKey | Guard): Entry | undefined {
  return 'name' in watched ? current[watched.name] : current.entry;
}

function transactionOf<R>(
  compared: readonly (WatchedKey | Guard)[],
  current: Current,
  step: Extract<Attempt<R>, { type: 'store' }>,
): Transaction {
  const compare = compared.map((watched) => ({ key: watched.storeKey, modRevision: shownAs(current, watched)?.revision ?? 0 }));
  const operations = [step.operation];
  for (const { key, modRevision, operation } of step.alongside ?? []) {
    compare.push({ key, modRevision });
    if (operation !== undefined) operations.push(operation);
  }
  return { compare, operations };
}

/** The state that the store answered with; what was not compared is as it was. */
function afterLostRace(
  attempts: Attempts,
  compared: readonly WatchedKey[],
  before: Current,
  present: readonly (KeyValue | undefined)[],
): Current {
  const find = (watched: WatchedKey, known: Entry | undefined): Entry | undefined => {
    const at = compared.findIndex(({ storeKey }) => storeKey === watched.storeKey);
    return at === -1 ? known : entryOf(watched, present[at]);
  };
  const unreadable = present[0] === undefined ? undefined : unreadableReason(present[0].value);
  return { ...stateOf(attempts, (watched) => find(watched, shownAs(before, watched)), !attempts.restsOnMore), ...because(unreadable) };
}

const because = (unreadable: string | undefined): Pick<Current, 'unreadable'> => (unreadable === undefined ? {} : { unreadable });

function stateOf({ object, guards }: Attempts, find: (watched: WatchedKey | Guard) => Entry | undefined, isProven: boolean): Current {
  const of = (name: Guard['name']): Entry | undefined => {
    const guard = guards.find((other) => other.name === name);
    return guard === undefined ? undefined : find(guard);
  };
  return { entry: find(object), namespace: of('namespace'), definition: of('definition'), lease: of('lease'), proven: isProven };
}

function cached(cache: Cache, attempts: Attempts, isProven: boolean): Current {
  const { object } = attempts;
  const state = stateOf(attempts, (watched) => cache.get(watched.type, watched.key), isProven);
  return state.entry === undefined ? { ...state, ...because(cache.unreadableReason(object.type, object.key)) } : state;
}

/** The cache once it has caught up with the store, or, when it cannot in time, the store itself. */
async function proven(dependencies: AttemptDependencies, attempts: Attempts): Promise<Current> {
  const { cache, clock } = dependencies;
  const waited = { deadline: attempts.deadline };
  try {
    const wait = cache.waitUntilFresh(waited);
    await (attempts.timed?.(wait) ?? wait);
  } catch (error) {
    const isLate = error instanceof StoreError && error.failure === 'deadline';
    if (attempts.restsOnMore || !isLate || clock.monotonic() >= attempts.deadline) throw error;
    const found = new Map<WatchedKey, Entry | undefined>();
    for (const watched of [attempts.object, ...attempts.guards]) {
      found.set(watched, (await cache.readFromStore(watched.type, watched.key, waited)).entry);
    }
    return stateOf(attempts, (watched) => found.get(watched), true);
  }
  return cached(cache, attempts, true);
}

function entryOf(watched: WatchedKey, kv: KeyValue | undefined): Entry | undefined {
  return kv === undefined || unreadableReason(kv.value) !== undefined
    ? undefined
    : createEntry(watched.type, watched.key, kv.modRevision, kv.value);
}
