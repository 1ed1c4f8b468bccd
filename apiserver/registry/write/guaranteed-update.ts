/**
 * GuaranteedUpdate as in upstream's storage interface. An attempt runs on cached state. If it rejects the request or
 * changes nothing, the next attempt confirms that on fresh state. Otherwise it stores its result in one transaction. A
 * transaction that fails its compare returns the current state, on which the next attempt runs. A dry run ends before the
 * transaction.
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
import type { RequestContext } from '../verbs';

/** Identifies an object in the cache and in the store. */
export interface StateKey {
  readonly type: StoredType;
  /** Below the segment of the type. */
  readonly key: string;
  /** The key in the store. */
  readonly storeKey: string;
}

/** Another object on which a write depends. */
export interface Guard extends StateKey {
  /** The member of {@link CurrentState} that contains it. */
  readonly name: 'namespace' | 'definition' | 'lease';
  /**
   * Which writes compare its revision. A namespace and a definition are compared on create only: nothing may be created
   * in them while they are being deleted, but existing objects may be changed.
   */
  readonly compared: 'always' | 'on-create';
  /** Returns the rejection for the guard's current state. Called before anything is stored. */
  readonly refusal?: (entry: Entry | undefined) => StatusError | undefined;
}

/**
 * The object and its guards; `undefined` for those that do not exist or cannot be decoded, and for guards on which the
 * write does not depend.
 */
export interface CurrentState {
  readonly entry: Entry | undefined;
  readonly namespace: Entry | undefined;
  readonly definition: Entry | undefined;
  /** The Lease of a fencing token. */
  readonly lease: Entry | undefined;
  /** The state was current at some time after the request started, so a rejection can be based on it. */
  readonly isFresh: boolean;
  /** Why the stored value of the object cannot be decoded. */
  readonly unreadable?: string;
}

/** What an attempt has led to: a response, or a transaction from which the response follows. */
export type AttemptResult<R> = ResponseResult<R> | StoreResult<R>;

/** Nothing is stored; the response follows from the state. */
interface ResponseResult<R> {
  readonly type: 'response';
  readonly result: R;
  /** Set when the object stays the same. Creates the response after an outdated value has been rewritten. */
  readonly unchanged?: (entry: Entry) => R;
}

/** The transaction of an attempt, and the response once it is committed. */
interface StoreResult<R> {
  readonly type: 'store';
  /** The object is created. */
  readonly isCreate?: true;
  readonly operation: StoreOperation;
  /** Keys other than API objects that are written or compared in the transaction. */
  readonly alongside?: readonly KeyWrite[];
  /** Creates the response. `revision`: of the transaction; `undefined` in a dry run. */
  readonly finish: (revision: Revision | undefined) => R;
  /** Called instead of `finish` when nothing was stored, or when that is unknown. */
  readonly abandon?: () => void;
}

/** What the attempts of one write share. */
export interface UpdateAttempts {
  readonly context: Pick<RequestContext, 'acquireSlot' | 'trace' | 'trackStorageLatency'>;
  readonly object: StateKey;
  readonly guards: readonly Guard[];
  /** In ms of Clock.monotonic. */
  readonly deadline: number;
  /** Nothing is stored. Attempts start on fresh state, because no transaction compares revisions. */
  readonly dryRun: boolean;
  /** The object as the previous transaction of this request left it; attempts start with it. */
  readonly startEntry?: Entry | undefined;
  /** Rejections depend on further objects, so they can be confirmed only with a cache that has caught up. */
  readonly dependsOnOtherObjects: boolean;
  /** Attempts start on fresh state, because a webhook sees it. */
  readonly requiresFreshState?: boolean | undefined;
  /** Name of the span of a traced request; without one only the calls of the store have spans. */
  readonly traceName?: 'Create etcd3' | 'GuaranteedUpdate etcd3' | undefined;
  /**
   * Set for creates: the error when the stored value of an existing object cannot be decoded. Absent: the error states
   * why it cannot.
   */
  readonly alreadyExistsError?: (() => StatusError) | undefined;
}

/** What the attempts use. */
export interface AttemptDependencies {
  readonly store: Store;
  readonly cache: Cache;
  readonly clock: Clock;
}

/**
 * How long a response waits until the watch of this replica has delivered the write. A controller that gets the
 * response before the event may act on the state before its own write, which leads to a conflict. The limit exceeds
 * the watch latency of a healthy store, and clients do not notice it.
 */
const MAX_WATCH_WAIT_MS = 20;

/**
 * Runs attempts until one has a response. Rejects with the StatusError of an attempt, with 504 when attempts conflict
 * until the deadline, or with StoreError.
 */
export function guaranteedUpdate<R>(
  dependencies: AttemptDependencies,
  attempts: UpdateAttempts,
  attempt: (current: CurrentState) => AttemptResult<R> | Promise<AttemptResult<R>>,
): Promise<R> {
  const { traceName } = attempts;
  const { trace } = attempts.context;
  if (trace === undefined || traceName !== 'GuaranteedUpdate etcd3') return runAttempts(dependencies, attempts, attempt, undefined);
  return trace.runInChildSpan(traceName, traceAttributes(attempts), (span) => runAttempts(dependencies, attempts, attempt, span));
}

async function runAttempts<R>(
  dependencies: AttemptDependencies,
  attempts: UpdateAttempts,
  attempt: (current: CurrentState) => AttemptResult<R> | Promise<AttemptResult<R>>,
  span: TraceSpan | undefined,
): Promise<R> {
  const { cache, clock } = dependencies;
  let current =
    attempts.dryRun || attempts.requiresFreshState === true ? await readFreshState(dependencies, attempts) : cachedState(cache, attempts);
  span?.addEvent('initial value restored');
  // If a commit gets no response, `commit` looks in the history after this revision for its outcome.
  const startRevision = cache.revision;
  for (;;) {
    let outcome: AttemptResult<R>;
    // Run the attempt. A rejection on state that is not fresh is not final.
    try {
      checkReadable(attempts, current);
      const pending = attempt(current);
      outcome = pending instanceof Promise ? await pending : pending;
      if (outcome.type === 'store') checkGuards(attempts, current, outcome);
    } catch (error) {
      const isStale = error instanceof StateChanged;
      if (!isStale && (current.isFresh || !(error instanceof StatusError))) throw error;
      current = await readFreshState(dependencies, attempts);
      continue;
    }
    // Nothing to store: the response is final if the object is the same in fresh state.
    if (outcome.type === 'response') {
      const confirmed = current.isFresh ? current : await readFreshState(dependencies, attempts);
      if (confirmed.entry?.revision === current.entry?.revision) return rewriteIfOutdated(dependencies, attempts, confirmed, outcome);
      current = confirmed;
      continue;
    }
    // Store the result.
    if (attempts.dryRun) return outcome.finish(undefined);
    const compared = comparedKeys(attempts, outcome.isCreate === true ? 'create' : 'update');
    span?.addEvent('Transaction prepared');
    const committing = commitTraced(dependencies, attempts, transactionOf(compared, current, outcome), startRevision);
    const result = await (attempts.context.trackStorageLatency?.(committing) ?? committing).catch((error: unknown) => {
      outcome.abandon?.();
      throw error;
    });
    span?.addEvent('Txn call completed');
    if (result.committed) {
      span?.addEvent('Transaction committed');
      await cache.waitForRevision(result.revision, { deadline: clock.monotonic() + MAX_WATCH_WAIT_MS });
      // Many writes complete in the same turn of the event loop, so the response waits for a slot again.
      await attempts.context.acquireSlot?.();
      return outcome.finish(result.revision);
    }
    // The compare failed: continue on the state that the transaction returned.
    outcome.alongside?.forEach((write, index) => write.onConflict(result.current[compared.length + index], result.revision));
    outcome.abandon?.();
    if (clock.monotonic() >= attempts.deadline)
      throw timeout('request did not complete within requested timeout - context deadline exceeded');
    current = stateAfterConflict(attempts, compared, current, result.current);
    // The transaction has just read this state, so an unreadable object is rejected even by a create.
    checkReadable(attempts, { ...current, isFresh: true });
  }
}

function commitTraced(
  { store, clock }: AttemptDependencies,
  attempts: UpdateAttempts,
  transaction: Transaction,
  since: Revision,
): Promise<TransactionResult> {
  const { deadline, traceName } = attempts;
  const { trace } = attempts.context;
  if (trace === undefined || traceName !== 'Create etcd3') return commit(store, transaction, { clock, deadline, since });
  return trace.runInChildSpan(traceName, traceAttributes(attempts), async (span) => {
    const result = await commit(store, transaction, { clock, deadline, since });
    span.addEvent('Txn call succeeded');
    return result;
  });
}

function traceAttributes({ object: { type, key } }: UpdateAttempts): SpanAttributes {
  return { key: `/${type.segment}/${key}`, resource: type.name };
}

/** Not fresh even with `startEntry`, because the guards come from the cache. */
function cachedState(cache: Cache, attempts: UpdateAttempts): CurrentState {
  const state = readCachedState(cache, attempts, { isFresh: false });
  return attempts.startEntry === undefined ? state : { ...state, entry: attempts.startEntry };
}

/**
 * A create does not fail on cached state that cannot be decoded: other checks of the object come first, and the
 * object may have been deleted.
 */
function checkReadable({ alreadyExistsError }: UpdateAttempts, { unreadable, isFresh }: CurrentState): void {
  if (unreadable === undefined || (alreadyExistsError !== undefined && !isFresh)) return;
  throw alreadyExistsError?.() ?? internalError(unreadable);
}

/**
 * Returns the response to an unchanged object. If its stored value is outdated, for example encrypted with an old
 * key, it is rewritten first; that attempt may lose to another writer, which then stores a current value.
 */
async function rewriteIfOutdated<R>(
  { store, clock, cache }: AttemptDependencies,
  attempts: UpdateAttempts,
  current: CurrentState,
  { result, unchanged }: ResponseResult<R>,
): Promise<R> {
  const { object, deadline, dryRun } = attempts;
  if (unchanged === undefined || dryRun || store.getStale === undefined) return result;
  const outdated = await store.getStale(object.storeKey, { deadline });
  if (outdated === undefined || outdated.modRevision !== current.entry?.revision) return result;
  const { value } = outdated;
  const operation = { type: 'put', key: object.storeKey, value } as const;
  const transaction = transactionOf(comparedKeys(attempts, 'update'), current, { operation });
  const rewrite = await commit(store, transaction, { clock, deadline, since: cache.revision });
  if (!rewrite.committed) return result;
  await cache.waitForRevision(rewrite.revision, { deadline: clock.monotonic() + MAX_WATCH_WAIT_MS });
  return unchanged(createEntry(object.type, object.key, rewrite.revision, value));
}

function checkGuards({ guards }: UpdateAttempts, current: CurrentState, { abandon }: Pick<StoreResult<unknown>, 'abandon'>): void {
  for (const { name, refusal } of guards) {
    const refusalError = refusal?.(current[name]);
    if (refusalError === undefined) continue;
    abandon?.();
    throw refusalError;
  }
}

/**
 * The keys that a transaction compares, the object first. A leader that writes its own Lease compares it once, as the
 * object.
 */
function comparedKeys({ object, guards }: UpdateAttempts, verb: 'create' | 'update'): readonly (StateKey | Guard)[] {
  const otherKeys = guards.filter(({ compared, storeKey }) => (verb === 'create' || compared === 'always') && storeKey !== object.storeKey);
  return [object, ...otherKeys];
}

function entryFor(current: CurrentState, stateKey: StateKey | Guard): Entry | undefined {
  return 'name' in stateKey ? current[stateKey.name] : current.entry;
}

function transactionOf(
  compared: readonly (StateKey | Guard)[],
  current: CurrentState,
  outcome: Pick<StoreResult<unknown>, 'alongside' | 'operation'>,
): Transaction {
  const compare = compared.map((stateKey) => ({ key: stateKey.storeKey, modRevision: entryFor(current, stateKey)?.revision ?? 0 }));
  const operations = [outcome.operation];
  for (const { key, modRevision, operation } of outcome.alongside ?? []) {
    compare.push({ key, modRevision });
    if (operation !== undefined) operations.push(operation);
  }
  return { compare, operations };
}

/** The state that the failed transaction returned. Guards that were not compared are unchanged. */
function stateAfterConflict(
  attempts: UpdateAttempts,
  compared: readonly StateKey[],
  before: CurrentState,
  stored: readonly (KeyValue | undefined)[],
): CurrentState {
  const find = (stateKey: StateKey, known: Entry | undefined): Entry | undefined => {
    const index = compared.findIndex(({ storeKey }) => storeKey === stateKey.storeKey);
    return index === -1 ? known : toEntry(stateKey, stored[index]);
  };
  const unreadable = stored[0] === undefined ? undefined : unreadableReason(stored[0].value);
  return {
    ...stateOf(attempts, (stateKey) => find(stateKey, entryFor(before, stateKey)), { isFresh: !attempts.dependsOnOtherObjects }),
    ...unreadableMember(unreadable),
  };
}

const unreadableMember = (unreadable: string | undefined): Pick<CurrentState, 'unreadable'> =>
  unreadable === undefined ? {} : { unreadable };

function stateOf(
  { object, guards }: UpdateAttempts,
  find: (stateKey: StateKey | Guard) => Entry | undefined,
  { isFresh }: Pick<CurrentState, 'isFresh'>,
): CurrentState {
  const guardEntry = (name: Guard['name']): Entry | undefined => {
    const guard = guards.find((candidate) => candidate.name === name);
    return guard === undefined ? undefined : find(guard);
  };
  return {
    entry: find(object),
    namespace: guardEntry('namespace'),
    definition: guardEntry('definition'),
    lease: guardEntry('lease'),
    isFresh,
  };
}

function readCachedState(cache: Cache, attempts: UpdateAttempts, freshness: Pick<CurrentState, 'isFresh'>): CurrentState {
  const { object } = attempts;
  const state = stateOf(attempts, (stateKey) => cache.get(stateKey.type, stateKey.key), freshness);
  return state.entry === undefined ? { ...state, ...unreadableMember(cache.unreadableReason(object.type, object.key)) } : state;
}

/**
 * Reads from the cache after it has caught up with the store, or from the store if the cache does not catch up in
 * time.
 */
async function readFreshState(dependencies: AttemptDependencies, attempts: UpdateAttempts): Promise<CurrentState> {
  const { cache, clock } = dependencies;
  const waitOptions = { deadline: attempts.deadline };
  try {
    const wait = cache.waitUntilFresh(waitOptions);
    await (attempts.context.trackStorageLatency?.(wait) ?? wait);
  } catch (error) {
    const isLate = error instanceof StoreError && error.failure === 'deadline';
    if (attempts.dependsOnOtherObjects || !isLate || clock.monotonic() >= attempts.deadline) throw error;
    const entries = new Map<StateKey, Entry | undefined>();
    for (const stateKey of [attempts.object, ...attempts.guards]) {
      entries.set(stateKey, (await cache.readFromStore(stateKey.type, stateKey.key, waitOptions)).entry);
    }
    return stateOf(attempts, (stateKey) => entries.get(stateKey), { isFresh: true });
  }
  return readCachedState(cache, attempts, { isFresh: true });
}

function toEntry(stateKey: StateKey, kv: KeyValue | undefined): Entry | undefined {
  return kv === undefined || unreadableReason(kv.value) !== undefined
    ? undefined
    : createEntry(stateKey.type, stateKey.key, kv.modRevision, kv.value);
}
