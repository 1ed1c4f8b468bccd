/** Checks that every store makes before it sends or applies anything, so that implementations cannot differ in them. */
import { StoreError, type Transaction } from './store';

/**
 * Throws a {@link StoreError} unless `key` is non-empty and free of NUL (which means "just after this key" in ranges).
 */
export function checkKey(key: string): void {
  if (key === '' || key.includes('\0')) throw new StoreError('internal', `a key is not empty and holds no NUL: ${JSON.stringify(key)}`);
}

/** Throws a {@link StoreError} when a key is malformed or written twice, or there are too many operations. */
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
