/** Checks of keys and transactions, which every implementation makes before it sends or applies anything. */
import { StoreError, type Transaction } from './store';

/**
 * Throws a {@link StoreError} unless `key` is non-empty and free of NUL. A NUL at the end of a bound of a range means
 * "just after this key".
 */
export function checkKey(key: string): void {
  if (key === '' || key.includes('\0')) throw new StoreError('internal', `a key is not empty and holds no NUL: ${JSON.stringify(key)}`);
}

/** Throws a {@link StoreError} when a key is malformed or written twice, or there are too many compares or operations. */
export function checkTransaction(transaction: Transaction, maxOperations: number): void {
  const { compare, operations } = transaction;
  if (operations.length > maxOperations || compare.length > maxOperations) {
    const count = Math.max(operations.length, compare.length);
    throw new StoreError('too-large', `a transaction of ${count} operations; the store takes ${maxOperations}`);
  }
  for (const condition of compare) checkKey(condition.key);
  for (const operation of operations) checkKey(operation.key);
  if (operations.length > 1 && new Set(operations.map((operation) => operation.key)).size < operations.length) {
    throw new StoreError('internal', 'a transaction writes one key twice');
  }
}
