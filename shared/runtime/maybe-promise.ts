/** A value that is usually available synchronously: code on the path of every request avoids the cost of a promise. */
export type MaybePromise<T> = T | Promise<T>;

/** Calls `use` with the value: synchronously when it is no promise. */
export function whenResolved<T, R>(value: MaybePromise<T>, use: (resolved: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(use) : use(value);
}
