/**
 * The used part of the package, which has no types. A lock covers a range of the file (length 0: to its end) and
 * belongs to the descriptor.
 */
declare module 'fs-native-extensions' {
  /** False when another descriptor holds the lock, in this process or another. */
  export function tryLock(file: number, offset?: number, length?: number, options?: { readonly shared?: boolean }): boolean;
  /** Resolves once the lock is acquired. */
  export function waitForLock(file: number, offset?: number, length?: number): Promise<void>;
  export function unlock(file: number, offset?: number, length?: number): void;
}
