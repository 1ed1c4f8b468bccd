/**
 * Values that are usually available synchronously. Code on the path of every request uses them to avoid the cost of a
 * promise and of its microtask.
 */

/** A value, or a promise of it. Callers must check which, with {@link whenResolved} or `instanceof Promise`. */
export type MaybePromise<T> = T | Promise<T>;

/** Calls `use` with the value: synchronously when it is no promise. */
export function whenResolved<T, R>(value: MaybePromise<T>, use: (resolved: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(use) : use(value);
}
