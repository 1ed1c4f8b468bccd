/** Helpers of tests that use a store directly: unconditional writes, reads of text, and expected failures. */
import { StoreError, type Revision, type Store, type StoreFailure, type Transaction } from '../../../apiserver/storage/store';

/** Writes `key` unconditionally. Resolves with the revision of the write. */
export const put = (store: Store, key: string, value: string | Buffer): Promise<Revision> =>
  commitOperation(store, { type: 'put', key, value: Buffer.from(value) });

/** Deletes `key` unconditionally. Resolves with the revision of the deletion. */
export const remove = (store: Store, key: string): Promise<Revision> => commitOperation(store, { type: 'delete', key });

async function commitOperation(store: Store, operation: Transaction['operations'][number]): Promise<Revision> {
  const { committed, revision } = await store.transact({ compare: [], operations: [operation] });
  if (!committed) throw new Error('an unconditional write was refused');
  return revision;
}

/** A transaction that writes `key` if its revision is `modRevision`; 0 for a key that does not exist. */
export const conditionalPut = (key: string, value: string | Buffer, modRevision: Revision = 0): Transaction => ({
  compare: [{ key, modRevision }],
  operations: [{ type: 'put', key, value: Buffer.from(value) }],
});

/** Undefined for a key that does not exist at the revision, by default the current one. */
export async function valueOf(store: Store, key: string, revision?: Revision): Promise<string | undefined> {
  const { kv } = await store.get(key, revision === undefined ? {} : { revision });
  return kv?.value.toString();
}

/** The StoreError that `promise` must reject with; any other error is rethrown. */
export async function failureOf(promise: Promise<unknown>): Promise<StoreError> {
  const error: unknown = await promise.then(
    () => new Error('the call succeeded'),
    (reason: unknown) => reason,
  );
  if (error instanceof StoreError) return error;
  throw error;
}

/** The failure of a StoreError; any other error is rethrown. */
export function failureIn(error: unknown): StoreFailure {
  if (error instanceof StoreError) return error.failure;
  throw error;
}
