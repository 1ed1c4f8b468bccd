/**
 * Commits a transaction and resolves ambiguous outcomes: when the response is lost, it finds out whether the
 * transaction was committed. It compares bytes and revisions only and does not interpret values.
 */
import type { Clock } from '../../shared/runtime/clock';
import {
  singleKey,
  StoreError,
  type KeyValue,
  type StoreOperation,
  type Revision,
  type Store,
  type Transaction,
  type TransactionResult,
  type StoreEvent,
} from './store';

/** Limits of the time and of the history that are spent on finding the outcome. */
export interface CommitOptions {
  readonly clock: Clock;
  /** Deadline in milliseconds of the monotonic clock; default 34 s from now. */
  readonly deadline?: number;
  /**
   * A revision that the store had reached before the transaction was built (the cache's revision). With it, a creation
   * is recognized even if other clients deleted the key and created it again before the outcome was resolved.
   */
  readonly since?: Revision;
}

/** Time limit without a deadline: the one that upstream sets for a write. */
const DEFAULT_TIMEOUT_MS = 34_000;
/** Time after which the response to one attempt counts as lost. */
const ATTEMPT_MS = 10_000;
/** Delays between two attempts: the first, which doubles, and the limit. */
const FIRST_DELAY_MS = 50;
const MAX_DELAY_MS = 1_000;

/**
 * Commits `transaction` at most once. Rejects with `ambiguous` when the deadline passes, the history is compacted or the
 * store is closed before the outcome is known, or immediately when no condition makes a repetition safe; every other
 * failure means that it was not committed.
 *
 * Sending the same transaction again is safe when it compares the mod revision of a key that it writes (the guarded
 * key): then it can be committed only once. If that comparison fails, the history of the guarded key shows whether the
 * lost attempt or another client changed it.
 *
 * etcd may report that it is full for a write that it has just committed. A full store refuses a repetition, so the
 * guarded key is read instead.
 */
export async function commit(store: Store, transaction: Transaction, options: CommitOptions): Promise<TransactionResult> {
  const { clock, since } = options;
  const deadline = options.deadline ?? clock.monotonic() + DEFAULT_TIMEOUT_MS;
  const attempt = { store, transaction, clock, deadline };
  try {
    return await transact(attempt);
  } catch (error) {
    if (!(error instanceof StoreError) || (error.failure !== 'ambiguous' && error.failure !== 'no-space')) throw error;
    const guarded = findGuardedOperation(transaction);
    if (guarded === undefined) throw unknownOutcome(error.message);
    return resolveOutcome({ ...attempt, guarded, since }, error);
  }
}

interface Attempt {
  readonly store: Store;
  readonly transaction: Transaction;
  readonly clock: Clock;
  readonly deadline: number;
}

/** An attempt without a response. */
interface LostAttempt extends Attempt {
  readonly guarded: GuardedOperation;
  readonly since: Revision | undefined;
}

function transact({ store, transaction, clock, deadline }: Attempt): Promise<TransactionResult> {
  return store.transact(transaction, { deadline: Math.min(deadline, clock.monotonic() + ATTEMPT_MS) });
}

/** Finds the result of an attempt that failed with `failure`, which is `ambiguous` or `no-space`. */
async function resolveOutcome(lost: LostAttempt, failure: StoreError): Promise<TransactionResult> {
  const { clock, deadline } = lost;
  // A full store responds only after it has committed or refused the write: nothing is in flight, and one read resolves
  // the outcome.
  const isStoreFull = failure.failure === 'no-space';
  let reason = failure.message;
  for (let delay = isStoreFull ? 0 : FIRST_DELAY_MS; clock.monotonic() + delay < deadline; delay = nextDelay(delay)) {
    if (delay > 0) await clock.sleep(delay);
    try {
      const result = await (isStoreFull ? resolveByRead(lost) : resolveByRepetition(lost));
      if (result !== undefined) return result;
    } catch (error) {
      // This failure does not reveal the outcome of the attempt with the lost response.
      if (!(error instanceof StoreError)) throw error;
      reason = error.message;
      if (error.failure === 'closed' || error.failure === 'compacted') break;
      continue;
    }
    // The guarded key is unchanged, so a full store has refused the write.
    if (isStoreFull) throw failure;
  }
  throw unknownOutcome(reason);
}

function unknownOutcome(reason: string): StoreError {
  return new StoreError('ambiguous', `the outcome of a write is unknown: ${reason}`);
}

function nextDelay(delay: number): number {
  return Math.min(Math.max(2 * delay, FIRST_DELAY_MS), MAX_DELAY_MS);
}

/**
 * Sends the transaction again. Resolves with undefined when the store is full and the guarded key is unchanged: the lost
 * attempt may then still be in flight.
 */
async function resolveByRepetition(lost: LostAttempt): Promise<TransactionResult | undefined> {
  let result: TransactionResult;
  try {
    result = await transact(lost);
  } catch (error) {
    if (!(error instanceof StoreError) || error.failure !== 'no-space') throw error;
    return resolveByRead(lost);
  }
  return result.committed ? result : resolveRefusal(lost, result);
}

/** Reads the compared keys. Resolves with undefined when the guarded key is unchanged. */
async function resolveByRead(lost: LostAttempt): Promise<TransactionResult | undefined> {
  const { index, expectedRevision } = lost.guarded;
  const refusal = await readComparedKeys(lost);
  return (refusal.current[index]?.modRevision ?? 0) === expectedRevision ? undefined : resolveRefusal(lost, refusal);
}

type Refusal = Extract<TransactionResult, { committed: false }>;

/** Returns the refusal itself, unless the history shows that the lost attempt was committed and is its cause. */
async function resolveRefusal(lost: LostAttempt, refusal: Refusal): Promise<TransactionResult> {
  const revision = await findOwnRevision(lost, refusal.current[lost.guarded.index]);
  return revision === undefined ? refusal : { committed: true, revision };
}

/** Reads what a refused transaction would return: the state of every compared key, at one revision. */
async function readComparedKeys({ store, transaction, deadline }: Attempt): Promise<Refusal> {
  const revision = await store.revision({ deadline });
  const reads = await Promise.all(transaction.compare.map(({ key }) => store.get(key, { revision, deadline })));
  return { committed: false, revision, current: reads.map(({ kv }) => kv) };
}

/** An operation on a key that the transaction conditions on its mod revision. */
interface GuardedOperation {
  readonly operation: StoreOperation;
  /** The expected mod revision; 0: the key must not exist. */
  readonly expectedRevision: Revision;
  /** Index of the condition in `compare`. */
  readonly index: number;
}

function findGuardedOperation({ compare, operations }: Transaction): GuardedOperation | undefined {
  for (const operation of operations) {
    const index = compare.findIndex((condition) => condition.key === operation.key && 'modRevision' in condition);
    const condition = compare[index];
    if (condition === undefined || !('modRevision' in condition)) continue;
    // Deleting a key that must not exist changes nothing, so its history does not show it.
    if (operation.type === 'put' || condition.modRevision > 0) return { operation, expectedRevision: condition.modRevision, index };
  }
  return undefined;
}

/**
 * The revision at which the lost attempt was committed; undefined when it was not. `current` is the state of the
 * guarded key. Also undefined for a creation of a key that has been deleted since: other clients have seen that object.
 */
async function findOwnRevision(lost: LostAttempt, current: KeyValue | undefined): Promise<Revision | undefined> {
  const { store, deadline, since } = lost;
  const { operation, expectedRevision } = lost.guarded;
  if (expectedRevision > 0) {
    // The key is unchanged: another condition failed, and fails for the lost attempt as well.
    if (current?.modRevision === expectedRevision) return undefined;
    // Only the first change after the expected revision can be the lost attempt.
    const first = await findEvent(lost, expectedRevision + 1, () => true);
    return matchesOperation(first, operation) ? first.revision : undefined;
  }
  if (current === undefined) return undefined;
  const { createRevision, modRevision: last } = current;
  if (since !== undefined) {
    // The search ends at the last change of the key. It starts at its creation where that lies before `since`.
    const isDecisive = (event: StoreEvent): boolean => matchesCreation(event, operation) || event.revision >= last;
    const event = await findEvent(lost, Math.min(since + 1, createRevision), isDecisive);
    return matchesCreation(event, operation) ? event.revision : undefined;
  }
  // Without `since`, only the creation of the present key is known.
  const { kv: created } = await store.get(operation.key, { revision: createRevision, deadline });
  return operation.type === 'put' && created?.value.equals(operation.value) === true ? createRevision : undefined;
}

function matchesOperation(event: StoreEvent, operation: StoreOperation): boolean {
  switch (operation.type) {
    case 'delete':
      return event.type === 'delete';
    case 'put':
      return event.type === 'put' && event.value.equals(operation.value);
  }
}

function matchesCreation(event: StoreEvent, operation: StoreOperation): boolean {
  return event.type === 'put' && event.created && matchesOperation(event, operation);
}

/**
 * The first event of the guarded key from revision `from` on that matches. Rejects when the history is compacted or the
 * deadline passes.
 */
function findEvent(
  { store, guarded, clock, deadline }: LostAttempt,
  from: Revision,
  matches: (event: StoreEvent) => boolean,
): Promise<StoreEvent> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      timer.cancel();
      watch.close();
    };
    const fail = (error: StoreError): void => {
      stop();
      reject(error);
    };
    const timer = clock.after(Math.max(0, deadline - clock.monotonic()), () => {
      fail(new StoreError('deadline', 'the history of the key was not read in time'));
    });
    const watch = store.watch(singleKey(guarded.operation.key), from, {
      events: (events) => {
        const match = events.find(matches);
        if (match === undefined) return;
        stop();
        resolve(match);
      },
      progress: () => undefined,
      compacted: (revision) => fail(new StoreError('compacted', 'the history of the key is compacted', revision)),
      connection: () => undefined,
    });
  });
}
