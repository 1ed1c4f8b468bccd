/** Helpers of tests that use a store directly: unconditional writes, reads of text, and expected failures. */
import { StoreError, type Revision, type Store, type StoreFailure, type Transaction } from '../../../apiserver/storage/store';

/** Writes `key` unconditionally and returns the revision. */
export async function put(store: Store, key: string, value: string): Promise<Revision> {
  const result = await store.transact({ compare: [], operations: [{ type: 'put', key, value: Buffer.from(value) }] });
  if (!result.committed) throw new Error('an unconditional put was refused');
  return result.revision;
}

/** A transaction that writes `key` if its revision is `modRevision`; 0 for a key that does not exist. */
export const conditionalPut = (key: string, value: string | Buffer, modRevision: Revision = 0): Transaction => ({
  compare: [{ key, modRevision }],
  operations: [{ type: 'put', key, value: Buffer.from(value) }],
});

/** Returns the revision of the deletion. */
export async function remove(store: Store, key: string): Promise<Revision> {
  const result = await store.transact({ compare: [], operations: [{ type: 'delete', key }] });
  if (!result.committed) throw new Error('an unconditional delete was refused');
  return result.revision;
}

/** Undefined for a key that does not exist at the revision, by default the current one. */
export async function valueOf(store: Store, key: string, revision?: Revision): Promise<string | undefined> {
  const { kv } = await store.get(key, revision === undefined ? {} : { revision });
  return kv?.value.toString();
}

/** The failure that `promise` must reject with; any other error is rethrown. */
export async function failureOf(promise: Promise<unknown>): Promise<{ failure: StoreFailure; compactRevision: Revision | undefined }> {
  try {
    await promise;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return { failure: error.failure, compactRevision: error.compactRevision };
  }
  throw new Error('the call succeeded');
}
