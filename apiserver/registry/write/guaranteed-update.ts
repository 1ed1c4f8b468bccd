/**
 * GuaranteedUpdate as in upstream's storage interface. An attempt runs on cached state. If it rejects the request or
 * changes nothing, the next attempt confirms that on fresh state. Otherwise it stores its result in one transaction. A
 * transaction that fails its compare returns the current state, on which the next attempt runs. A dry run ends before the
 * transaction. The state of an attempt is read in current-state.ts; what an attempt does is up to the caller.
 */
import { internalError, StatusError, timeout } from '../../../shared/api/errors/status';
import type { Clock } from '../../../shared/runtime/clock';
import type { KeyWrite } from '../../allocation/claims';
import type { MaybePromise } from '../../../shared/runtime/maybe-promise';
import type { Cache, Entry } from '../../cache/cache';
import { createEntry } from '../../cache/store/entry';
import { commit } from '../../storage/commit';
import type { StoreOperation, Revision, Store, Transaction, TransactionResult } from '../../storage/store';
import type { TraceSpan, SpanAttributes } from '../../tracing/span';
import { StateChanged } from '../admission';
import type { RequestContext } from '../verbs';
import {
  cachedState,
  entryFor,
  readFreshState,
  stateAfterConflict,
  type CurrentState,
  type Guard,
  type StateKey,
  type StateQuery,
} from './current-state';

/** What an attempt has led to: a response, or a transaction from which the response follows. */
export type AttemptResult<R> = ResponseResult<R> | StoreResult<R>;

/** Nothing is stored; the response follows from the state. */
interface ResponseResult<R> {
  readonly type: 'response';
  readonly result: R;
  /** Creates the response after an outdated stored value has been rewritten. Absent: it is never rewritten. */
  readonly respondAfterRewrite?: (entry: Entry) => R;
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
export interface UpdateAttempts extends StateQuery {
  readonly context: Pick<RequestContext, 'acquireSlot' | 'trace' | 'trackStorageLatency'>;
  /** Nothing is stored. Attempts start on fresh state, because no transaction compares revisions. */
  readonly dryRun: boolean;
  /** Attempts start on fresh state, because a webhook sees it or because repeating an attempt is expensive. */
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
 * One attempt on a state: returns or resolves with its result, or throws its rejection. Called again on another state
 * when the rejection is not final, and when the transaction conflicts with another write.
 */
export type Attempt<R> = (current: CurrentState) => MaybePromise<AttemptResult<R>>;

/**
 * Runs attempts until one has a response. Rejects with the StatusError of an attempt, with 504 when attempts conflict
 * until the deadline, or with StoreError.
 */
export function guaranteedUpdate<R>(dependencies: AttemptDependencies, attempts: UpdateAttempts, attempt: Attempt<R>): Promise<R> {
  const { traceName } = attempts;
  const { trace } = attempts.context;
  if (trace === undefined || traceName !== 'GuaranteedUpdate etcd3') return runAttempts(dependencies, attempts, attempt, undefined);
  return trace.runInChildSpan(traceName, traceAttributes(attempts), (span) => runAttempts(dependencies, attempts, attempt, span));
}

async function runAttempts<R>(
  dependencies: AttemptDependencies,
  attempts: UpdateAttempts,
  attempt: Attempt<R>,
  span: TraceSpan | undefined,
): Promise<R> {
  const { cache } = dependencies;
  const startsFresh = attempts.dryRun || attempts.requiresFreshState === true;
  let current = startsFresh ? await readFreshState(dependencies, attempts) : cachedState(cache, attempts);
  span?.addEvent('initial value restored');
  const run: AttemptsRun = { startRevision: cache.revision, span };
  for (;;) {
    const progress = await runAttempt(dependencies, attempts, attempt, current, run);
    if (progress.type === 'done') return progress.result;
    ({ current } = progress);
  }
}

/** The same for all attempts of one write. */
interface AttemptsRun {
  /** If a commit gets no response, {@link commit} looks in the history after this revision for its outcome. */
  readonly startRevision: Revision;
  readonly span: TraceSpan | undefined;
}

/** What follows from an attempt: the response of the write, or another attempt on the given state. */
type Progress<R> = { readonly type: 'done'; readonly result: R } | { readonly type: 'retry'; readonly current: CurrentState };

async function runAttempt<R>(
  dependencies: AttemptDependencies,
  attempts: UpdateAttempts,
  attempt: Attempt<R>,
  current: CurrentState,
  run: AttemptsRun,
): Promise<Progress<R>> {
  let outcome: AttemptResult<R>;
  try {
    checkReadable(attempts, current);
    const pending = attempt(current);
    outcome = pending instanceof Promise ? await pending : pending;
    if (outcome.type === 'store') checkGuards(attempts, current, outcome);
  } catch (error) {
    // A rejection on state that is not fresh is not final.
    const isFinal = current.isFresh || !(error instanceof StatusError);
    if (isFinal && !(error instanceof StateChanged)) throw error;
    return { type: 'retry', current: await readFreshState(dependencies, attempts) };
  }
  return outcome.type === 'response'
    ? confirmResponse(dependencies, attempts, current, outcome)
    : storeResult(dependencies, attempts, current, outcome, run);
}

/** A response for which nothing is stored is final if the object is the same in fresh state. */
async function confirmResponse<R>(
  dependencies: AttemptDependencies,
  attempts: UpdateAttempts,
  current: CurrentState,
  outcome: ResponseResult<R>,
): Promise<Progress<R>> {
  const confirmed = current.isFresh ? current : await readFreshState(dependencies, attempts);
  if (confirmed.entry?.revision !== current.entry?.revision) return { type: 'retry', current: confirmed };
  return { type: 'done', result: await rewriteIfOutdated(dependencies, attempts, confirmed, outcome) };
}

async function storeResult<R>(
  dependencies: AttemptDependencies,
  attempts: UpdateAttempts,
  current: CurrentState,
  outcome: StoreResult<R>,
  { startRevision, span }: AttemptsRun,
): Promise<Progress<R>> {
  if (attempts.dryRun) return { type: 'done', result: outcome.finish(undefined) };
  const { cache, clock } = dependencies;
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
    return { type: 'done', result: outcome.finish(result.revision) };
  }
  // `result.current` has the values of the compared keys, then those of the keys alongside.
  outcome.alongside?.forEach((write, index) => write.onConflict(result.current[compared.length + index], result.revision));
  outcome.abandon?.();
  if (clock.monotonic() >= attempts.deadline)
    throw timeout('request did not complete within requested timeout - context deadline exceeded');
  const next = stateAfterConflict(attempts, compared, current, result.current);
  // The transaction has just read this state, so an unreadable object is rejected even by a create.
  checkReadable(attempts, { ...next, isFresh: true });
  return { type: 'retry', current: next };
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
  { result, respondAfterRewrite }: ResponseResult<R>,
): Promise<R> {
  const { object, deadline, dryRun } = attempts;
  if (respondAfterRewrite === undefined || dryRun || store.getStale === undefined) return result;
  const outdated = await store.getStale(object.storeKey, { deadline });
  if (outdated === undefined || outdated.modRevision !== current.entry?.revision) return result;
  const { value } = outdated;
  const operation = { type: 'put', key: object.storeKey, value } as const;
  const transaction = transactionOf(comparedKeys(attempts, 'update'), current, { operation });
  const rewrite = await commit(store, transaction, { clock, deadline, since: cache.revision });
  if (!rewrite.committed) return result;
  await cache.waitForRevision(rewrite.revision, { deadline: clock.monotonic() + MAX_WATCH_WAIT_MS });
  return respondAfterRewrite(createEntry(object.type, object.key, rewrite.revision, value));
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
