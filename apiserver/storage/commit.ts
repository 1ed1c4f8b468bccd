/**
 * A transaction whose outcome is always known: a lost answer is settled instead of reported. It compares bytes and
 * revisions only and never looks into a value.
 *
 * Sending the same transaction again is safe because it is conditioned on a key that it writes: it can happen once. If
 * its condition then fails, the history of that key tells whether the lost attempt or somebody else changed it. etcd may
 * say that it is full of a write that it has just done; there the key itself is looked at, because nothing can be sent.
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

export interface CommitOptions {
  readonly clock: Clock;
  /** When to give up, in milliseconds of the monotonic clock; default 34 s from now. */
  readonly deadline?: number;
  /**
   * A revision that the store had reached before the transaction was made (the cache's clock). Lets a creation be
   * recognised even if the key was deleted and created again by others before the answer could be settled.
   */
  readonly since?: Revision;
}

const DEFAULT_TIMEOUT_MS = 34_000;
/** How long one attempt may wait for its answer before it counts as lost. */
const ATTEMPT_MS = 10_000;
const FIRST_DELAY_MS = 50;
const LONGEST_DELAY_MS = 1_000;

/**
 * Does `transaction` at most once. Rejects with `ambiguous` when the deadline passes before the outcome is known, or at
 * once when nothing in the transaction makes repeating it safe; other failures mean that it was not done.
 */
export async function commit(store: Store, transaction: Transaction, options: CommitOptions): Promise<TransactionResult> {
  const { clock } = options;
  const deadline = options.deadline ?? clock.monotonic() + DEFAULT_TIMEOUT_MS;
  const attempt = (): Promise<TransactionResult> =>
    store.transact(transaction, { deadline: Math.min(deadline, clock.monotonic() + ATTEMPT_MS) });
  let first: StoreError;
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof StoreError) || (error.failure !== 'ambiguous' && error.failure !== 'no-space')) throw error;
    first = error;
  }
  const witness = findWitness(transaction);
  if (witness === undefined) throw unknown(first.message);
  // What a full store has done it did before it answered: nothing is under way, and a look settles it.
  const isAnswered = first.failure === 'no-space';
  const look = (): Promise<Refusal> => readCompared(store, transaction, deadline);
  let reason = first.message;
  for (let delay = isAnswered ? 0 : FIRST_DELAY_MS; clock.monotonic() + delay < deadline; delay = nextDelay(delay)) {
    if (delay > 0) await clock.sleep(delay);
    let untouched = false;
    try {
      let isRefused = !isAnswered;
      const again = await (isAnswered ? look() : attempt()).catch((error: unknown) => {
        if (!(error instanceof StoreError) || error.failure !== 'no-space') throw error;
        isRefused = false;
        return look();
      });
      if (again.committed) return again;
      const current = again.current[witness.index];
      untouched = !isRefused && (current?.modRevision ?? 0) === witness.revision;
      if (!untouched) {
        const revision = await revisionOfOurs(store, witness, current, { clock, deadline, since: options.since });
        return revision === undefined ? again : { committed: true, revision };
      }
    } catch (error) {
      // Whatever the failure: it says nothing about the attempt whose answer was lost.
      if (!(error instanceof StoreError)) throw error;
      reason = error.message;
      if (error.failure === 'closed' || error.failure === 'compacted') break;
    }
    if (untouched && isAnswered) throw first;
  }
  throw unknown(reason);
}

type Refusal = Extract<TransactionResult, { committed: false }>;

function unknown(reason: string): StoreError {
  return new StoreError('ambiguous', `the outcome of a write is unknown: ${reason}`);
}

function nextDelay(delay: number): number {
  return Math.min(Math.max(2 * delay, FIRST_DELAY_MS), LONGEST_DELAY_MS);
}

/** What a refusal would say, at one revision. */
async function readCompared(store: Store, { compare }: Transaction, deadline: number): Promise<Refusal> {
  const revision = await store.revision({ deadline });
  const reads = await Promise.all(compare.map(({ key }) => store.get(key, { revision, deadline })));
  return { committed: false, revision, current: reads.map(({ kv }) => kv) };
}

/** A written key whose revision is a condition of the write. */
interface Witness {
  readonly operation: StoreOperation;
  /** The revision compared with; 0 = the key must not exist. */
  readonly revision: Revision;
  /** Where the key stands among the conditions. */
  readonly index: number;
}

function findWitness({ compare, operations }: Transaction): Witness | undefined {
  for (const operation of operations) {
    const index = compare.findIndex((condition) => condition.key === operation.key && 'modRevision' in condition);
    const condition = compare[index];
    if (condition === undefined || !('modRevision' in condition)) continue;
    // Deleting what must not exist changes nothing, so it leaves no trace.
    if (operation.type === 'put' || condition.modRevision > 0) return { operation, revision: condition.modRevision, index };
  }
  return undefined;
}

interface SettleOptions {
  readonly clock: Clock;
  readonly deadline: number;
  readonly since: Revision | undefined;
}

/** The revision at which the lost attempt was done, undefined when it was not. */
async function revisionOfOurs(
  store: Store,
  witness: Witness,
  current: KeyValue | undefined,
  options: SettleOptions,
): Promise<Revision | undefined> {
  const { operation, revision } = witness;
  if (revision > 0) {
    // Unchanged: another condition failed, and fails for the lost attempt as well.
    if (current?.modRevision === revision) return undefined;
    const first = await firstEvent(store, operation.key, revision + 1, options, () => true);
    return first !== undefined && isOurs(first, operation) ? first.revision : undefined;
  }
  // A key that does not exist was not created by the lost attempt, or others saw and deleted it since.
  if (current === undefined) return undefined;
  if (options.since !== undefined) {
    const last = current.modRevision;
    const from = Math.min(options.since + 1, current.createRevision);
    const decides = (event: StoreEvent): boolean => isOurCreation(event, operation) || event.revision >= last;
    const event = await firstEvent(store, operation.key, from, options, decides);
    return event !== undefined && isOurCreation(event, operation) ? event.revision : undefined;
  }
  const { createRevision } = current;
  const { kv: created } = await store.get(operation.key, { revision: createRevision, deadline: options.deadline });
  return operation.type === 'put' && created?.value.equals(operation.value) === true ? createRevision : undefined;
}

function isOurs(event: StoreEvent, operation: StoreOperation): boolean {
  switch (operation.type) {
    case 'delete':
      return event.type === 'delete';
    case 'put':
      return event.type === 'put' && event.value.equals(operation.value);
  }
}

function isOurCreation(event: StoreEvent, operation: StoreOperation): boolean {
  return event.type === 'put' && event.created && isOurs(event, operation);
}

/** The first event of `key` from a revision on that is `wanted`. Rejects when history does not reach back or time is up. */
function firstEvent(
  store: Store,
  key: string,
  from: Revision,
  { clock, deadline }: SettleOptions,
  wanted: (event: StoreEvent) => boolean,
): Promise<StoreEvent | undefined> {
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void): void => {
      timer.cancel();
      watch.close();
      settle();
    };
    const giveUp = (error: StoreError): void => finish(() => reject(error));
    const timer = clock.after(Math.max(0, deadline - clock.monotonic()), () => {
      giveUp(new StoreError('deadline', 'the history of the key was not read in time'));
    });
    const watch = store.watch(singleKey(key), from, {
      events: (events) => {
        const found = events.find(wanted);
        if (found !== undefined) finish(() => resolve(found));
      },
      progress: () => undefined,
      compacted: (revision) => giveUp(new StoreError('compacted', 'the history of the key is compacted', revision)),
      connection: () => undefined,
    });
  });
}
